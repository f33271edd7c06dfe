"""Prints the story of one group's day: what happened, the row that is the evidence, and what to change."""

import datetime as dt
import difflib
from collections.abc import Sequence
from typing import Any

from rich.console import Console

from spark_jobs.errors import UsageError
from spark_jobs.printing import print_line
from spark_jobs.progress import counted
from spark_jobs.report.lake_reader import LakeReader, in_pairs

_INDENT = 15
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


def print_story(reader: LakeReader, group: str, day: dt.date | None, cluster: str | None, output: Console) -> None:
    """Prints the day, or the newest day of the group, for each cluster with a group of this name."""
    reader.require_gold("gold.group_story", "gold.group_health")
    chosen = _chosen_days(reader, group, day, cluster)
    condition, parameters = in_pairs(chosen)
    of_group = f"where group_id = :group_id and {condition}"
    states = {
        row.cluster: row
        for row in reader.rows(f"select * from gold.group_health {of_group}", group_id=group, **parameters)
    }
    rows = reader.rows(
        f"select * from gold.group_story {of_group} order by happened_at nulls last, turn, sentence",
        group_id=group,
        **parameters,
    )
    for of_cluster, _ in chosen:
        _print_day(states[of_cluster], [row for row in rows if row.cluster == of_cluster], output)


def _chosen_days(reader: LakeReader, group: str, day: dt.date | None, cluster: str | None) -> list[tuple[str, dt.date]]:
    rows = reader.rows("select cluster, day from gold.group_health where group_id = :group_id", group_id=group)
    known = [(row.cluster, row.day) for row in rows]
    if not known:
        names = [row.group_id for row in reader.rows("select distinct group_id from gold.group_health")]
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


def _print_day(state: Any, story: Sequence[Any], output: Console) -> None:
    members = counted(state.members, "member") if state.members is not None else None
    known = ", ".join(str(value) for value in (state.group_type, state.state, members) if value is not None)
    output.print()
    print_line(
        output,
        (f"{state.day}  {state.cluster}  {state.group_id}", "bold"),
        f"   at the end of the day: {known or 'no source reports its state'}; score {state.score:.0f} of 100",
    )
    output.print()
    events = [row for row in story if row.kind != "advice"]
    for row in events:
        time = f"{row.happened_at:%H:%M:%S}.{row.happened_at.microsecond // 1000:03}" if row.happened_at else "no time"
        margin = (f"{time:12} ", _MARKS.get(row.kind, _OTHER_MARK))
        print_line(output, row.sentence, margin=margin, indent=_INDENT)
        print_line(output, (f"{row.evidence}  ({', '.join(row.sources)})", "dim"), indent=_INDENT)
    if not events:
        print_line(output, "No events are known of the group on that day, except commits.")
    output.print()
    advice = [row for row in story if row.kind == "advice"]
    print_line(output, ("What to change", "bold") if advice else "No change is recommended.")
    for row in advice:
        print_line(output, row.sentence, margin=(" →",), indent=3)
        print_line(output, (row.evidence, "dim"), indent=3)
