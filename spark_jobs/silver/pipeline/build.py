"""Silver: which deliveries are taken, which days that changes, and which deliveries are left out because they lie."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

from pyspark.sql import Row

import schemas
from expectations import gate
from spark_jobs.bronze.files import READERS
from spark_jobs.lake import ledger
from spark_jobs.lake.ledger import Entry
from spark_jobs.lake.tables import Lake
from spark_jobs.settings import Settings
from spark_jobs.silver import log_offsets, unfinished
from spark_jobs.silver.pipeline import plan as days_of
from spark_jobs.silver.pipeline.block import Block, Making
from spark_jobs.silver.pipeline.plan import Ledger
from spark_jobs.silver.pipeline.slices import Slices, delivered

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


def make(making: Making, *, until: dt.date | None, force: Set[dt.date], told: Callable[[Slices], None]) -> Made:
    """Takes every delivery up to `until` that was not taken yet, and makes the event days that this changes.

    `force` are days of delivery whose event days are made whatever the ledger says.
    """
    lake = making.lake
    bronze, silver = ledger.newest(lake, "bronze"), dict(ledger.newest(lake, "silver"))
    verdicts = {(cluster, day): entry for (cluster, day, table), entry in silver.items() if table == DELIVERY}
    contents = _contents(bronze)
    usable = {pair for pair in contents if pair in verdicts or until is None or pair[1] <= until}
    new = {p for p in usable if p[1] in force or p not in verdicts or verdicts[p].made_from != contents[p]}
    lying = {p: "" for p in usable - new if verdicts[p].outcome == "halted"}
    forced = _event_days(bronze, {pair for pair in new if pair[1] in force}) | _finished(lake, bronze, new)
    made: list[Entry] = []
    found: list[gate.Result] = []
    started = ledger.now()

    missing = _missing_sources(making.settings, bronze, new)
    late = _judge_counts(making, [], [(cluster, day, None, None, len(of)) for (cluster, day), of in missing.items()])
    lying |= _lying(late)
    while True:
        inputs = days_of.inputs(bronze, usable - set(lying))
        # What such a delivery told before stands until it passes again.
        frozen = _event_days(bronze, {pair for pair in lying if pair in verdicts and _stood(verdicts[pair])})
        slices = days_of.next_to_make(inputs, silver, forced, frozen)
        if not slices.days:
            break
        told(slices)
        block = Block(making, inputs, silver, slices)
        counted = block.judge()
        results = _judge_counts(making, block.slices_made(), _by_delivery(counted))
        bad = _lying(results)
        if any(result.broken and result.rule.name == "nothing_went_missing" for result in results):
            # A day that lost rows can't tell which delivery lost them: all that are new are left out.
            bad |= dict.fromkeys(new - set(lying), "rows went missing between reading and writing")
        if not bad:
            entries = block.write()
            silver |= {(entry.cluster, entry.day, entry.table_name): entry for entry in entries}
            forced -= set(slices.pairs())
            made += entries
        lying |= bad
        results += block.results
        block.release()
        _keep(making, [] if bad else entries, results)
        found += results
    _keep(making, [_verdict(pair, contents[pair], lying, verdicts.get(pair), started) for pair in sorted(new)], late)
    halted = [Halted(*pair, problem or "as before") for pair, problem in sorted(lying.items())]
    return Made(tuple(made), tuple(found + late), tuple(halted))


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
    brought: dict[str, set[dt.date]] = {}
    for (cluster, delivered_on, _), entry in bronze.items():
        if (cluster, delivered_on) in new and any(tell.kind in days_of.FINISHING_KINDS for tell in entry.tells):
            brought.setdefault(cluster, set()).add(delivered_on)
    if not lake.may_hold("silver.unfinished", ((cluster,) for cluster in brought)):
        return set()
    waiting = lake.read("silver.unfinished")
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


def _by_delivery(counted: Sequence[Row]) -> list[tuple[str, dt.date, int, int, None]]:
    sums: dict[Pair, tuple[int, int]] = {}
    for row in counted:
        accepted, rejected = sums.get((row.cluster, row.delivered_on), (0, 0))
        sums[row.cluster, row.delivered_on] = accepted + row.accepted, rejected + row.rejected
    return [(*pair, *of, None) for pair, of in sorted(sums.items())]


def _judge_counts(
    making: Making,
    slices: Sequence[tuple[object, ...]],
    deliveries: Sequence[tuple[str, dt.date, int | None, int | None, int | None]],
) -> list[gate.Result]:
    """Rules on counts are judged as rules on rows are: a slice made is a row, and so is a delivery."""
    share = making.settings.share("gate.max_rejected_share")
    rows = [(*of, None, None) for of in slices] + [
        (cluster, day, "delivery", None, accepted, rejected, None, missing, share)
        for cluster, day, accepted, rejected, missing in deliveries
    ]
    if not rows:
        return []
    frame = making.lake.spark.createDataFrame(
        rows,
        "cluster string, day date, table_name string, offered bigint, accepted bigint, rejected bigint,"
        "duplicate bigint, missing_sources int, max_rejected_share double",
    ).coalesce(1)
    rules = gate.rules_for("delivery", making.settings.rule_actions, on="offered")
    judged = gate.judged(frame, rules)
    counted = judged.groupBy("cluster", "day").agg(*gate.counts(rules)).collect()
    verdicts = making.judge.verdicts("deliveries", judged, rules)
    return gate.results("delivery", rules, sorted({(row.cluster, row.day) for row in counted}), counted, verdicts)


def _lying(results: Sequence[gate.Result]) -> dict[Pair, str]:
    """Deliveries that a rule halts, and why."""
    return {
        (result.cluster, result.day): f"it is broken that {result.rule.because}"
        for result in results
        if result.broken and result.rule.action == "halt" and result.rule.name != "nothing_went_missing"
    }


def _stood(verdict: Entry) -> bool:
    """Whether a delivery, halted now or not, was taken before and so stands in the tables."""
    return verdict.outcome == "done" or bool(verdict.leaves)


def _verdict(
    pair: Pair, content: int, lying: Set[Pair] | Mapping[Pair, str], before: Entry | None, started: dt.datetime
) -> Entry:
    halted = pair in lying
    return Entry(
        *(pair[0], "silver", pair[1], DELIVERY, started, ledger.now()),
        outcome="halted" if halted else "done",
        made_from=content,
        leaves=int(halted and before is not None and _stood(before)),
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
        names = schemas.table("quality.rule_results").column_names
        making.lake.append("quality.rule_results", [dict(zip(names, row, strict=True)) for row in rows])
    ledger.write(making.lake, making.run, entries)
