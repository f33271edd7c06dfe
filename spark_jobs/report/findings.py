"""The findings of some days in plain words: what, how it is known, what it costs, what to do."""

import datetime as dt
from collections.abc import Sequence, Set

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from rich.padding import Padding
from rich.text import Text

from spark_jobs.errors import UserError
from spark_jobs.lake.sql_literals import in_cluster_days
from spark_jobs.lake.tables import Lake
from spark_jobs.progress import Progress

# (cluster, event day)
Pair = tuple[str, dt.date]

_SHOWN = 12
_MARKS = {"critical": ("●", "bold red"), "warning": ("●", "yellow"), "info": ("○", "cyan")}


def show(lake: Lake, days: Set[Pair] | None, progress: Progress, *, asked_with: str = "") -> None:
    """Prints the findings of these event days, or of the newest day of every cluster."""
    if "findings" not in {row.tableName for row in lake.spark.sql("show tables in gold").collect()}:
        raise UserError("gold has not been made yet", "Run `lagoon gold`, or `lagoon run` for all of it")
    health = _of(lake.read("gold.group_health"), days)
    rows = health.groupBy("cluster", "day").agg(
        F.count("*").alias("groups"), F.sum("topics").alias("topics"), F.sum("redelivered").alias("redelivered")
    )
    told = {(row.cluster, row.day): row for row in rows.collect()}
    if not told:
        progress.say("No group has told anything of these days.")
        return
    found = _of(lake.read("gold.findings"), set(told)).orderBy("rank").collect()
    for pair, summary in sorted(told.items()):
        _show_day(pair, summary, [row for row in found if (row.cluster, row.day) == pair], progress)
    _show_where_next(max(day for _, day in told), progress, asked_with)


def _of(table: DataFrame, days: Set[Pair] | None) -> DataFrame:
    if days is None:
        newest = table.groupBy("cluster").agg(F.max("day").alias("day"))
        return table.join(F.broadcast(newest), ["cluster", "day"], "left_semi")
    return table.where(in_cluster_days(days))


def _show_day(pair: Pair, summary: Row, found: Sequence[Row], progress: Progress) -> None:
    cluster, day = pair
    counts = ", ".join(
        f"{number} {severity}" for severity in _MARKS if (number := sum(row.severity == severity for row in found))
    )
    progress.answer.print()
    progress.answer.print(
        Text.assemble((f"{day}  {cluster}", "bold"), f"   {summary.groups} groups, {counts or 'no findings'}")
    )
    for row in found[:_SHOWN]:
        mark, style = _MARKS[row.severity]
        title = Text(row.title if row.group_id in row.title else f"{row.group_id}  {row.title}")
        if row.group_id:
            title.highlight_words([row.group_id], "bold")
        progress.answer.print(Text.assemble((f" {mark} ", style), title))
        for line in (row.evidence, row.cost, f"→ {row.recommendation}. Expected: {row.expected_effect}"):
            if line:
                progress.answer.print(
                    Padding(Text(line, style="" if line.startswith("→") else "dim"), (0, 0, 0, 5), expand=False)
                )
    if len(found) > _SHOWN:
        progress.answer.print(f"   … and {len(found) - _SHOWN} more: see gold.findings")


def _show_where_next(day: dt.date, progress: Progress, asked_with: str) -> None:
    progress.answer.print()
    progress.answer.print("Where to look next:")
    for question, what in (
        (f"select * from gold.group_health where day = date'{day}' order by score", "every group with its score"),
        (f"select * from gold.coverage where day = date'{day}'", "how much of each source was understood"),
        ("select * from quality.rejected_rows", "what lies in quarantine, and why"),
    ):
        progress.answer.print(
            Text.assemble(("  lagoon sql ", "bold"), f'"{question}"{asked_with}', (f"   {what}", "dim")), soft_wrap=True
        )
