"""Prints the findings of some event days: what happened, the evidence, the cost and the remedy."""

import datetime as dt
from collections.abc import Sequence, Set
from itertools import islice
from typing import Any

from rich.console import Console

from spark_jobs.printing import print_command, print_line
from spark_jobs.progress import Progress, counted
from spark_jobs.report.lake_reader import ClusterDay, LakeReader, in_pairs
from spark_jobs.visible_text import shell_quoted

_MOST_PRINTED = 12
_MOST_SUBJECTS = 4
_INDENT = 5
_MARKS = {"critical": ("●", "bold red"), "warning": ("●", "yellow"), "info": ("○", "cyan")}

# Few columns, so that their tables fit a terminal of 80 columns.
_QUERIES = (
    (
        "select group_id, state, members, rebalances, findings, score from gold.group_health "
        "where day = date'{day}' order by score",
        "Each group with its score",
    ),
    (
        "select source, sum(records) as records, sum(understood) as understood, sum(rejected) as rejected "
        "from gold.coverage where day = date'{day}' group by source",
        "How much of each source was understood",
    ),
    (
        "select day, table_name, rules, count(*) as rejected from quality.rejected_rows where replayed_at is null group by all",
        "Rows in quarantine, by the rules that rejected them",
    ),
)


def print_findings(
    reader: LakeReader, days: Set[ClusterDay] | None, progress: Progress, *, lake_option: str = ""
) -> None:
    """Prints the findings of these event days, or of the newest day of each cluster if `days` is None."""
    groups = group_counts(reader, days)
    if not groups:
        progress.say("There are no consumer groups on these days.")
        return
    findings = findings_of(reader, groups)
    trust = trust_in(reader, groups)
    for pair, number in sorted(groups.items()):
        of_day = [row for row in findings if (row.cluster, row.day) == pair]
        _print_day(pair, number, trust.get(pair), of_day, progress)
    _print_queries(max(day for _, day in groups), progress.output, lake_option)


def group_counts(reader: LakeReader, days: Set[ClusterDay] | None) -> dict[ClusterDay, int]:
    """The number of groups of these event days, or of the newest day of each cluster."""
    reader.require_gold("gold.findings", "gold.group_health", "gold.day_trust")
    if days is None:
        newest = reader.rows("select cluster, max(day) as day from gold.group_health group by cluster")
        days = {(row.cluster, row.day) for row in newest}
    condition, parameters = in_pairs(days)
    rows = reader.rows(
        f"select cluster, day, count(*) as groups from gold.group_health where {condition} group by cluster, day",
        **parameters,
    )
    return {(row.cluster, row.day): row.groups for row in rows}


def findings_of(reader: LakeReader, days: Set[ClusterDay] | dict[ClusterDay, int]) -> list[Any]:
    """The findings of these days by rank, with all their columns."""
    condition, parameters = in_pairs(days)
    return reader.rows(f"select * from gold.findings where {condition} order by day desc, cluster, rank", **parameters)


def trust_in(reader: LakeReader, days: Set[ClusterDay] | dict[ClusterDay, int]) -> dict[ClusterDay, str]:
    """Whether the numbers of each day can be trusted, in one sentence."""
    condition, parameters = in_pairs(days)
    rows = reader.rows(f"select cluster, day, sentence from gold.day_trust where {condition}", **parameters)
    return {(row.cluster, row.day): row.sentence for row in rows}


def _print_day(pair: ClusterDay, groups: int, trust: str | None, findings: Sequence[Any], progress: Progress) -> None:
    cluster, day = pair
    counts = ", ".join(
        f"{number} {severity}" for severity in _MARKS if (number := sum(row.severity == severity for row in findings))
    )
    output = progress.output
    output.print()
    print_line(output, (f"{day}  {cluster}", "bold"), f"   {counted(groups, 'group')}, {counts or 'no findings'}")
    if trust:
        print_line(output, (trust, "dim"), indent=3)
    # Of each group one entry per kind of finding, in the order of the worst one.
    entries: dict[tuple[str, str], list[Any]] = {}
    for row in findings:
        entries.setdefault((row.kind, row.group_id), []).append(row)
    printed = list(islice(entries.values(), _MOST_PRINTED))
    by_advice: dict[tuple[str, str], list[list[Any]]] = {}
    for rows in printed:
        by_advice.setdefault((rows[0].severity, rows[0].recommendation), []).append(rows)
    for (_, recommendation), of_advice in by_advice.items():
        for rows in of_advice:
            _print_entry(rows, output)
        print_line(output, recommendation, margin=("     →",), indent=7)
    not_printed = len(findings) - sum(map(len, printed))
    if not_printed:
        print_line(output, f"… and {counted(not_printed, 'more finding')}: see gold.findings", indent=3)


def _print_entry(rows: Sequence[Any], output: Console) -> None:
    """What happened and what it cost, and of a critical finding the evidence. Of others of its kind only the subjects."""
    first = rows[0]
    before, group, after = first.title.partition(first.group_id) if first.group_id else (first.title, "", "")
    named = (before, (group, "bold"), after) if group else ((first.group_id or "", "bold"), "  ", before)
    mark, style = _MARKS[first.severity]
    print_line(output, *(named if first.group_id else (before,)), margin=(" ", (mark, style)), indent=3)
    evidence = first.evidence if first.severity == "critical" else None
    details = ". ".join(text.rstrip(".") for text in (evidence, first.cost) if text)
    for text in (details, _subjects(rows[1:])):
        if text:
            print_line(output, (text, "dim"), indent=_INDENT)


def _subjects(rows: Sequence[Any]) -> str:
    """`Also orders-1, orders-2 and 3 more`"""
    if not rows:
        return ""
    named = ", ".join(row.subject for row in rows[:_MOST_SUBJECTS])
    return f"Also {named}" + (f" and {len(rows) - _MOST_SUBJECTS:,} more" if len(rows) > _MOST_SUBJECTS else "")


def _print_queries(day: dt.date, output: Console, lake_option: str) -> None:
    output.print()
    print_line(output, "Where to look next:")
    print_line(output, ("The same and more in a browser", "dim"), indent=2)
    print_command(output, f"lagoon dashboard{lake_option}", indent=4)
    for query, answer in _QUERIES:
        print_line(output, (answer, "dim"), indent=2)
        print_command(output, f"lagoon sql {shell_quoted(query.format(day=day))}{lake_option}", indent=4)
