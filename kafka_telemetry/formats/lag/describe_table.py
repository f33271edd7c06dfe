"""Splits the rows of --describe tables into values.

Values overflow their columns, group ids may contain blanks, and some columns may be blank. So a row is split by what
the values of its columns look like where that is unambiguous, and else by where the columns start.
"""

import re
from collections.abc import Sequence
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Flags

# Without the vertical tab, which is a blank only to some of the functions below.
_NO_BLANK = r"[^\s\x0b]"
_ANY_TEXT = rf"{_NO_BLANK}.*?"
_WORD = rf"{_NO_BLANK}+"
_OFFSET = r"-?[0-9]{1,18}|-"
_COUNT = r"[0-9]{1,9}|-"
_EPOCH = r"-?[0-9]{1,9}|-"

# The pattern of a column's values.
_PATTERNS = {
    "GROUP": _ANY_TEXT,
    "TOPIC": r"[A-Za-z0-9._-]+",
    "PARTITION": _COUNT,
    "LEADER-EPOCH": _EPOCH,
    "CURRENT-OFFSET": _OFFSET,
    "START-OFFSET": _OFFSET,
    "LOG-END-OFFSET": _OFFSET,
    "NEW-OFFSET": _OFFSET,
    "LAG": _OFFSET,
    "CONSUMER-ID": _ANY_TEXT,
    "GROUP-INSTANCE-ID": _ANY_TEXT,
    "HOST": rf"/{_NO_BLANK}*|-",
    "CLIENT-ID": _ANY_TEXT,
    "#PARTITIONS": _COUNT,
    "ASSIGNMENT": rf"{_NO_BLANK}.*",
    "CURRENT-EPOCH": _EPOCH,
    "CURRENT-ASSIGNMENT": rf"{_NO_BLANK}.*",
    "MEMBER-EPOCH": _EPOCH,
    "TARGET-EPOCH": _EPOCH,
    "TARGET-ASSIGNMENT": rf"{_NO_BLANK}.*",
    "UPGRADED": r"true|false|-",
    "COORDINATOR (ID)": rf"{_WORD} +\(-?[0-9]+\)|-",
    "ASSIGNMENT-STRATEGY": _WORD,
    "STATE": r"[A-Z][A-Za-z_]*|-",
    "GROUP-EPOCH": _EPOCH,
    "TARGET-ASSIGNMENT-EPOCH": _EPOCH,
    "#MEMBERS": _COUNT,
    "TYPE": r"[A-Z][a-z]*",
    "PROTOCOL": _ANY_TEXT,
}
# 2.8 to 3.9 leave the strategy of an empty group blank; members without an instance id are blank in that column.
_MAY_BE_BLANK = {"GROUP-INSTANCE-ID", "ASSIGNMENT-STRATEGY", "ASSIGNMENT", "CURRENT-ASSIGNMENT", "TARGET-ASSIGNMENT"}
_CONTAINS_BLANKS = {"COORDINATOR (ID)"}

ColumnNames = tuple[str, ...]
HeaderColumns = tuple[tuple[str, int], ...]  # names, and where they start in the header


def parse_header(line: str) -> HeaderColumns:
    """The columns, empty if the line is not a header."""
    if not line.startswith("GROUP "):
        return ()
    columns = tuple((match[0], match.start()) for match in re.finditer(r"COORDINATOR \(ID\)|\S+", line))
    names = {name for name, _ in columns}
    return columns if 1 < len(columns) == len(names) and names <= _PATTERNS.keys() else ()


def split_row(line: str, columns: HeaderColumns) -> Sequence[str | None] | None:
    """The values of a row, null where a column is blank; None if the line is not a row of this table."""
    names = tuple(name for name, _ in columns)
    if _MAY_BE_BLANK.isdisjoint(names) and (match := re.fullmatch(_row_pattern(names, _WORD), line, re.ASCII)):
        return match.groups()
    return (
        _split_at_starts(line, columns)
        or _split_by_pattern(line, names, _WORD)
        or _split_by_pattern(line, names, _ANY_TEXT)
    )


def split_rows_fast(names: ColumnNames, lines: Sequence[str]) -> tuple[Flags, list[pa.Array]]:
    """Splits the rows in which every column has a value without blanks, all at once: which rows those are, and their
    columns. The other rows, and tables whose columns may be blank, need `split_row`."""
    if not (_MAY_BE_BLANK | _CONTAINS_BLANKS).isdisjoint(names):
        return np.zeros(len(lines), bool), []
    rows = pa.array(lines, pa.string())
    has_words_only = pc.match_substring_regex(rows, f"^{_row_pattern(names, _WORD)}$")
    words = pc.ascii_split_whitespace(pc.ascii_rtrim_whitespace(rows.filter(has_words_only)))
    columns = [pc.list_element(words, place) for place in range(len(names))]
    return has_words_only.to_numpy(zero_copy_only=False), columns


@cache
def _row_pattern(names: ColumnNames, any_text: str) -> str:
    """A pattern with one group per column, in which `any_text` matches the values of any form."""
    parts = []
    for place, name in enumerate(names):
        pattern = any_text if _PATTERNS[name] == _ANY_TEXT else _PATTERNS[name]
        value = f"{' +' if place else ''}(?P<column{place}>{pattern})"
        parts.append(f"(?:{value})?" if name in _MAY_BE_BLANK else value)
    return "".join(parts) + " *"


def _split_by_pattern(line: str, names: ColumnNames, any_text: str) -> list[str | None] | None:
    """Arrow's matcher takes a time that is proportional to the line: texts with blanks can be split in very many ways."""
    found = pc.extract_regex(pa.array([line], pa.string()), f"^{_row_pattern(names, any_text)}$")[0].as_py()
    return None if found is None else [text or None for text in found.values()]


def _split_at_starts(line: str, columns: HeaderColumns) -> list[str | None] | None:
    starts = [start for _, start in columns]
    values: list[str | None] = []
    for (name, start), end in zip(columns, [*starts[1:], None], strict=True):
        value = line[start:end]
        text = value.rstrip(" ")
        overflows = end is not None and len(line) > end and not value.endswith(" ")
        if overflows or text.startswith(" "):
            return None
        if text == "" and name in _MAY_BE_BLANK:
            values.append(None)
        elif re.fullmatch(_PATTERNS[name], text, re.ASCII):
            values.append(text)
        else:
            return None
    return values
