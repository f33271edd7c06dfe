"""Silver: which deliveries are taken, which days that changes, and which deliveries are left out because they lie."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

import schemas
from expectations import gate
from spark_jobs import ledger
from spark_jobs.bronze.files import READERS
from spark_jobs.lake import Lake
from spark_jobs.ledger import Entry
from spark_jobs.settings import Settings
from spark_jobs.silver import days as days_of
from spark_jobs.silver import log_offsets, unfinished
from spark_jobs.silver.block import Block, Making
from spark_jobs.silver.days import Ledger
from spark_jobs.silver.slices import Slices, delivered

# (cluster, day): an event day, or a day of delivery.
Pair = tuple[str, dt.date]

# The name under which the ledger keeps the verdict on a delivery.
DELIVERY = "delivery"


@dataclass(frozen=True)
class Halted:
    """A delivery that is left out until it passes."""

    cluster: str
    delivered_on: dt.date
    problem: str


@dataclass(frozen=True)
class Made:
    """What a call of silver came to."""

    entries: tuple[Entry, ...]
    results: tuple[gate.Result, ...]
    halted: tuple[Halted, ...]

    @property
    def days(self) -> list[Pair]:
        return sorted({(entry.cluster, entry.day) for entry in self.entries})


def make(
    making: Making, *, until: dt.date | None, force: Set[dt.date], told: Callable[[Slices], None]
) -> Made:
    """Takes every delivery up to `until` that was not taken yet, and makes the event days that this changes.

    `force` are days of delivery whose event days are made whatever the ledger says.
    """
    lake = making.lake
    bronze, silver = ledger.newest(lake, "bronze"), ledger.newest(lake, "silver")
    verdicts = {(cluster, day): entry for (cluster, day, table), entry in silver.items() if table == DELIVERY}
    contents = _contents(bronze)
    usable = {pair for pair in contents if pair in verdicts or until is None or pair[1] <= until}
    new = {p for p in usable if p[1] in force or p not in verdicts or verdicts[p].made_from != contents[p]}
    lying = {p: "" for p in usable - new if verdicts[p].outcome == "halted"}
    entries: list[Entry] = []
    results: list[gate.Result] = []
    started = ledger.now()

    missing = _missing_sources(making.settings, bronze, new)
    forced = _event_days(bronze, {pair for pair in new if pair[1] in force}) | _finished(lake, bronze, new)
    found, missing_results = _judge_deliveries(making, [(c, d, 0, 0, len(m)) for (c, d), m in missing.items()])
    lying |= {pair: f"nothing of {', '.join(missing[pair])} arrived" for pair in found}
    results += missing_results
    while (slices := days_of.next_to_make(days_of.inputs(bronze, usable - set(lying)), silver, forced)).days:
        told(slices)
        block = Block(making, days_of.inputs(bronze, usable - set(lying)), silver, slices)
        counted = block.judge()
        bad, delivery_results = _judge_deliveries(making, _by_delivery(counted))
        lost, slice_results = _judge_slices(making, block.slices_made())
        results += delivery_results + slice_results
        # A day that lost rows can't tell which delivery lost them: all that are new are left out.
        bad |= {pair: "rows went missing" for pair in new if lost and pair not in lying}
        if lost and not bad:
            raise AssertionError(f"rows went missing in {lost}")
        if not bad:
            made = block.write()
            silver |= {(entry.cluster, entry.day, entry.table_name): entry for entry in made}
            entries += made
            forced -= set(slices.pairs())
        lying |= bad
        results += block.results
        block.release()
        _keep(making, made if not bad else [], [*block.results, *delivery_results, *slice_results])
    _keep(making, [_verdict(pair, contents[pair], lying, started) for pair in sorted(new)], missing_results)
    halted = [Halted(*pair, problem) for pair, problem in sorted(lying.items()) if pair in new]
    return Made(tuple(entries), tuple(results), tuple(halted))


def _contents(bronze: Ledger) -> dict[Pair, int]:
    """A fingerprint of all that each delivery brought, over all its sources."""
    parts: dict[Pair, list[tuple[str, int | None]]] = {}
    for (cluster, delivered_on, table), entry in sorted(bronze.items()):
        parts.setdefault((cluster, delivered_on), []).append((table, entry.leaves))
    return {pair: ledger.fingerprint(of) for pair, of in parts.items()}


def _event_days(bronze: Ledger, deliveries: Set[Pair]) -> set[Pair]:
    return {
        (cluster, tell.day)
        for (cluster, delivered_on, _), entry in bronze.items()
        if (cluster, delivered_on) in deliveries
        for tell in entry.tells
    }


def _finished(lake: Lake, bronze: Ledger, new: Set[Pair]) -> set[Pair]:
    """Days that waited for something which these deliveries bring."""
    waiting = lake.read("silver.unfinished")
    if not new or waiting.isEmpty():
        return set()
    brought: dict[str, set[dt.date]] = {}
    for cluster, delivered_on in new:
        brought.setdefault(cluster, set()).add(delivered_on)
    markers = lake.read("bronze.offset_records").where(delivered(brought)).where("kind = 'marker'")
    readings = lake.read("bronze.lag_readings").where(delivered(brought))
    rows = unfinished.finished_days(waiting, markers, log_offsets.trusted_ends(readings)).collect()
    return {(row.cluster, row.day) for row in rows}


def _missing_sources(settings: Settings, bronze: Ledger, new: Set[Pair]) -> dict[Pair, list[str]]:
    """Sources that the settings expect of each new delivery and that brought nothing; clusters with none are not asked."""
    told = {pair for pair, entry in bronze.items() if entry.tells}
    return {
        (cluster, day): [s for s in expected if s in READERS and (cluster, day, READERS[s].table) not in told]
        for cluster, day in sorted(new)
        if (expected := settings.cluster(cluster).expected_sources)
    }


def _by_delivery(counted: Sequence[object]) -> list[tuple[str, dt.date, int, int, int]]:
    accepted: dict[Pair, list[int]] = {}
    for row in counted:
        sums = accepted.setdefault((row.cluster, row.delivered_on), [0, 0])  # type: ignore[attr-defined]
        sums[0] += row.accepted  # type: ignore[attr-defined]
        sums[1] += row.rejected  # type: ignore[attr-defined]
    return [(*pair, *sums, 0) for pair, sums in sorted(accepted.items())]  # type: ignore[list-item]


def _judge_deliveries(
    making: Making, deliveries: Sequence[tuple[str, dt.date, int, int, int]]
) -> tuple[dict[Pair, str], list[gate.Result]]:
    """Which deliveries (cluster, day, accepted, rejected, missing sources) lie, and why."""
    columns = "cluster string, day date, accepted bigint, rejected bigint, missing_sources int"
    share = making.settings.share("gate.max_rejected_share")
    results = _judge_counts(making, "delivery", columns, deliveries, {"max_rejected_share": share})
    lying = {(r.cluster, r.day): r.rule.because for r in results if r.broken and r.rule.action == "halt"}
    return lying, results


def _judge_slices(making: Making, slices: Sequence[tuple[object, ...]]) -> tuple[set[Pair], list[gate.Result]]:
    columns = "cluster string, day date, table_name string, offered bigint, accepted bigint, rejected bigint, duplicate bigint"
    results = _judge_counts(making, "slice", columns, slices, {})
    return {(r.cluster, r.day) for r in results if r.broken and r.rule.action == "halt"}, results


def _judge_counts(
    making: Making, name: str, columns: str, rows: Sequence[tuple[object, ...]], settings: Mapping[str, float]
) -> list[gate.Result]:
    """Rules on counts are judged as rules on rows are: a delivery or a slice is a row."""
    if not rows:
        return []
    from pyspark.sql import functions as F

    frame = making.lake.spark.createDataFrame(rows, columns)
    for setting, value in settings.items():
        frame = frame.withColumn(setting, F.lit(value))
    rules = gate.rules_for(name, making.settings.rule_actions, on="offered")
    judged = gate.judged(frame, rules)
    counted = judged.groupBy("cluster", "day").agg(*gate.counts(rules)).collect()
    verdicts = making.judge.verdicts(name, judged, rules)
    return gate.results(name, rules, sorted({(row.cluster, row.day) for row in counted}), counted, verdicts)


def _verdict(pair: Pair, content: int, lying: Mapping[Pair, str], started: dt.datetime) -> Entry:
    return Entry(
        *(pair[0], "silver", pair[1], DELIVERY, started, ledger.now()),
        outcome="halted" if pair in lying else "done",
        made_from=content,
    )


def _keep(making: Making, entries: Sequence[Entry], results: Sequence[gate.Result]) -> None:
    """The verdicts first, the ledger last: what is not in the ledger is made again."""
    if results:
        rows = [
            (
                *(making.run.run_id, result.cluster, result.day, result.table, result.rule.name, result.rule.action),
                *(result.checked, result.broken, result.broken == 0),
            )
            for result in results
        ]
        frame = making.lake.spark.createDataFrame(rows, schemas.table("quality.rule_results").ddl)
        making.lake.append("quality.rule_results", frame.coalesce(1))
    ledger.write(making.lake, making.run, entries)
