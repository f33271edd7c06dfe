"""A result as CSV for spreadsheets: no cell can act as a formula there."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from spark_jobs.sql.json_values import as_json

_ROWS_AT_ONCE = 1_000
# A cell that begins so is a formula in one spreadsheet or another.
_SIGNS = "=+@\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}\N{FULLWIDTH HYPHEN-MINUS}\N{FULLWIDTH COMMERCIAL AT}-"
_FORMULA_STARTS = (*_SIGNS, "\t", "\r", "\n")
# Some spreadsheets begin a cell after these.
_LATER_STARTS = re.compile(rf"([;\t\r\n] *)(?=[{_SIGNS}])")


def csv_lines(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([_cell(column) for column in columns])
    for number, row in enumerate(rows, 1):
        writer.writerow([_cell(value) for value in row])
        if number % _ROWS_AT_ONCE == 0:
            yield text.getvalue()
            text.seek(0)
            text.truncate()
    yield text.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    written = as_json(value)
    text = written if isinstance(written, str) else json.dumps(written, ensure_ascii=False)
    text = _LATER_STARTS.sub(r"\1'", text)
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA_STARTS) else text
