"""`lagoon run` and its steps: which step does what for which days, and what it prints."""

import contextlib
import datetime as dt
from collections.abc import Callable, Sequence, Set
from typing import TYPE_CHECKING

from spark_jobs import done_marker
from spark_jobs.errors import UserError
from spark_jobs.job import DeliveryDays, Job
from spark_jobs.lake.tables import Lake
from spark_jobs.landing import Landing
from spark_jobs.lineage.layer_lineage import sends_lineage
from spark_jobs.progress import counted
from spark_jobs.settings import SOURCES

if TYPE_CHECKING:
    from spark_jobs.bronze.parse import FileReceipt


def run_all(job: Job, days: DeliveryDays) -> None:
    """Ingests, validates, models and reports what is new, or the chosen days again."""
    landing = job.list_landing()
    _warn_of_skipped_files(job, landing)
    if days.chosen is None and done_marker.is_done(job.settings, landing):
        job.progress.say("Nothing new: the lake already holds everything in landing.")
        run_alert(job, days)
        return
    job.small = done_marker.is_small(job.settings, landing, days.forced)
    # Before bronze: it is needed after it.
    job.import_validator_soon()
    _warn_of_deleted_days(job, days)
    _announce_upgrade(job, landing)
    run_bronze(job, days, SOURCES, landing=landing)
    build_tables(job, days)
    run_report(job, days)
    run_alert(job, days)
    if days.chosen is None and not job.failed:
        done_marker.mark_done(job.settings, landing)


def run_layer(job: Job, days: DeliveryDays, step: Callable[[Job, DeliveryDays], None]) -> None:
    """Runs a step in a process of its own, as the daily DAG does."""
    landing = None
    # Only bronze needs it.
    with contextlib.suppress(UserError):
        landing = job.list_landing()
        job.small = done_marker.is_small(job.settings, landing, days.forced)
    _warn_of_deleted_days(job, days)
    _announce_upgrade(job, landing)
    step(job, days)


@sends_lineage("bronze")
def run_bronze(job: Job, days: DeliveryDays, sources: Sequence[str], *, landing: Landing | None = None) -> None:
    from spark_jobs.bronze.erased_names import erased_names_warning, without_erased_paths
    from spark_jobs.bronze.ingest import FileCount, given_up, ingest_deliveries, new_deliveries, out_of_reach
    from spark_jobs.lake import ledger
    from spark_jobs.lake.erasures import read_erasures
    from spark_jobs.lake.kept_days import read_kept_days

    landing = landing or job.list_landing()
    lake = job.lake
    delivery_days = None
    if days.chosen is not None:
        # Late files of earlier days are ingested too.
        delivery_days = {file.delivered_on for file in landing.files if file.delivered_on <= max(days.chosen)}
        missing = sorted(days.chosen - delivery_days)
        if missing:
            job.progress.say(f"Nothing was delivered on {', '.join(str(day) for day in missing)}.")
    ingested, since = ledger.newest(lake, "bronze"), read_kept_days(lake).since("bronze")
    erasures = read_erasures(lake)
    landed, erased = without_erased_paths(landing.files, erasures)
    if erased:
        job.progress.warn(f"Not read: {counted(len(erased), 'file')} whose path names what was erased from the lake.")
    new = new_deliveries(
        *(ingested, job.settings, landed),
        days=delivery_days,
        sources=sources,
        force=days.forced,
        kept_since=since,
    )
    if left_out := given_up(ingested, landed, since):
        job.progress.warn(
            f"Not read: {counted(len(left_out), 'file')}, the first is {left_out[0].path}: bronze is kept from {since} on."
        )
    with job.progress.step("bronze", counted(len(new), "delivery") if new else "nothing new") as step:
        count, files = FileCount(), counted(sum(len(delivery.files) for delivery in new), "file")
        step.doing(lambda: f"{count.files_done():,} of {files} read")
        for done in ingest_deliveries(lake, job.settings, new, run=job.run, force=days.forced, count=count):
            delivery = done.delivery
            job.ingested.add((delivery.cluster, delivery.delivered_on))
            records = sum(file.receipt.records for file in done.parsed)
            step.report(
                f"{delivery.delivered_on} {delivery.cluster} {delivery.source}: "
                f"{counted(len(done.parsed), 'file')}, {counted(records, 'record')}"
            )
            if done.parsed and (warning := erased_names_warning(lake, erasures, delivery)):
                job.failed = True
                job.progress.warn(warning)
            if done.not_read_again:
                job.progress.warn(
                    f"{counted(len(done.not_read_again), 'file')} read with other settings can't be read again, the first "
                    f"is {done.not_read_again[0]}: landing no longer has it. Deliver it again."
                )
            if done.read_by_other_versions:
                job.progress.warn(
                    f"{counted(len(done.read_by_other_versions), 'file')} stay as an earlier version of Lagoon read them, the "
                    f"first is {done.read_by_other_versions[0]}: landing no longer has them."
                )
            for file in done.parsed:
                step.detail(_file_line(file))
                if file.problem:
                    job.failed = True
                    job.progress.warn(f"{file.file.path} was {file.problem}. Correct the file and deliver it again.")
    if gone := out_of_reach(ingested, job.settings, landing.files, since):
        cluster, day = gone[0]
        job.progress.warn(
            f"{counted(len(gone), 'delivery')} read with other settings can't be read again, the first is that of {day} for "
            f"{cluster}: landing no longer has it. Deliver it again, or set back what was changed."
        )


