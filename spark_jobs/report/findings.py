"""Prints the findings of some event days: what happened, the evidence, the cost and the remedy."""

import datetime as dt
from collections.abc import Sequence, Set

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from rich.padding import Padding
from rich.text import Text

from spark_jobs.errors import UserError
from spark_jobs.lake.ledger import ClusterDay
from spark_jobs.lake.sql_literals import in_cluster_days
from spark_jobs.lake.tables import Lake
from spark_jobs.progress import Progress

_MOST_PRINTED = 12
_MARKS = {"critical": ("●", "bold red"), "warning": ("●", "yellow"), "info": ("○", "cyan")}


def print_findings(lake: Lake, days: Set[ClusterDay] | None, progress: Progress, *, lake_option: str = "") -> None:
    """Prints the findings of these event days, or of the newest day of each cluster if `days` is None."""
    if "findings" not in {row.tableName for row in lake.spark.sql("show tables in gold").collect()}:
        raise UserError("gold has not been built yet", "Run `lagoon gold`, or `lagoon run` for all layers")
    health = _of_days(lake.read("gold.group_health"), days)
    summaries = health.groupBy("cluster", "day").agg(F.count("*").alias("groups"))
    groups = {(row.cluster, row.day): row.groups for row in summaries.collect()}
    if not groups:
        progress.say("There are no consumer groups on these days.")
        return
    findings = _of_days(lake.read("gold.findings"), set(groups)).orderBy("rank").collect()
    for pair, number in sorted(groups.items()):
        _print_day(pair, number, [row for row in findings if (row.cluster, row.day) == pair], progress)
    _print_queries(max(day for _, day in groups), progress, lake_option)


def _of_days(table: DataFrame, days: Set[ClusterDay] | None) -> DataFrame:
    if days is None:
        newest = table.groupBy("cluster").agg(F.max("day").alias("day"))
        return table.join(F.broadcast(newest), ["cluster", "day"], "left_semi")
    return table.where(in_cluster_days(days))


def _print_day(pair: ClusterDay, groups: int, findings: Sequence[Row], progress: Progress) -> None:
    cluster, day = pair
    counts = ", ".join(
        f"{number} {severity}" for severity in _MARKS if (number := sum(row.severity == severity for row in findings))
    )
    progress.output.print()
    progress.output.print(
        Text.assemble((f"{day}  {cluster}", "bold"), f"   {groups} groups, {counts or 'no findings'}")
    )
    for row in findings[:_MOST_PRINTED]:
        mark, style = _MARKS[row.severity]
        title = Text(row.title if row.group_id in row.title else f"{row.group_id}  {row.title}")
        if row.group_id:
            title.highlight_words([row.group_id], "bold")
        progress.output.print(Text.assemble((f" {mark} ", style), title))
        for line in (row.evidence, row.cost, f"→ {row.recommendation}. Expected: {row.expected_effect}"):
            if line:
                progress.output.print(
                    Padding(Text(line, style="" if line.startswith("→") else "dim"), (0, 0, 0, 5), expand=False)
                )
    if len(findings) > _MOST_PRINTED:
        progress.output.print(f"   … and {len(findings) - _MOST_PRINTED} more: see gold.findings")


def _print_queries(day: dt.date, progress: Progress, lake_option: str) -> None:
    progress.output.print()
    progress.output.print("Where to look next:")
    for query, answer in (
        (f"select * from gold.group_health where day = date'{day}' order by score", "each group with its score"),
        (f"select * from gold.coverage where day = date'{day}'", "how much of each source was understood"),
        ("select * from quality.rejected_rows", "the rows in quarantine and the rules that rejected them"),
    ):
        progress.output.print(
            Text.assemble(("  lagoon sql ", "bold"), f'"{query}"{lake_option}', (f"   {answer}", "dim")), soft_wrap=True
        )
