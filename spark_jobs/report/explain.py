"""Prints the story of one group's day: what happened, the row that is the evidence, and what to change."""

import datetime as dt
import difflib
from collections.abc import Sequence

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from rich.console import Console
from rich.text import Text

from spark_jobs.errors import UsageError, UserError
from spark_jobs.lake.sql_literals import in_cluster_days
from spark_jobs.lake.tables import Lake

_MARKS = {
    "member_joined": ("+", "green"),
    "member_went": ("-", "yellow"),
    "rebalance": ("↻", "cyan"),
    "regression": ("●", "yellow"),
    "commit_rejected": ("●", "bold red"),
    "position_out_of_range": ("●", "bold red"),
    "records_lost": ("●", "bold red"),
}
_OTHER_MARK = ("·", "dim")


def print_story(lake: Lake, group: str, day: dt.date | None, cluster: str | None, output: Console) -> None:
    """Prints the day, or the newest day of the group, for each cluster with a group of this name."""
    tables = {row.tableName for row in lake.spark.sql("show tables in gold").collect()}
    if not {"group_story", "group_health"} <= tables:
        raise UserError("gold has not been built yet", "Run `lagoon gold`, or `lagoon run` for all layers")
    health = lake.read("gold.group_health")
    chosen = _chosen_days(health, group, day, cluster)
    condition = (F.col("group_id") == group) & F.expr(in_cluster_days(chosen))
    states = {row.cluster: row for row in health.where(condition).collect()}
    story = lake.read("gold.group_story").where(condition)
    rows = story.orderBy(F.asc_nulls_last("happened_at"), "turn", "sentence").collect()
    for of_cluster, _ in chosen:
        _print_day(states[of_cluster], [row for row in rows if row.cluster == of_cluster], output)


def _chosen_days(health: DataFrame, group: str, day: dt.date | None, cluster: str | None) -> list[tuple[str, dt.date]]:
    rows = health.where(F.col("group_id") == group).select("cluster", "day").collect()
    known = [(row.cluster, row.day) for row in rows]
    if not known:
        names = [row.group_id for row in health.select("group_id").distinct().collect()]
        raise UsageError(f"gold knows no group {group!r}", _suggestion(group, names))
    clusters = sorted({name for name, _ in known})
    if cluster is not None and cluster not in clusters:
        raise UsageError(f"{cluster} has no group {group!r}", f"Name its cluster: {', '.join(clusters)}")
    known = [(name, known_day) for name, known_day in known if cluster in (None, name)]
    if day is None:
        return sorted(dict(sorted(known)).items())
    days = sorted({known_day for _, known_day in known})
    if day not in days:
        raise UsageError(
            f"gold has nothing of {group} on {day}",
            f"Name a day from {days[0]} to {days[-1]}" if len(days) > 1 else f"Use --day {days[0]}",
        )
    return sorted((name, known_day) for name, known_day in known if known_day == day)


def _suggestion(group: str, names: Sequence[str]) -> str:
    all_groups = '`lagoon sql "select distinct group_id from gold.group_health"` lists all groups'
    similar = difflib.get_close_matches(group, names, n=3, cutoff=0.4) or sorted(n for n in names if group in n)[:3]
    return f"Use {' or '.join(similar)}; {all_groups}" if similar else f"Name a group of the lake; {all_groups}"


def _print_day(state: Row, story: Sequence[Row], output: Console) -> None:
    members = f"{state.members} member{'' if state.members == 1 else 's'}" if state.members is not None else None
    known = ", ".join(str(value) for value in (state.group_type, state.state, members) if value is not None)
    output.print()
    output.print(
        Text.assemble(
            (f"{state.day}  {state.cluster}  {state.group_id}", "bold"),
            f"   at the end of the day: {known or 'no source reports its state'}; score {state.score:.0f} of 100",
        )
    )
    output.print()
    events = [row for row in story if row.kind != "advice"]
    for row in events:
        time = f"{row.happened_at:%H:%M:%S}.{row.happened_at.microsecond // 1000:03}" if row.happened_at else "no time"
        _print_wrapped(output, Text.assemble(f"{time:12} ", _MARKS.get(row.kind, _OTHER_MARK), " "), Text(row.sentence))
        _print_wrapped(output, Text(), Text(f"{row.evidence}  ({', '.join(row.sources)})", "dim"))
    if not events:
        output.print("No events are known of the group on that day, except commits.")
    output.print()
    advice = [row for row in story if row.kind == "advice"]
    output.print(Text("What to change", "bold") if advice else "No change is recommended.")
    for row in advice:
        _print_wrapped(output, Text(" → "), Text(row.sentence), indent=3)
        _print_wrapped(output, Text(), Text(row.evidence, "dim"), indent=3)


def _print_wrapped(output: Console, head: Text, text: Text, *, indent: int = 15) -> None:
    """Prints the head, and beside it the text, wrapped and indented."""
    for line in text.wrap(output, max(output.width - indent, 20)):
        head.align("left", indent)
        output.print(Text.assemble(head, line), highlight=False)
        head = Text()