def build_tables(job: Job, days: DeliveryDays) -> None:
    run_silver(job, days)
    run_gold(job, days)


def rebuild_event_days(job: Job, event_days: Set[tuple[str, dt.date]]) -> None:
    """Builds silver of these days once more, of the deliveries that it uses already, and then gold of what changed."""
    run_silver(job, DeliveryDays(), event_days=event_days)
    run_gold(job, DeliveryDays())


@sends_lineage("silver")
def run_silver(job: Job, days: DeliveryDays, *, event_days: Set[tuple[str, dt.date]] = frozenset()) -> None:
    """With `event_days` only these are built, and no new delivery is taken."""
    from spark_jobs.silver.pipeline.broken_rows import sample_broken_rows
    from spark_jobs.silver.pipeline.build import SilverJob, build_silver

    job.import_validator_soon()
    lake = job.lake
    validator = job.validator()
    with job.progress.step("silver", "the event days that changed") as step:
        silver_job = SilverJob(lake, job.settings, validator, job.run)
        built = build_silver(
            silver_job,
            until=dt.date.min if event_days else days.until,
            force=days.forced,
            force_event_days=event_days,
            report=step.report,
            doing=step.doing,
        )
        for table in sorted({entry.table_name for entry in built.entries if entry.rows_in}):
            entries = [entry for entry in built.entries if entry.table_name == table]
            step.report(
                f"{table}: {sum(e.rows_in for e in entries):,} rows in = {sum(e.rows_accepted for e in entries):,} accepted"
                f" + {sum(e.rows_rejected for e in entries):,} rejected"
                f" + {sum(e.rows_duplicate for e in entries):,} duplicate"
            )
        if built.results:
            step.doing("writing Data Docs")
            job.write_docs(validator, built.results, sample_broken_rows(lake, built.results))
    for problem in built.problems:
        job.failed = True
        job.progress.warn(
            f"{problem.table} of {problem.cluster} on {problem.date} leaves out {problem.subject}, which raised an error "
            f"({problem.error}). Everything else was built; please report it with the row of quality.rejected_rows."
        )
    for sentence in built.contradictions:
        job.failed = True
        job.progress.warn(sentence)
    for halted in built.halted:
        # A run of other days did what it was asked for.
        job.failed |= halted.judged_now or days.chosen is None or halted.delivered_on in days.chosen
        job.progress.warn(
            f"The delivery of {halted.delivered_on} for {halted.cluster} is halted: {halted.problem}. "
            f"Look at quality.rejected_rows and quality.rule_results, then run `lagoon silver --day {halted.delivered_on}`."
        )


