"""Prints rows to standard output as they come: as a table, as JSON or as CSV."""

import csv
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from spark_jobs.errors import UsageError
from spark_jobs.sql.json_values import as_json
from spark_jobs.visible_text import visible

if TYPE_CHECKING:
    from rich.console import Console

Row = tuple[Any, ...]
Cells = list[str]

# Rows of a table on a terminal. Without a terminal, rows whose values decide how wide the columns are.
_FIRST_ROWS = 1_000
# A column is not made narrower than this, if its values are wider.
_READABLE_WIDTH = 24


def rows_to_print(output_format: str) -> int | None:
    """How many rows print_rows has to know at most, None for all: one more than it prints, to say that there are more."""
    return _FIRST_ROWS + 1 if output_format == "table" and sys.stdout.isatty() else None


def print_rows(columns: Sequence[str], rows: Iterable[Row], output_format: str) -> None:
    FORMATS[output_format](columns, iter(rows))


def _print_table(columns: Sequence[str], rows: Iterator[Row]) -> None:
    header = [visible(column) for column in columns]
    first = [_cells(row) for row in islice(rows, _FIRST_ROWS)]
    if not sys.stdout.isatty():
        _print_lines(header, first, map(_cells, rows))
        return
    _print_for_terminal(header, first)
    if next(rows, None) is not None:
        print(f"Only the first {_FIRST_ROWS:,} rows are shown. --format csv prints all of them.", file=sys.stderr)


def _print_for_terminal(header: Cells, rows: Sequence[Cells]) -> None:
    from rich import box
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

    console = Console()
    widths = [max(map(cell_len, column)) for column in zip(header, *rows, strict=True)]
    # Only columns of long texts are wrapped.
    least = [min(width, max(_READABLE_WIDTH, cell_len(name))) for width, name in zip(widths, header, strict=True)]
    if sum(least) + 3 * len(least) + 1 > console.width:
        _print_blocks(console, header, rows)
        return
    # As Text, since names and values come from telemetry and may look like markup.
    columns = (Column(Text(name), min_width=width) for name, width in zip(header, least, strict=True))
    table = Table(*columns, box=box.SIMPLE_HEAD, header_style="bold")
    for row in rows:
        table.add_row(*map(Text, row))
    console.print(table)


def _print_blocks(console: "Console", header: Cells, rows: Sequence[Cells]) -> None:
    """Each row as lines of a name and a value, where a table would be too wide to read."""
    from rich.cells import cell_len
    from rich.text import Text

    indent = min(max(map(cell_len, header)) + 4, console.width // 2)
    for number, row in enumerate(rows, 1):
        console.print(Text(f" row {number:,}", "bold"), highlight=False)
        for name, value in zip(header, row, strict=True):
            lines = Text(value).wrap(console, console.width - indent) or [Text()]
            for first, line in enumerate(lines):
                margin = Text("" if first else f"   {name}", "dim")
                margin.align("left", indent)
                console.print(margin + line, highlight=False, soft_wrap=True)


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
    if repeated := sorted({name for name in columns if list(columns).count(name) > 1}):
        raise UsageError(f"two columns are called {repeated[0]}", "Name each one with `as`, or use --format csv")
    separator = "["
    for row in rows:
        row_object = dict(zip(columns, map(as_json, row), strict=True))
        sys.stdout.write(f"{separator}\n {json.dumps(row_object, ensure_ascii=False)}")
        separator = ","
    sys.stdout.write("[]\n" if separator == "[" else "\n]\n")


def _print_csv(columns: Sequence[str], rows: Iterator[Row]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    # Python quotes only the line end that it writes itself, but readers end a line at both.
    with_quotes = csv.writer(sys.stdout, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in chain([columns], rows):
        cells = ["" if value is None else _as_text(value) for value in row]
        (with_quotes if any("\r" in cell for cell in cells) else writer).writerow(cells)


FORMATS = {"table": _print_table, "json": _print_json, "csv": _print_csv}


def _cells(row: Row) -> Cells:
    return ["" if value is None else visible(_as_text(value)) for value in row]


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    json_value = as_json(value)
    return json_value if isinstance(json_value, str) else json.dumps(json_value, ensure_ascii=False)
