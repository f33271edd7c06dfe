"""`lagoon run` and its steps: which step does what for which days, and what it prints."""

import datetime as dt
from collections.abc import Sequence, Set

from spark_jobs import done_marker
from spark_jobs.job import DeliveryDays, Job
from spark_jobs.lake.location import is_default_lake
from spark_jobs.lake.tables import Lake
from spark_jobs.landing import Landing
from spark_jobs.progress import counted
from spark_jobs.settings import SOURCES


def run_all(job: Job, days: DeliveryDays) -> None:
    """Ingests, validates, models and reports what is new, or the chosen days again."""
    landing = job.list_landing()
    _warn_of_skipped_files(job, landing)
    if days.chosen is None and done_marker.is_done(job.settings, landing):
        job.progress.say("Nothing new: the lake already holds everything in landing.")
        return
    job.small = done_marker.is_small(job.settings, landing)
    job.import_validator_soon()
    run_bronze(job, days, SOURCES, landing=landing)
    run_silver(job, days)
    run_gold(job, days)
    run_report(job, days)
    if days.chosen is None and not job.failed:
        done_marker.mark_done(job.settings, landing)


def run_bronze(job: Job, days: DeliveryDays, sources: Sequence[str], *, landing: Landing | None = None) -> None:
    from spark_jobs.bronze.ingest import ingest_deliveries, new_deliveries

    landing = landing or job.list_landing()
    lake = job.lake
    delivery_days = None
    if days.chosen is not None:
        # Late files of earlier days are ingested too.
        delivery_days = {file.delivered_on for file in landing.files if file.delivered_on <= max(days.chosen)}
        missing = sorted(days.chosen - delivery_days)
        if missing:
            job.progress.say(f"Nothing was delivered on {', '.join(str(day) for day in missing)}.")
    new = new_deliveries(lake, landing.files, days=delivery_days, sources=sources, force=days.forced)
    with job.progress.step("bronze", counted(len(new), "delivery") if new else "nothing new") as step:
        for ingested in ingest_deliveries(lake, job.settings, new, run=job.run, force=days.forced):
            delivery = ingested.delivery
            job.ingested.add((delivery.cluster, delivery.delivered_on))
            records = sum(file.receipt.records for file in ingested.parsed)
            step.report(
                f"{delivery.delivered_on} {delivery.cluster} {delivery.source}: "
                f"{counted(len(ingested.parsed), 'file')}, {counted(records, 'record')}"
            )
            for file in ingested.parsed:
                if file.problem:
                    job.failed = True
                    job.progress.warn(f"{file.file.path} was {file.problem}. Correct the file and deliver it again.")


def run_silver(job: Job, days: DeliveryDays) -> None:
    from spark_jobs.silver.pipeline.build import SilverJob, build_silver

    lake = job.lake
    validator = job.validator()
    with job.progress.step("silver", "the event days that changed") as step:
        silver_job = SilverJob(lake, job.settings, validator, job.run)
        built = build_silver(silver_job, until=days.until, force=days.forced, report=step.report)
        for table in sorted({entry.table_name for entry in built.entries if entry.rows_in}):
            entries = [entry for entry in built.entries if entry.table_name == table]
            step.report(
                f"{table}: {sum(e.rows_in for e in entries):,} rows in = {sum(e.rows_accepted for e in entries):,} accepted"
                f" + {sum(e.rows_rejected for e in entries):,} rejected"
                f" + {sum(e.rows_duplicate for e in entries):,} duplicate"
            )
        if built.results:
            validator.write_docs()
    for problem in built.problems:
        job.failed = True
        job.progress.warn(
            f"{problem.table} of {problem.cluster} on {problem.date} leaves out {problem.subject}, which raised an error "
            f"({problem.error}). Everything else was built; please report it with the row of quality.rejected_rows."
        )
    for halted in built.halted:
        job.failed = True
        job.progress.warn(
            f"The delivery of {halted.delivered_on} for {halted.cluster} is halted: {halted.problem}. "
            f"Look at quality.rejected_rows and quality.rule_results, then run `lagoon silver --day {halted.delivered_on}`."
        )


def run_gold(job: Job, days: DeliveryDays) -> None:
    from spark_jobs.gold.build_gold import build_gold

    lake = job.lake
    forced = _event_days(lake, days.forced) if days.forced else set()
    with job.progress.step("gold", "the models of those days") as step:
        built = build_gold(lake, job.settings, job.run, force=forced, report=step.report)
    for test in built.failed_tests:
        job.failed = True
        job.progress.warn(f"The test {test} of gold failed; `lagoon sql` shows the rows.")


def run_report(job: Job, days: DeliveryDays) -> None:
    from spark_jobs.lake import ledger
    from spark_jobs.report.findings import print_findings
    from spark_jobs.report.not_understood import not_understood_warnings
    from spark_jobs.silver.pipeline.deliveries import DELIVERY

    lake = job.lake
    print_findings(
        lake,
        _event_days(lake, days.forced) if days.forced else None,
        job.progress,
        lake_option="" if is_default_lake(job.settings.lake) else f" --lake {job.settings.lake}",
    )
    chosen = {
        (cluster, delivered_on)
        for cluster, delivered_on, _ in ledger.newest(lake, "bronze")
        if delivered_on in days.forced
    }
    for warning in not_understood_warnings(lake, job.ingested | chosen):
        job.progress.warn(warning)
    for (cluster, delivered_on, table), entry in sorted(ledger.newest(lake, "silver").items()):
        if table == DELIVERY and entry.outcome == "halted" and delivered_on in days.forced:
            job.failed = True
            job.progress.warn(f"These findings leave out the delivery of {delivered_on} for {cluster}: it is halted.")


def _event_days(lake: Lake, deliveries: Set[dt.date]) -> set[tuple[str, dt.date]]:
    """The event days that the deliveries of these days have rows of."""
    from spark_jobs.lake import ledger

    return {
        (cluster, rows.day)
        for (cluster, delivered_on, _), entry in ledger.newest(lake, "bronze").items()
        if delivered_on in deliveries
        for rows in entry.event_rows
    }


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
