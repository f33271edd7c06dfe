"""Trouble of deliveries and runs, from the ledger: halted, failed, missing or much smaller than usual."""

import datetime as dt
import statistics
from collections.abc import Iterator, Set
from typing import Any

from spark_jobs.alerts.alert import Trouble
from spark_jobs.report.lake_reader import ClusterDay, LakeReader
from spark_jobs.report.rule_verdicts import newest_results

DELIVERY_HALTED, GOLD_TEST_FAILED, NO_DELIVERY, RUN_FAILED = (
    "delivery_halted",
    "gold_test_failed",
    "no_delivery",
    "run_failed",
)
# They exist or not, whatever the event day.
LASTING_KINDS = frozenset((DELIVERY_HALTED, GOLD_TEST_FAILED, NO_DELIVERY))
# The table of the ledger's entries about whole deliveries.
_DELIVERY = "delivery"
# A cluster is missed if it delivered nothing for so many days, and until it is taken for gone.
_MISSED_AFTER, _GONE_AFTER = 2, 30
# A delivery has dropped if it has less than this share of the median of so many deliveries before it.
_DROPPED_SHARE, _DELIVERIES_BEFORE, _FEWEST_BEFORE = 0.2, 7, 3


def newest_deliveries(reader: LakeReader) -> dict[str, dt.date]:
    """The newest day of delivery of each cluster."""
    if not reader.has("quality.runs"):
        return {}
    rows = reader.rows("select cluster, max(day) as day from quality.runs where layer = 'bronze' group by cluster")
    return {row.cluster: row.day for row in rows}


def lasting_troubles(reader: LakeReader, newest: dict[str, dt.date]) -> Iterator[Trouble]:
    """All that exist now, of any day."""
    if not reader.has("quality.runs"):
        return
    entries: dict[tuple[str, str, dt.date, str], Any] = {}
    for row in reader.rows(
        "select cluster, layer, day, table_name, outcome from quality.runs where layer in ('silver', 'gold')"
        " order by ended_at, run_id"
    ):
        entries[row.cluster, row.layer, row.day, row.table_name] = row
    for entry in entries.values():
        if entry.table_name == _DELIVERY and entry.outcome == "halted":
            yield _halted(reader, entry)
        elif entry.layer == "gold" and entry.outcome == "failed":
            yield _failed_test(entry)
    yield from _missing_deliveries(newest)


def broken_rules(reader: LakeReader, days: Set[ClusterDay]) -> Iterator[Trouble]:
    for row in newest_results(reader, days):
        if not row.passed:
            yield Trouble(
                kind="rule_broken",
                severity="info" if row.action == "warn" else "warning",
                cluster=row.cluster,
                group_id="",
                day=row.day,
                title=f"{row.broken:,} of {row.checked:,} rows of {row.table_name} break {row.rule}",
                cost=f"{row.broken:,} rows, of which each {row.action}s",
                cost_rank=row.broken,
                recommendation=f"`lagoon rules show {row.rule}` explains it",
                about=f"{row.table_name} {row.rule}",
            )


def dropped_volumes(reader: LakeReader, newest: dict[str, dt.date]) -> Iterator[Trouble]:
    """Sources of the newest delivery of a cluster that brought far fewer records than before."""
    if not reader.has("bronze.files"):
        return
    by_source: dict[tuple[str, str], dict[dt.date, int]] = {}
    for row in reader.rows(
        "select cluster, source, delivered_on, sum(records) as delivered from bronze.files"
        " group by cluster, source, delivered_on order by delivered_on"
    ):
        by_source.setdefault((row.cluster, row.source), {})[row.delivered_on] = row.delivered
    for (cluster, source), volumes in by_source.items():
        day = newest.get(cluster)
        before = [records for other, records in volumes.items() if day and other < day][-_DELIVERIES_BEFORE:]
        if day is None or len(before) < _FEWEST_BEFORE:
            continue
        usual, now = statistics.median(before), volumes.get(day, 0)
        if now < _DROPPED_SHARE * usual:
            yield Trouble(
                kind="volume_dropped",
                severity="warning",
                cluster=cluster,
                group_id="",
                day=day,
                title=f"{cluster} delivered {now:,} records of {source} on {day}; usual are {usual:,.0f}",
                evidence=f"The median of the {len(before)} deliveries before",
                recommendation="Look at what copies these files into landing, and at what writes them",
                about=source,
            )


def failed_run(task: str, day: dt.date, problem: str) -> Trouble:
    remedy = "Do what the message says, then run it again: no table is half-written"
    return _run_failed(task, day, f"lagoon {task} failed on {day}", problem, remedy)


def late_run(name: str, day: dt.date) -> Trouble:
    evidence = "It was not over by its deadline, whether or not one of its tasks has started"
    remedy = "Look in the scheduler what the run waits for: a free slot, a task that hangs, another run"
    return _run_failed(name, day, f"The run {name} is late on {day}", evidence, remedy)


def _run_failed(about: str, day: dt.date, title: str, evidence: str, recommendation: str) -> Trouble:
    return Trouble(
        kind=RUN_FAILED,
        severity="critical",
        cluster="",
        group_id="",
        day=day,
        title=title,
        evidence=evidence,
        cost="The lake has nothing of what was delivered since; all numbers are as old as the last run",
        recommendation=recommendation,
        about=about,
    )


def _halted(reader: LakeReader, entry: Any) -> Trouble:
    broken = (
        reader.rows(
            "select distinct rule from quality.rule_results where cluster = :cluster and day = :day"
            " and action = 'halt' and not passed order by rule",
            cluster=entry.cluster,
            day=entry.day,
        )
        if reader.has("quality.rule_results")
        else []
    )
    return Trouble(
        kind=DELIVERY_HALTED,
        severity="critical",
        cluster=entry.cluster,
        group_id="",
        day=entry.day,
        title=f"The delivery of {entry.day} for {entry.cluster} is halted",
        evidence=f"It breaks {', '.join(row.rule for row in broken)}" if broken else "",
        cost="Nothing of it is in silver and gold; what was published before stays",
        recommendation="Look at quality.rule_results and quality.rejected_rows, deliver corrected files, then run again",
        about=str(entry.day),
    )


def _failed_test(entry: Any) -> Trouble:
    return Trouble(
        kind=GOLD_TEST_FAILED,
        severity="critical",
        cluster=entry.cluster,
        group_id="",
        day=entry.day,
        title=f"A test of gold failed for {entry.day} of {entry.cluster}",
        cost="Numbers of that day may be wrong",
        recommendation=f"Run `lagoon gold --day {entry.day}`: it names the test and the condition that is broken",
        about=str(entry.day),
    )


def _missing_deliveries(newest: dict[str, dt.date]) -> Iterator[Trouble]:
    """Clusters that no longer deliver while others do."""
    last = max(newest.values(), default=None)
    for cluster, day in newest.items():
        if last is not None and _MISSED_AFTER <= (last - day).days <= _GONE_AFTER:
            yield Trouble(
                kind=NO_DELIVERY,
                severity="warning",
                cluster=cluster,
                group_id="",
                day=last,
                title=f"{cluster} has delivered nothing since {day}",
                evidence=f"Others delivered on {last}",
                cost="Nothing is known about its groups since then",
                recommendation="Look at what copies its files into landing",
                first_day=day,
            )
