"""Judges the rows in quarantine again by today's rules, and moves those that now pass.

A day is rebuilt as a whole: it is a function of its inputs and of the rules, whichever of its rows somebody asks about. So a
replay that is repeated, or killed and repeated, ends in the same tables.
"""

import datetime as dt
from collections.abc import Sequence
from typing import NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from rich.console import Console

from spark_jobs.job import Job
from spark_jobs.lake import ledger
from spark_jobs.lake.kept_days import closed_to_silver, read_kept_days
from spark_jobs.lake.ledger import ClusterDay
from spark_jobs.lake.tables import Lake
from spark_jobs.printing import print_line
from spark_jobs.progress import counted
from spark_jobs.settings import Settings
from spark_jobs.silver.inputs.bronze_kinds import LAG_KINDS
from spark_jobs.silver.inputs.slices import Slices
from spark_jobs.silver.pipeline.open_inputs import open_built_days
from spark_jobs.silver.pipeline.registry import silver_tables
from spark_jobs.silver.pipeline.rejected_rows import REJECTED_ROWS, accepted_rows, known_rows, rejected_rows

_ACCEPTED, _REJECTED, _GONE = "accepted", "rejected", "gone"


class Replayed(NamedTuple):
    """What became of the rows of one table that were rejected by the same rules."""

    cluster: str
    table_name: str
    rules_before: tuple[str, ...]
    # accepted, rejected or gone: its file was delivered again without it.
    outcome: str
    # The rules that reject them now.
    rules: tuple[str, ...]
    rows: int


def days_in_quarantine(lake: Lake, day: dt.date, rule: str | None, output: Console) -> list[ClusterDay]:
    """The clusters that have rows of the event day in quarantine. Says so if there are none."""
    rows = lake.read(REJECTED_ROWS).where((F.col("day") == F.lit(day)) & F.col("replayed_at").isNull())
    if rule is not None:
        rows = rows.where(F.array_contains("rules", rule))
    in_quarantine = sorted((row.cluster, row.day) for row in rows.select("cluster", "day").distinct().collect())
    closed = closed_to_silver(read_kept_days(lake), ledger.newest(lake, "bronze"), LAG_KINDS)
    found = [pair for pair in in_quarantine if pair not in closed]
    if in_quarantine and not found:
        print_line(output, f"{day} is not built again: `lagoon upkeep` deleted what it was built from.")
        return found
    if not found:
        print_line(output, f"No rows of {day} are in quarantine{f' because of {rule}' if rule else ''}.")
    return found


def judge_again(lake: Lake, settings: Settings, days: Sequence[ClusterDay], rule: str | None) -> list[Replayed]:
    """What a replay of the days would do. Writes nothing."""
    slices = Slices({cluster: [day] for cluster, day in days})
    with open_built_days(lake, settings, slices) as inputs:
        known = _asked_for(known_rows(inputs), rule).localCheckpoint()
        names = [row.table_name for row in known.select("table_name").distinct().collect()]
        rejected = rejected_rows(inputs, [silver_tables()[name] for name in names]).localCheckpoint()
        accepted = accepted_rows(inputs, known, rejected)
        key = ("cluster", "day", "table_name", "source_file", "source_position", "row_key")
        judged = known.withColumnRenamed("rules", "rules_before").join(rejected.select(*key, "rules"), [*key], "left")
        passes = F.lit(False)
        if accepted is not None:
            judged = judged.join(accepted.select(*key, F.lit(True).alias("passes")), [*key], "left")
            passes = F.coalesce("passes", F.lit(False))
        outcome = F.when(F.col("rules").isNotNull(), _REJECTED).when(passes, _ACCEPTED).otherwise(_GONE)
        return _counted(judged.withColumn("outcome", outcome))


def replay(job: Job, days: Sequence[ClusterDay], rule: str | None) -> list[Replayed]:
    """Rebuilds silver and gold of the days. Returns what became of the rows in quarantine."""
    from spark_jobs import run as steps

    replayed = judge_again(job.lake, job.settings, days, rule)
    steps.rebuild_event_days(job, frozenset(days))
    return replayed


def _asked_for(rows: DataFrame, rule: str | None) -> DataFrame:
    rows = rows.where("replayed_at is null")
    return rows if rule is None else rows.where(F.array_contains("rules", rule))


def _counted(judged: DataFrame) -> list[Replayed]:
    sorted_rules = (
        F.array_sort("rules_before").alias("rules_before"),
        F.array_sort(F.coalesce("rules", F.array())).alias("rules"),
    )
    rows = (
        judged.select("cluster", "table_name", "outcome", *sorted_rules)
        .groupBy("cluster", "table_name", "rules_before", "outcome", "rules")
        .count()
        .collect()
    )
    return sorted(
        Replayed(row.cluster, row.table_name, tuple(row.rules_before), row.outcome, tuple(row.rules), row["count"])
        for row in rows
    )


def print_replayed(replayed: Sequence[Replayed], output: Console, *, dry_run: bool) -> None:
    """One line for all rows with the same fate, and a sum."""
    fates = {
        _ACCEPTED: "accepted now",
        _REJECTED: "still rejected, by",
        _GONE: "gone: their file was delivered again without them",
    }
    for group in replayed:
        print_line(
            output,
            f"{group.cluster} {group.table_name}: {counted(group.rows, 'row')} rejected by {', '.join(group.rules_before)}:"
            f" {' '.join([fates[group.outcome], ', '.join(group.rules)]).rstrip()}",
        )
    accepted = sum(group.rows for group in replayed if group.outcome == _ACCEPTED)
    total = sum(group.rows for group in replayed)
    print_line(output, f"{accepted:,} of {counted(total, 'row')} {'would be' if dry_run else 'were'} accepted.")
