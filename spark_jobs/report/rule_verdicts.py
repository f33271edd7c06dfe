"""What the rules found on some days, at the end of a report."""

import datetime as dt
from collections.abc import Set
from typing import Any

from spark_jobs.printing import print_line
from spark_jobs.progress import Progress, counted
from spark_jobs.report.lake_reader import ClusterDay, LakeReader, in_pairs

_MOST_PRINTED = 8
# What becomes of a row that breaks a rule, worst first.
_OUTCOMES = {"halt": "the delivery is halted", "reject": "rejected", "warn": "kept"}


def newest_results(reader: LakeReader, days: Set[ClusterDay]) -> list[Any]:
    """The result of each rule, table and day, from the run that judged it last."""
    if not (days and reader.has("quality.rule_results")):
        return []
    condition, parameters = in_pairs(days)
    newest: dict[tuple[str, dt.date, str, str], Any] = {}
    for row in reader.rows(
        "select cluster, day, table_name, rule, action, checked, broken, passed from quality.rule_results"
        f" where {condition} order by run_id",
        **parameters,
    ):
        newest[row.cluster, row.day, row.table_name, row.rule] = row
    return list(newest.values())


def print_rules(reader: LakeReader, days: Set[ClusterDay], progress: Progress) -> None:
    """Prints how many rules judged rows of these days, and the rules that rows break."""
    judged = [row for row in newest_results(reader, days) if row.checked]
    if not judged:
        return
    rules, broken = {row.rule for row in judged}, [row for row in judged if not row.passed]
    found = f"rows break {len({row.rule for row in broken}):,} of them" if broken else "no row breaks one"
    progress.say(f"{counted(len(rules), 'rule')} judged these days; {found}.")
    broken.sort(key=lambda row: (list(_OUTCOMES).index(row.action), -row.broken, row.rule, row.day, row.cluster))
    for row in broken[:_MOST_PRINTED]:
        breaks = f"{row.broken:,} of {row.checked:,} rows of {row.table_name}: {_OUTCOMES[row.action]}"
        print_line(progress.output, (row.rule, "bold"), f"  {row.day} {row.cluster}, {breaks}", indent=2)
    if len(broken) > _MOST_PRINTED:
        print_line(progress.output, f"… and {len(broken) - _MOST_PRINTED:,} more: see quality.rule_results", indent=2)
