"""Silver: takes new deliveries and rebuilds the event days that they change, until no day is stale."""

import datetime as dt
import shutil
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

import schemas
from expectations import gate
from kafka_telemetry.spill import Spill
from spark_jobs.lake import ledger
from spark_jobs.lake.ledger import ClusterDay, Entry, Ledger, Run
from spark_jobs.lake.tables import Lake
from spark_jobs.settings import Settings
from spark_jobs.silver.inputs.bronze_contents import BronzeContents, bronze_contents
from spark_jobs.silver.inputs.bronze_kinds import FINISHING_KINDS
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.inputs.set_aside import Problem
from spark_jobs.silver.inputs.slices import Slices
from spark_jobs.silver.pipeline import plan
from spark_jobs.silver.pipeline.build_version import BUILD_VERSION
from spark_jobs.silver.pipeline.deliveries import Deliveries
from spark_jobs.silver.pipeline.judge_counts import judge_slices, judge_sources
from spark_jobs.silver.pipeline.registry import silver_tables
from spark_jobs.silver.pipeline.validate import validate
from spark_jobs.silver.pipeline.write import row_count_entries, write_tables
from spark_jobs.spark import session


@dataclass(frozen=True)
class SilverJob:
    lake: Lake
    settings: Settings
    validator: gate.Validator
    run: Run


@dataclass(frozen=True)
class HaltedDelivery:
    """A delivery that is left out until it passes."""

    cluster: str
    delivered_on: dt.date
    problem: str


@dataclass(frozen=True)
class BuiltSilver:
    entries: tuple[Entry, ...]
    results: tuple[gate.RuleResult, ...]
    halted: tuple[HaltedDelivery, ...]
    # Groups and logs that were set aside, because their processing raised an error.
    problems: tuple[Problem, ...]

    @property
    def days(self) -> list[ClusterDay]:
        return sorted({(entry.cluster, entry.day) for entry in self.entries})


def build_silver(
    job: SilverJob, *, until: dt.date | None, force: Set[dt.date], report: Callable[[str], None]
) -> BuiltSilver:
    """Takes every delivery up to `until` that was not taken yet, and rebuilds the event days that are stale.

    `force` are days of delivery whose event days are rebuilt whatever the ledger says.
    """
    bronze, silver = ledger.newest(job.lake, "bronze"), dict(ledger.newest(job.lake, "silver"))
    deliveries = Deliveries.find(bronze, silver, until, force)
    forced = deliveries.event_days(pair for pair in deliveries.new if pair[1] in force) | _finished_days(
        job, deliveries
    )
    started_at = ledger.now()
    source_results = judge_sources(job.lake, job.settings, job.validator, deliveries.missing_sources(job.settings))
    deliveries.halt(source_results)
    all_entries: list[Entry] = []
    all_results: list[gate.RuleResult] = []
    problems: list[Problem] = []
    kinds = {kind for table in silver_tables().values() for kind in table.bronze_kinds}
    while True:
        contents = bronze_contents(bronze, deliveries.in_use(), kinds)
        slices = plan.next_to_build(contents, silver, forced, deliveries.frozen_days())
        if not slices.days:
            break
        _report_days(slices, silver, report)
        entries, results = _build_days(job, contents, silver, slices, deliveries, problems)
        silver |= {(entry.cluster, entry.day, entry.table_name): entry for entry in entries}
        if entries:
            forced -= set(slices.pairs())
        _record(job, entries, results)
        all_entries += entries
        all_results += results
    _record(job, deliveries.verdict_entries(started_at), source_results)
    halted = [HaltedDelivery(*pair, problem or "as before") for pair, problem in sorted(deliveries.halted.items())]
    return BuiltSilver(tuple(all_entries), tuple(all_results + source_results), tuple(halted), tuple(problems))


