"""Reads and prints rejected rows: counted by rule, or whole."""

import datetime as dt
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from rich.console import Console

from expectations.rules import RULES
from spark_jobs.printing import print_line
from spark_jobs.report.lake_reader import LakeReader

_INDENT = 3


class RejectedChoice(NamedTuple):
    """Which rejected rows somebody asks for; None: all."""

    day: dt.date | None = None
    rule: str | None = None
    cluster: str | None = None

    def condition(self) -> tuple[str, dict[str, str | dt.date]]:
        """SQL and its parameters."""
        parts = ["true"]
        parameters: dict[str, str | dt.date] = {}
        if self.day is not None:
            parts.append("day = :day")
            parameters["day"] = self.day
        if self.rule is not None:
            parts.append("array_contains(rules, :rule)")
            parameters["rule"] = self.rule
        if self.cluster is not None:
            parts.append("cluster = :cluster")
            parameters["cluster"] = self.cluster
        return " and ".join(parts), parameters


class RejectedRow(NamedTuple):
    cluster: str
    day: dt.date
    table_name: str
    rules: Sequence[str]
    because: Sequence[str]
    remedy: Sequence[str]
    source_file: str
    source_position: int | None
    rejected_at: dt.datetime
    replayed_at: dt.datetime | None
    row: Any


COLUMNS = RejectedRow._fields
COUNT_COLUMNS = ("cluster", "day", "table_name", "rule", "rows", "replayed", "first_rejected_at", "last_rejected_at")


def count_rejected(reader: LakeReader, choice: RejectedChoice) -> tuple[Sequence[str], list[tuple[Any, ...]]]:
    """By rule: a row that breaks two counts under both. `rows` are those that are still in quarantine."""
    where, parameters = choice.condition()
    found = reader.rows(
        "select cluster, day, table_name, rules, count(*) as all_rows, count(replayed_at) as replayed,"
        " min(rejected_at) as first_at, max(rejected_at) as last_at"
        f" from quality.rejected_rows where {where} group by cluster, day, table_name, rules",
        **parameters,
    )
    counts: dict[tuple[Any, ...], list[Any]] = {}
    for row in found:
        for rule in row.rules:
            if choice.rule in (None, rule):
                of_rule = counts.setdefault((row.cluster, row.day, row.table_name, rule), [])
                of_rule.append((row.all_rows - row.replayed, row.replayed, row.first_at, row.last_at))
    return COUNT_COLUMNS, [(*key, *_summed(of_rule)) for key, of_rule in sorted(counts.items())]


def find_rejected(reader: LakeReader, choice: RejectedChoice, limit: int) -> list[RejectedRow]:
    where, parameters = choice.condition()
    found = reader.rows(
        "select cluster, day, table_name, rules, row_json, source_file, source_position, rejected_at, replayed_at"
        f" from quality.rejected_rows where {where}"
        f" order by day, cluster, table_name, source_file, source_position, row_json limit {int(limit)}",
        **parameters,
    )
    reasons = {rule.name: (rule.because, rule.remedy) for rule in RULES}
    unknown = ("its processing raised an error", "Report it with this row")
    return [
        RejectedRow(
            row.cluster,
            row.day,
            row.table_name,
            list(row.rules),
            [reasons.get(rule, unknown)[0] for rule in row.rules],
            [reasons.get(rule, unknown)[1] for rule in row.rules],
            row.source_file,
            row.source_position,
            row.rejected_at,
            row.replayed_at,
            json.loads(row.row_json),
        )
        for row in found
    ]


def print_rejected(rows: Iterable[RejectedRow], output: Console) -> None:
    """Each row as some lines: a table of whole rows would be wider than any terminal."""
    is_empty = True
    for row in rows:
        is_empty = False
        output.print()
        for line in _lines(row):
            print_line(output, line, indent=_INDENT)
    if is_empty:
        print_line(output, "No rows are in quarantine.")


def _lines(row: RejectedRow) -> Iterator[str]:
    place = row.source_file if row.source_position is None else f"{row.source_file}, position {row.source_position}"
    yield f"{row.day}  {row.cluster}  {row.table_name}  {place}"
    for rule, because, remedy in zip(row.rules, row.because, row.remedy, strict=True):
        yield f"   breaks {rule}: {because}"
        yield f"   → {remedy}"
    if row.replayed_at is not None:
        yield f"   replayed at {row.replayed_at:%Y-%m-%d %H:%M:%S}: it passed after all"
    yield f"   {json.dumps(row.row, ensure_ascii=False)}"


def _summed(counts: Sequence[tuple[int, int, dt.datetime, dt.datetime]]) -> tuple[int, int, dt.datetime, dt.datetime]:
    rows, replayed, first, last = zip(*counts, strict=True)
    return sum(rows), sum(replayed), min(first), max(last)