@sends_lineage("gold")
def run_gold(job: Job, days: DeliveryDays) -> None:
    from spark_jobs.gold.build_gold import build_gold
    from spark_jobs.gold.judge_arrivals import judge_arrivals

    lake = job.lake
    forced = _event_days(lake, days.forced) if days.forced else set()
    with job.progress.step("gold", "the models of those days") as step:
        built = build_gold(lake, job.settings, job.run, force=forced, report=step.report, doing=step.doing)
        if built.days:
            step.doing("judging what arrived")
            validator = job.new_validator()
            results = judge_arrivals(lake, job.settings, validator, job.run, built.days)
            # In the first weeks nothing is usual yet.
            job.write_docs(validator, (result for result in results if result.checked), {})
    for test in built.failed_tests:
        job.failed = True
        job.progress.warn(f"The test {test} of gold failed; `lagoon sql` shows the rows.")


def run_report(job: Job, days: DeliveryDays) -> None:
    from spark_jobs.report.print_report import print_report, write_day_files

    if print_report(job.settings, days.forced, job.progress, ingested=job.ingested):
        job.failed = True
    written = write_day_files(job.settings, days.forced or {day for _, day in job.ingested})
    if written:
        job.progress.say(f"The day as one file to open, attach or host: {written[-1]}")


def run_alert(job: Job, days: DeliveryDays) -> None:
    """A channel that can't be reached fails no run."""
    from spark_jobs.alerts.run_outcome import alert_after_run

    if not alert_after_run(job.settings, job.progress, days.until):
        job.failed = True


def _file_line(parsed: "FileReceipt") -> str:
    receipt = parsed.receipt
    return (
        f"{parsed.file.path}: {receipt.format}, {counted(receipt.records, 'record')} = {receipt.understood:,} understood"
        f" + {receipt.not_understood:,} not understood + {receipt.ignored:,} ignored"
    )


def _event_days(lake: Lake, deliveries: Set[dt.date]) -> set[tuple[str, dt.date]]:
    """The event days that the deliveries of these days have rows of."""
    from spark_jobs.lake import ledger

    return {
        (cluster, rows.day)
        for (cluster, delivered_on, _), entry in ledger.newest(lake, "bronze").items()
        if delivered_on in deliveries
        for rows in entry.event_rows
    }


def _announce_upgrade(job: Job, landing: Landing | None) -> None:
    from spark_jobs.upgrade import stale_by_version

    if stale := stale_by_version(job.lake, landing.files if landing else ()):
        job.progress.say(stale.sentence())


def _warn_of_deleted_days(job: Job, days: DeliveryDays) -> None:
    from spark_jobs.lake.kept_days import read_kept_days

    if days.chosen and (since := read_kept_days(job.lake).since("bronze")) > min(days.chosen):
        before = sorted(day for day in days.chosen if day < since)
        job.progress.warn(
            f"{counted(len(before), 'delivery')} from {before[0]} on can't be processed again: bronze is kept from {since} on. "
            "The other tables keep what they have of those days."
        )


def _warn_of_skipped_files(job: Job, landing: Landing) -> None:
    by_reason: dict[str, list[str]] = {}
    for file in landing.skipped:
        by_reason.setdefault(file.reason, []).append(file.path)
    for reason, paths in by_reason.items():
        job.progress.warn(f"Not read: {counted(len(paths), 'file')}, the first is {paths[0]}, {reason}.")
    for cluster in sorted(set(job.settings.clusters) - {file.cluster for file in landing.files}):
        job.progress.warn(
            f"[clusters.{cluster}] in {job.settings.file} has no effect: nothing was delivered for a cluster of that name."
        )
