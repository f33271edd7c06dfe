"""The story of one group's day: what happened, where that stands, and what to change."""

import datetime as dt
import difflib
from collections.abc import Sequence

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from rich.console import Console
from rich.text import Text

from spark_jobs.errors import UsageError, UserError
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
_OTHER = ("·", "dim")


def show(lake: Lake, group: str, day: dt.date | None, cluster: str | None, answer: Console) -> None:
    """Prints the day, or the newest day of the group, in each cluster that has such a group."""
    tables = {row.tableName for row in lake.spark.sql("show tables in gold").collect()}
    if not {"group_story", "group_health"} <= tables:
        raise UserError("gold has not been made yet", "Run `lagoon gold`, or `lagoon run` for all of it")
    health = lake.read("gold.group_health")
    chosen = _chosen(health, group, day, cluster)
    where = " or ".join(f"(cluster = '{_quoted(of)}' and day = date'{one}')" for of, one in chosen)
    mine = (F.col("group_id") == group) & F.expr(where)
    states = {row.cluster: row for row in health.where(mine).collect()}
    story = (
        lake.read("gold.group_story").where(mine).orderBy(F.asc_nulls_last("happened_at"), "turn", "sentence").collect()
    )
    for of, _ in chosen:
        _show(states[of], [row for row in story if row.cluster == of], answer)


def _chosen(health: DataFrame, group: str, day: dt.date | None, cluster: str | None) -> list[tuple[str, dt.date]]:
    known = [
        (row.cluster, row.day) for row in health.where(F.col("group_id") == group).select("cluster", "day").collect()
    ]
    if not known:
        names = [row.group_id for row in health.select("group_id").distinct().collect()]
        raise UsageError(f"gold knows no group {group!r}", _nearest(group, names))
    clusters = sorted({of for of, _ in known})
    if cluster is not None and cluster not in clusters:
        raise UsageError(f"{cluster} has no group {group!r}", f"Name its cluster: {', '.join(clusters)}")
    known = [(of, one) for of, one in known if cluster in (None, of)]
    if day is None:
        return sorted(dict(sorted(known)).items())
    if not any(one == day for _, one in known):
        days = sorted({one for _, one in known})
        raise UsageError(
            f"gold has nothing of {group} on {day}",
            f"Name a day from {days[0]} to {days[-1]}" if len(days) > 1 else f"Use --day {days[0]}",
        )
    return sorted((of, one) for of, one in known if one == day)


def _nearest(group: str, names: Sequence[str]) -> str:
    listing = '`lagoon sql "select distinct group_id from gold.group_health"` lists all'
    near = difflib.get_close_matches(group, names, n=3, cutoff=0.4) or sorted(n for n in names if group in n)[:3]
    return f"Use {' or '.join(near)}; {listing}" if near else f"Name one that it knows; {listing}"


def _show(state: Row, story: Sequence[Row], answer: Console) -> None:
    members = f"{state.members} member{'' if state.members == 1 else 's'}" if state.members is not None else None
    told = ", ".join(str(word) for word in (state.group_type, state.state, members) if word is not None)
    answer.print()
    answer.print(
        Text.assemble(
            (f"{state.day}  {state.cluster}  {state.group_id}", "bold"),
            f"   at the end of the day: {told or 'no source tells its state'}; score {state.score:.0f} of 100",
        )
    )
    answer.print()
    happenings = [row for row in story if row.kind != "advice"]
    for row in happenings:
        time = (
            f"{row.happened_at:%H:%M:%S}.{row.happened_at.microsecond // 1000:03}" if row.happened_at else "some time"
        )
        _print(answer, Text.assemble(f"{time:12} ", _MARKS.get(row.kind, _OTHER), " "), Text(row.sentence))
        _print(answer, Text(), Text(f"{row.evidence}  ({', '.join(row.sources)})", "dim"))
    if not happenings:
        answer.print("Nothing but commits, if any, is told of it that day.")
    answer.print()
    advice = [row for row in story if row.kind == "advice"]
    answer.print(Text("What to change", "bold") if advice else "Nothing was found that should change.")
    for row in advice:
        _print(answer, Text(" → "), Text(row.sentence), indent=3)
        _print(answer, Text(), Text(row.evidence, "dim"), indent=3)


def _print(answer: Console, head: Text, told: Text, *, indent: int = 15) -> None:
    """Prints what is told beside its head, and the lines after the first below it."""
    for line in told.wrap(answer, max(answer.width - indent, 20)):
        head.align("left", indent)
        answer.print(Text.assemble(head, line), highlight=False)
        head = Text()


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")
