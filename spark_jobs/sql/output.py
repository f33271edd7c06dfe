"""Prints rows to standard output as they come: as a table, as JSON or as CSV."""

import csv
import datetime as dt
import decimal
import json
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

Row = tuple[Any, ...]
Cells = list[str]

# Rows of a table on a terminal. Without a terminal, rows whose values decide how wide the columns are.
_FIRST_ROWS = 1_000


def rows_to_print(output_format: str) -> int | None:
    """How many rows print_rows has to know at most, None for all: one more than it prints, to say that there are more."""
    return _FIRST_ROWS + 1 if output_format == "table" and sys.stdout.isatty() else None


def print_rows(columns: Sequence[str], rows: Iterable[Row], output_format: str) -> None:
    FORMATS[output_format](columns, iter(rows))


def _print_table(columns: Sequence[str], rows: Iterator[Row]) -> None:
    header = [_printable(column) for column in columns]
    first = [_cells(row) for row in islice(rows, _FIRST_ROWS)]
    if not sys.stdout.isatty():
        _print_lines(header, first, map(_cells, rows))
        return
    _print_for_terminal(header, first)
    if next(rows, None) is not None:
        print(f"Only the first {_FIRST_ROWS:,} rows are shown. --format csv prints all of them.", file=sys.stderr)


def _print_for_terminal(header: Cells, rows: Iterable[Cells]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

    # As Text, since names and values come from telemetry and may look like markup.
    table = Table(*(Column(Text(column)) for column in header), box=box.SIMPLE_HEAD, header_style="bold")
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)


def _print_lines(header: Cells, first: list[Cells], others: Iterator[Cells]) -> None:
    """A row is one line, however long, so that nothing is cut off."""
    from rich.cells import cell_len

    widths = [max(map(cell_len, column)) for column in zip(header, *first, strict=True)]
    rule = "─" * (sum(widths) + 3 * len(widths) + 1)
    for number, row in enumerate(chain([header], first, others)):
        padded = (cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True))
        sys.stdout.write(f"  {'   '.join(padded).rstrip()}\n")
        if number == 0:
            sys.stdout.write(f" {rule}\n")


def _print_json(columns: Sequence[str], rows: Iterator[Row]) -> None:
    separator = "["
    for row in rows:
        row_object = dict(zip(columns, map(_as_json, row), strict=True))
        sys.stdout.write(f"{separator}\n {json.dumps(row_object, ensure_ascii=False)}")
        separator = ","
    sys.stdout.write("[]\n" if separator == "[" else "\n]\n")


def _print_csv(columns: Sequence[str], rows: Iterator[Row]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if value is None else _as_text(value) for value in row] for row in rows)


FORMATS = {"table": _print_table, "json": _print_json, "csv": _print_csv}


def _cells(row: Row) -> Cells:
    return ["" if value is None else _printable(_as_text(value)) for value in row]


def _printable(text: str) -> str:
    """The text on one line, with control sequences and invisible characters written as escapes."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    json_value = _as_json(value)
    return json_value if isinstance(json_value, str) else json.dumps(json_value, ensure_ascii=False)


def _as_json(value: Any) -> Any:
    """A value that JSON can hold: times in ISO 8601 UTC, bytes in hexadecimal, null for NaN and infinity."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case dt.datetime():
            return (value if value.tzinfo else value.replace(tzinfo=dt.UTC)).isoformat().replace("+00:00", "Z")
        case dt.date():
            return value.isoformat()
        case dict():
            return {str(key): _as_json(item) for key, item in value.items()}
        case tuple() if hasattr(value, "asDict"):
            return {key: _as_json(item) for key, item in value.asDict().items()}
        case list() | tuple():
            return [_as_json(item) for item in value]
        case bytes() | bytearray():
            return value.hex()
        case decimal.Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
    return str(value)
