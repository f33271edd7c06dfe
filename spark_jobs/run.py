"""The main job and its layers: which step does what for which days, and what is told on the way."""

import datetime as dt
import hashlib
import json
from collections.abc import Iterator, Sequence, Set
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from spark_jobs import landing as landings
from spark_jobs.lake.catalog import open_to_write
from spark_jobs.lake.ledger import Run
from spark_jobs.lake.location import is_default_lake, local_path
from spark_jobs.lake.tables import Lake
from spark_jobs.lake.write_lock import hold_write_lock
from spark_jobs.landing import Landing
from spark_jobs.progress import Progress
from spark_jobs.settings import SOURCES, Settings

if TYPE_CHECKING:
    from expectations import gate

# Bytes that even a slow machine reads in seconds.
_SMALL = 64 << 20


@dataclass(frozen=True)
class DeliveryDays:
    """Days of delivery that a user chose; `everything` is whatever is new."""

    chosen: frozenset[dt.date] | None = None

    @staticmethod
    def between(first: dt.date | None, last: dt.date | None) -> "DeliveryDays":
        if first is None or last is None:
            return DeliveryDays()
        return DeliveryDays(frozenset(first + dt.timedelta(number) for number in range((last - first).days + 1)))

    @property
    def until(self) -> dt.date | None:
        return max(self.chosen) if self.chosen else None

    @property
    def forced(self) -> frozenset[dt.date]:
        return self.chosen or frozenset()


@dataclass
class Job:
    """One call that writes: the lake is its alone until it ends."""

    settings: Settings
    progress: Progress
    run: Run = field(default_factory=Run.begin)
    failed: bool = False
    small: bool = False
    # What was read anew: clusters and days of delivery.
    taken: set[tuple[str, dt.date]] = field(default_factory=set)
    _ahead: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))
    _validator: "Future[gate.Validator] | None" = None

    @cached_property
    def lake(self) -> Lake:
        from spark_jobs.spark import session

        with self.progress.step("Spark", "starts"):
            return open_to_write(session.start(self.settings, small=self.small), self.settings.lake)

    def import_validator_soon(self) -> None:
        """Importing Great Expectations takes as long as starting Spark, so both happen at once."""
        self._validator = self._ahead.submit(self._make_validator)

    def validator(self) -> "gate.Validator":
        return self._validator.result() if self._validator else self._make_validator()

    def _make_validator(self) -> "gate.Validator":
        from expectations import gate

        folder = local_path(self.settings.lake)
        return gate.Validator(None if folder is None else str(folder.absolute() / "data_docs"))


@contextmanager
def open_job(settings: Settings, progress: Progress) -> Iterator[Job]:
    with hold_write_lock(settings.lake):
        yield Job(settings, progress)


def run_all(job: Job, days: DeliveryDays) -> None:
    """Lands, judges, models and reports what is new, or the chosen days again."""
    landing = landings.survey(job.settings.landing)
    _tell_what_is_misplaced(job, landing)
    if days.chosen is None and _is_done(job.settings, landing):
        job.progress.say("Nothing new: the lake holds all that lies in landing.")
        return
    job.small = _is_small(job.settings, landing)
    job.import_validator_soon()
    run_bronze(job, days, SOURCES, landing=landing)
    run_silver(job, days)
    run_gold(job, days)
    run_report(job, days)
    if days.chosen is None and not job.failed:
        _mark_done(job.settings, landing)


def run_bronze(job: Job, days: DeliveryDays, sources: Sequence[str], *, landing: Landing | None = None) -> None:
    from spark_jobs.bronze import files

    landing = landing or landings.survey(job.settings.landing)
    lake = job.lake
    wanted = None
    if days.chosen is not None:
        # Late files of earlier days come along.
        wanted = {file.delivered_on for file in landing.files if file.delivered_on <= max(days.chosen)}
        missing = sorted(days.chosen - wanted)
        if missing:
            job.progress.say(f"Nothing was delivered on {', '.join(str(day) for day in missing)}.")
    new = files.new_deliveries(lake, landing.files, days=wanted, sources=sources, force=days.forced)
    with job.progress.step("bronze", f"{len(new)} deliveries" if new else "nothing new") as step:
        for taken in files.take(lake, job.settings, new, run=job.run, force=days.forced):
            job.taken.add((taken.delivery.cluster, taken.delivery.delivered_on))
            records = sum(file.receipt.records for file in taken.files)
            step.tell(
                f"{taken.delivery.delivered_on} {taken.delivery.cluster} {taken.delivery.source}: "
                f"{len(taken.files):,} files, {records:,} records"
            )
            for file in taken.files:
                if file.problem:
                    job.failed = True
                    job.progress.warn(f"{file.file.path} was {file.problem}. Deliver it again, put right.")


