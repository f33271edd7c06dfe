"""Prints rows to standard output as a table, as JSON or as CSV."""

import csv
import datetime as dt
import decimal
import json
import sys
from collections.abc import Sequence
from typing import Any

Rows = Sequence[tuple[Any, ...]]

# When the output is piped, a table is as wide as its content: nothing may be cut off.
_WIDTH_WHEN_PIPED = 10_000


def print_rows(columns: Sequence[str], rows: Rows, output_format: str) -> None:
    FORMATS[output_format](columns, rows)


def _print_table(columns: Sequence[str], rows: Rows) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

    # As Text, since names and values come from telemetry and may look like markup.
    table = Table(*(Column(Text(column)) for column in columns), box=box.SIMPLE_HEAD, header_style="bold")
    for row in rows:
        table.add_row(*(Text("" if value is None else _as_text(value)) for value in row))
    console = Console()
    Console(width=None if console.is_terminal else _WIDTH_WHEN_PIPED).print(table)


def _print_json(columns: Sequence[str], rows: Rows) -> None:
    objects = [dict(zip(columns, map(_as_json, row), strict=True)) for row in rows]
    json.dump(objects, sys.stdout, ensure_ascii=False, indent=1)
    print()


def _print_csv(columns: Sequence[str], rows: Rows) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if value is None else _as_text(value) for value in row] for row in rows)


FORMATS = {"table": _print_table, "json": _print_json, "csv": _print_csv}


def _as_text(value: Any) -> str:
    json_value = _as_json(value)
    return json_value if isinstance(json_value, str) else json.dumps(json_value, ensure_ascii=False)


def _as_json(value: Any) -> Any:
    """A value that JSON can hold: times in ISO 8601 UTC, bytes in hexadecimal, null for NaN and infinity."""
    match value:
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
        case float() if value != value or value in (float("inf"), float("-inf")):
            return None
        case None | bool() | int() | float() | str():
            return value
    return str(value)
