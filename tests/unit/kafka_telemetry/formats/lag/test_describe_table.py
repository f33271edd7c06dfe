"""Rows of --describe tables, split one by one and all at once."""

import pytest
from support.recorded_lag import recorded_files

from kafka_telemetry.formats.lag.describe_table import HeaderColumns, parse_header, split_row, split_rows_fast

OFFSETS = "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID"
HARD_LINES = [
    "two words t 1 1 2 1 - - -",
    "g t zero 1 2 1 - - -",
    "g t 0 1234567890123456789 2 1 - - -",
    "g t 0 1 2 1 - - - and more",
    "g  t  0  -  -  -  -  -  -   ",
    "g\u2028h t 0 1 2 1 - - -",
    "g\x0bh t 0 1 2 1 - - -",
    "Warning: something else",
    "",
]


def recorded_tables() -> list[tuple[HeaderColumns, list[str]]]:
    tables: list[tuple[HeaderColumns, list[str]]] = []
    for _, content in recorded_files("*/lag/describe-*"):
        columns: HeaderColumns = ()
        for line in content.decode().split("\n"):
            if header := parse_header(line):
                columns = header
                tables.append((columns, []))
            elif columns and line.strip():
                tables[-1][1].append(line)
    return tables


def test_rows_that_are_split_all_at_once_are_split_the_same_one_by_one() -> None:
    tables = [*recorded_tables(), (parse_header(OFFSETS), HARD_LINES)]
    split = 0
    for columns, lines in tables:
        names = tuple(name for name, _ in columns)
        is_split, values = split_rows_fast(names, lines)
        fast = list(zip(*(column.to_pylist() for column in values), strict=True))
        one_by_one = [split_row(line, columns) for line, by_fast in zip(lines, is_split, strict=True) if by_fast]
        assert fast == [tuple(row or ()) for row in one_by_one]
        split += len(fast)
    assert split > 2000


@pytest.mark.parametrize("line", ["two words t 1 1 2 1 - - -", "g t zero 1 2 1 - - -", ""])
def test_a_row_with_blanks_in_a_value_or_without_the_right_values_is_not_split_all_at_once(line: str) -> None:
    is_split, _ = split_rows_fast(tuple(OFFSETS.split()), [line])
    assert is_split.tolist() == [False]