def _build_days(
    job: SilverJob,
    contents: BronzeContents,
    silver: Ledger,
    slices: Slices,
    deliveries: Deliveries,
    problems: list[Problem],
) -> tuple[list[Entry], list[gate.RuleResult]]:
    """Reads, validates and writes some days. Writes nothing, and returns no entries, if a delivery has to be halted. Adds to
    `problems` what was set aside."""
    tables, started_at = silver_tables(), ledger.now()
    parsed_kinds = {kind for table in tables.values() if table.parsed for kind in table.bronze_kinds}
    tasks = session.tune_for(job.lake.spark, sum(contents.count(*pair, parsed_kinds) for pair in slices.pairs()))
    start_days = plan.start_days(silver, slices)
    spill = Spill(session.create_task_folder(job.lake.spark))
    inputs = DayInputs(job.lake, job.settings, contents, slices, start_days, tables, spill, tasks)
    try:
        validation = validate(inputs, tables, job.validator)
        inputs.counts = validation.counts
        row_counts = row_count_entries(inputs, tables, started_at)
        results = judge_slices(job.lake, job.settings, job.validator, row_counts, validation.counts.of_deliveries())
        if deliveries.halt(results):
            return [], results + validation.results
        # If this run ends before the days are done, the next one knows that their tables may have rows of them.
        started = [
            Entry(cluster, "silver", day, plan.STARTED_ENTRY, started_at, ledger.now(), outcome="started")
            for cluster, day in slices.pairs()
        ]
        ledger.write(job.lake, job.run, started)
        written = write_tables(inputs, tables, job.validator, started_at)
        problems += inputs.problems.found()
    finally:
        inputs.release()
        if spill.folder:
            shutil.rmtree(spill.folder)
    days = _day_entries(contents, silver, slices, start_days, written.states, started_at)
    return days + row_counts, results + validation.results + written.results


def _day_entries(
    contents: BronzeContents,
    silver: Ledger,
    slices: Slices,
    start_days: Mapping[str, dt.date],
    states: Mapping[ClusterDay, int],
    started_at: dt.datetime,
) -> list[Entry]:
    """What each day was built from, and the fingerprint of the states that it left."""
    entries = []
    for cluster, days in slices.days.items():
        start = silver[cluster, start_days[cluster], plan.DAY_ENTRY].result if cluster in start_days else None
        for day in days:
            built_from = plan.inputs_fingerprint(contents, cluster, day, start)
            start = states[cluster, day]
            entries.append(
                Entry(
                    *(cluster, "silver", day, plan.DAY_ENTRY, started_at, ledger.now()),
                    inputs=built_from, result=start, build_version=BUILD_VERSION,
                )
            )  # fmt: skip
    return entries


def _finished_days(job: SilverJob, deliveries: Deliveries) -> set[ClusterDay]:
    """Days that waited for something which the new deliveries bring."""
    bringing = deliveries.bringing(FINISHING_KINDS)
    asked = [table.finished_days for table in silver_tables().values() if table.finished_days is not None]
    return {pair for finished_days in asked for pair in finished_days(job.lake, bringing)}


def _report_days(slices: Slices, silver: Ledger, report: Callable[[str], None]) -> None:
    days = sorted({day for _, day in slices.pairs()})
    report(str(days[0]) if len(days) == 1 else f"{days[0]} to {days[-1]}")
    if upgraded := plan.days_of_other_versions(silver, slices):
        report(f"{len(upgraded)} of these days were built by another version of Lagoon, and are rebuilt")


def _record(job: SilverJob, entries: Sequence[Entry], results: Sequence[gate.RuleResult]) -> None:
    """The rule results first, the ledger last: what is not in the ledger is built again."""
    if results:
        rows = [
            (
                *(job.run.run_id, result.cluster, result.day, result.table, result.rule.name, result.rule.action),
                *(result.checked, result.broken, result.broken == 0),
            )
            for result in results
        ]
        names = schemas.table("quality.rule_results").column_names
        job.lake.append("quality.rule_results", [dict(zip(names, row, strict=True)) for row in rows])
    ledger.write(job.lake, job.run, entries)
