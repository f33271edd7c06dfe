"""Silver: takes new deliveries and rebuilds the event days that they change, until no day is stale."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

from expectations import gate
from spark_jobs.lake import ledger
from spark_jobs.lake.kept_days import ClosedDays, closed_to_silver, read_kept_days
from spark_jobs.lake.ledger import ClusterDay, Entry, Ledger, Run
from spark_jobs.lake.rule_results import write_rule_results
from spark_jobs.lake.tables import Lake
from spark_jobs.settings import Settings
from spark_jobs.silver.inputs.bronze_contents import BronzeContents, bronze_contents
from spark_jobs.silver.inputs.bronze_kinds import FINISHING_KINDS, LAG_KINDS
from spark_jobs.silver.inputs.set_aside import Problem
from spark_jobs.silver.inputs.slices import Slices
from spark_jobs.silver.pipeline import plan
from spark_jobs.silver.pipeline.build_version import BUILD_VERSION
from spark_jobs.silver.pipeline.contradictions import contradiction_sentences
from spark_jobs.silver.pipeline.deliveries import Deliveries
from spark_jobs.silver.pipeline.held_rows import with_held_rows
from spark_jobs.silver.pipeline.judge_counts import judge_slices, judge_sources
from spark_jobs.silver.pipeline.open_inputs import open_inputs
from spark_jobs.silver.pipeline.registry import silver_tables
from spark_jobs.silver.pipeline.validate import validate
from spark_jobs.silver.pipeline.write import row_count_entries, write_tables


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
    # False if an earlier run halted it and this one did not judge it again.
    judged_now: bool


@dataclass(frozen=True)
class BuiltSilver:
    entries: tuple[Entry, ...]
    results: tuple[gate.RuleResult, ...]
    halted: tuple[HaltedDelivery, ...]
    # Groups and logs that were set aside, because their processing raised an error.
    problems: tuple[Problem, ...]
    # Logs and files that disagree with the rest of what was delivered: sentences for the user.
    contradictions: tuple[str, ...]

    @property
    def days(self) -> list[ClusterDay]:
        return sorted({(entry.cluster, entry.day) for entry in self.entries})


def build_silver(
    job: SilverJob,
    *,
    until: dt.date | None,
    force: Set[dt.date],
    report: Callable[[str], None],
    doing: Callable[[str], None] = lambda _: None,
    force_event_days: Set[ClusterDay] = frozenset(),
) -> BuiltSilver:
    """Takes every delivery up to `until` that was not taken yet, and rebuilds the event days that are stale.

    `force` are days of delivery whose event days are rebuilt whatever the ledger says, `force_event_days` event days. `report` prints what was done,
    `doing` shows what is being done.
    """
    bronze, silver = ledger.newest(job.lake, "bronze"), dict(ledger.newest(job.lake, "silver"))
    settings = plan.settings_of(job.settings, {cluster for cluster, _, _ in (*bronze, *silver)})
    kept = read_kept_days(job.lake)
    closed = closed_to_silver(kept, bronze, LAG_KINDS)
    deliveries = Deliveries.find(bronze, silver, until, force, job.settings, kept.since("bronze"))
    forced = deliveries.event_days(pair for pair in deliveries.new if pair[1] in force)
    forced |= _finished_days(job, deliveries) | force_event_days
    started_at = job.lake.clock.now()
    doing("looking for sources that did not arrive")
    source_results = judge_sources(job.lake, job.settings, job.validator, deliveries.missing_sources(job.settings))
    deliveries.halt(source_results)
    all_entries: list[Entry] = []
    all_results: list[gate.RuleResult] = []
    problems: list[Problem] = []
    contradictions: dict[str, None] = {}
    kinds = {kind for table in silver_tables().values() for kind in table.bronze_kinds}
    while True:
        contents = bronze_contents(bronze, deliveries.in_use(), kinds)
        slices = plan.next_to_build(contents, silver, forced, deliveries.frozen_days(), settings, closed)
        if not slices.days:
            break
        _report_days(slices, silver, settings, report)
        entries, results = _build_days(
            job, contents, silver, slices, deliveries, closed, problems, contradictions, doing
        )
        silver |= {(entry.cluster, entry.day, entry.table_name): entry for entry in entries}
        if entries:
            forced -= set(slices.pairs())
        _record(job, entries, results)
        all_entries += entries
        all_results += results
    _record(job, deliveries.verdict_entries(started_at, job.lake.clock.now()), source_results)
    halted = [
        HaltedDelivery(*pair, problem or "as before", bool(problem))
        for pair, problem in sorted(deliveries.halted.items())
    ]
    return BuiltSilver(
        tuple(all_entries), tuple(all_results + source_results), tuple(halted), tuple(problems), tuple(contradictions)
    )


def _build_days(
    job: SilverJob,
    contents: BronzeContents,
    silver: dict[tuple[str, dt.date, str], Entry],
    slices: Slices,
    deliveries: Deliveries,
    closed: ClosedDays,
    problems: list[Problem],
    contradictions: dict[str, None],
    doing: Callable[[str], None],
) -> tuple[list[Entry], list[gate.RuleResult]]:
    """Reads, validates and writes some days. Returns no entries if a delivery has to be halted. Adds to `silver` that the days
    were begun, to `problems` what was set aside, and to `contradictions` what contradicts the rest."""
    tables, started_at = silver_tables(), job.lake.clock.now()
    start_days = plan.start_days(silver, slices, closed)
    days = _date_range(slices)
    with open_inputs(job.lake, job.settings, contents, slices, start_days) as inputs:
        # Before anything is halted: they may be why.
        contradictions |= dict.fromkeys(contradiction_sentences(inputs, job.settings))
        doing(f"{days}: validating the rows")
        validation = validate(inputs, tables, job.validator)
        inputs.counts = validation.counts
        row_counts = row_count_entries(inputs, tables, started_at)
        results = judge_slices(job.lake, job.settings, job.validator, row_counts, validation.counts.of_deliveries())
        if deliveries.halt(results):
            return [], results + validation.results
        # If this run ends before the days are done, the next one knows that their tables may have rows of them.
        started = [
            Entry(cluster, "silver", day, plan.STARTED_ENTRY, started_at, job.lake.clock.now(), outcome="started")
            for cluster, day in slices.pairs()
        ]
        ledger.write(job.lake, job.run, started)
        silver |= {(entry.cluster, entry.day, entry.table_name): entry for entry in started}
        written = write_tables(inputs, tables, job.validator, started_at, lambda text: doing(f"{days}: {text}"))
        validated, row_counts = row_counts, with_held_rows(row_counts, inputs, tables)
        if row_counts != validated:
            results = judge_slices(job.lake, job.settings, job.validator, row_counts, validation.counts.of_deliveries())
            # The days count as not built, and are built again without the halted deliveries.
            if deliveries.halt(results):
                return [], results + validation.results
        problems += inputs.problems.found()
    day_entries = _day_entries(job, contents, silver, slices, start_days, written.states, started_at)
    return day_entries + row_counts, results + validation.results + written.results


def _day_entries(
    job: SilverJob,
    contents: BronzeContents,
    silver: Ledger,
    slices: Slices,
    start_days: Mapping[str, dt.date],
    states: Mapping[ClusterDay, int],
    started_at: dt.datetime,
) -> list[Entry]:
    """What each day was built from, and the fingerprint of the states that it left."""
    entries, settings = [], plan.settings_of(job.settings, slices.days)
    for cluster, days in slices.days.items():
        start = silver[cluster, start_days[cluster], plan.DAY_ENTRY].result if cluster in start_days else None
        for day in days:
            built_from = plan.inputs_fingerprint(contents, cluster, day, start)
            start = states[cluster, day]
            entries.append(
                Entry(
                    *(cluster, "silver", day, plan.DAY_ENTRY, started_at, job.lake.clock.now()),
                    inputs=built_from, result=start, build_version=BUILD_VERSION, settings=settings[cluster],
                )
            )  # fmt: skip
    return entries


def _finished_days(job: SilverJob, deliveries: Deliveries) -> set[ClusterDay]:
    """Days that waited for something which the new deliveries bring."""
    bringing = deliveries.bringing(FINISHING_KINDS)
    asked = [table.finished_days for table in silver_tables().values() if table.finished_days is not None]
    return {pair for finished_days in asked for pair in finished_days(job.lake, bringing)}


def _report_days(
    slices: Slices, silver: Ledger, settings: Mapping[str, int | None], report: Callable[[str], None]
) -> None:
    report(_date_range(slices))
    if upgraded := plan.days_of_other_versions(silver, slices):
        report(f"{len(upgraded)} of these days were built by another version of Lagoon, and are rebuilt")
    if changed := plan.days_of_other_settings(silver, slices, settings):
        report(f"{len(changed)} of these days were built with other settings, and are rebuilt")


def _date_range(slices: Slices) -> str:
    days = sorted({day for _, day in slices.pairs()})
    return str(days[0]) if len(days) == 1 else f"{days[0]} to {days[-1]}"


def _record(job: SilverJob, entries: Sequence[Entry], results: Sequence[gate.RuleResult]) -> None:
    """The rule results first, the ledger last: what is not in the ledger is built again."""
    write_rule_results(job.lake, job.run, results)
    ledger.write(job.lake, job.run, entries)