def run_silver(job: Job, days: DeliveryDays) -> None:
    from spark_jobs.silver.pipeline.build import SilverJob, build_silver

    lake = job.lake
    validator = job.validator()
    with job.progress.step("silver", "the event days that this changes") as step:
        silver_job = SilverJob(lake, job.settings, validator, job.run)
        built = build_silver(silver_job, until=days.until, force=days.forced, report=step.tell)
        for table in sorted({entry.table_name for entry in built.entries if entry.rows_in}):
            entries = [entry for entry in built.entries if entry.table_name == table]
            step.tell(
                f"{table}: {sum(e.rows_in for e in entries):,} rows in = {sum(e.rows_accepted for e in entries):,} accepted"
                f" + {sum(e.rows_rejected for e in entries):,} rejected"
                f" + {sum(e.rows_duplicate for e in entries):,} duplicate"
            )
        if built.results:
            validator.write_docs()
    for halted in built.halted:
        job.failed = True
        job.progress.warn(
            f"The delivery of {halted.delivered_on} for {halted.cluster} is halted: {halted.problem}. "
            f"Look at quality.rejected_rows and quality.rule_results, then run `lagoon silver --day {halted.delivered_on}`."
        )


def run_gold(job: Job, days: DeliveryDays) -> None:
    from spark_jobs.gold.build_gold import build_gold

    lake = job.lake
    forced = event_days_of(lake, days.forced) if days.forced else set()
    with job.progress.step("gold", "the models of those days") as step:
        built = build_gold(lake, job.settings, job.run, force=forced, report=step.tell)
    for test in built.failed_tests:
        job.failed = True
        job.progress.warn(f"The check {test} of gold failed; `lagoon sql` shows the rows.")


def run_report(job: Job, days: DeliveryDays) -> None:
    from spark_jobs.lake import ledger
    from spark_jobs.report import findings, not_understood

    lake = job.lake
    told = event_days_of(lake, days.forced) if days.forced else None
    findings.show(
        lake,
        told,
        job.progress,
        asked_with="" if is_default_lake(job.settings.lake) else f" --lake {job.settings.lake}",
    )
    told_of = job.taken | {
        (cluster, delivered_on)
        for cluster, delivered_on, _ in ledger.newest(lake, "bronze")
        if delivered_on in days.forced
    }
    for sentence in not_understood.warnings(lake, told_of):
        job.progress.warn(sentence)
    for (cluster, delivered_on, table), entry in sorted(ledger.newest(lake, "silver").items()):
        if table == "delivery" and entry.outcome == "halted" and delivered_on in days.forced:
            job.failed = True
            job.progress.warn(f"These findings leave out what {cluster} delivered on {delivered_on}: it is halted.")


def event_days_of(lake: Lake, deliveries: Set[dt.date]) -> set[tuple[str, dt.date]]:
    """The event days that these deliveries tell of."""
    from spark_jobs.lake import ledger

    run_bronze = ledger.newest(lake, "bronze")
    return {
        (cluster, rows.day)
        for (cluster, delivered_on, _), entry in run_bronze.items()
        if delivered_on in deliveries
        for rows in entry.event_rows
    }


def _days_said(days: Set[dt.date]) -> str:
    ordered = sorted(days)
    return str(ordered[0]) if len(ordered) == 1 else f"{ordered[0]} to {ordered[-1]}"


def _tell_what_is_misplaced(job: Job, landing: Landing) -> None:
    if landing.misplaced:
        job.progress.warn(
            f"{len(landing.misplaced)} files do not lie in <source>/cluster=<name>/date=<YYYY-MM-DD>/ and are not read, "
            f"the first is {landing.misplaced[0]}; move them there."
        )


def _mark(settings: Settings) -> Path | None:
    folder = local_path(settings.lake)
    return None if folder is None else folder / ".done"


def _is_small(settings: Settings, landing: Landing) -> bool:
    """Whether little has come since the last time that everything was done."""
    mark = _mark(settings)
    since = mark.stat().st_mtime if mark is not None and mark.is_file() else 0.0
    return sum(file.size for file in landing.files if file.modified_at.timestamp() >= since) < _SMALL


def _seen(settings: Settings, landing: Landing) -> str:
    """What landing, settings and models look like now. Only a shortcut: where it differs, the ledger in the lake decides."""
    from spark_jobs.gold.models_fingerprint import models_fingerprint

    told = [(file.path, file.size, file.modified_at.isoformat()) for file in landing.files]
    return hashlib.sha256(json.dumps([repr(settings), models_fingerprint(), told]).encode()).hexdigest()


def _is_done(settings: Settings, landing: Landing) -> bool:
    mark = _mark(settings)
    return mark is not None and mark.is_file() and mark.read_text() == _seen(settings, landing)


def _mark_done(settings: Settings, landing: Landing) -> None:
    mark = _mark(settings)
    if mark is not None:
        mark.write_text(_seen(settings, landing))
