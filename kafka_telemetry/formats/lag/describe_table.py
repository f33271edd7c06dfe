"""Where the values of a row of --describe are.

Values overflow their columns, group ids may hold blanks, some columns may be blank: a row is read by what its values
must look like where that has one answer, else by where its columns start.
"""

import re
from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

_FREE = r"\S.*?"
_WORD = r"\S+"
_OFFSET = r"-?[0-9]{1,18}|-"
_COUNT = r"[0-9]{1,9}|-"
_EPOCH = r"-?[0-9]{1,9}|-"

# What a value of the column looks like.
_SHAPE = {
    "GROUP": _FREE,
    "TOPIC": r"[A-Za-z0-9._-]+",
    "PARTITION": _COUNT,
    "LEADER-EPOCH": _EPOCH,
    "CURRENT-OFFSET": _OFFSET,
    "START-OFFSET": _OFFSET,
    "LOG-END-OFFSET": _OFFSET,
    "NEW-OFFSET": _OFFSET,
    "LAG": _OFFSET,
    "CONSUMER-ID": _FREE,
    "GROUP-INSTANCE-ID": _FREE,
    "HOST": r"/\S*|-",
    "CLIENT-ID": _FREE,
    "#PARTITIONS": _COUNT,
    "ASSIGNMENT": r"\S.*",
    "CURRENT-EPOCH": _EPOCH,
    "CURRENT-ASSIGNMENT": r"\S.*",
    "MEMBER-EPOCH": _EPOCH,
    "TARGET-EPOCH": _EPOCH,
    "TARGET-ASSIGNMENT": r"\S.*",
    "UPGRADED": r"true|false|-",
    "COORDINATOR (ID)": r"\S+ +\(-?[0-9]+\)|-",
    "ASSIGNMENT-STRATEGY": _WORD,
    "STATE": r"[A-Z][A-Za-z_]*|-",
    "GROUP-EPOCH": _EPOCH,
    "TARGET-ASSIGNMENT-EPOCH": _EPOCH,
    "#MEMBERS": _COUNT,
    "TYPE": r"[A-Z][a-z]*",
    "PROTOCOL": _FREE,
}
# 2.8 to 3.9 leave the strategy of an empty group blank; members without an instance id are blank in that column.
_MAY_BE_BLANK = {"GROUP-INSTANCE-ID", "ASSIGNMENT-STRATEGY", "ASSIGNMENT", "CURRENT-ASSIGNMENT", "TARGET-ASSIGNMENT"}
_OF_SEVERAL_WORDS = {"COORDINATOR (ID)"}

Names = tuple[str, ...]
Columns = tuple[tuple[str, int], ...]  # with their places in the header


def header(line: str) -> Columns:
    """The columns; none if the line is no header."""
    if not line.startswith("GROUP "):
        return ()
    columns = tuple((found[0], found.start()) for found in re.finditer(r"COORDINATOR \(ID\)|\S+", line))
    return columns if len(columns) > 1 and all(column in _SHAPE for column, _ in columns) else ()


def fields(line: str, columns: Columns) -> Sequence[str | None] | None:
    """The values of a row, blank ones null; none if it is no row of this table."""
    names = tuple(column for column, _ in columns)
    if _MAY_BE_BLANK.isdisjoint(names) and (found := _row(names, _WORD).fullmatch(line)):
        return found.groups()
    if by_place := _by_place(line, columns):
        return by_place
    found = _row(names, _WORD).fullmatch(line) or _row(names, _FREE).fullmatch(line)
    return found.groups() if found else None


def blank_free(names: Names, lines: Sequence[str]) -> tuple[npt.NDArray[np.bool_], list[pa.Array]]:
    """Which rows have a value without blanks in every column, and the columns of those rows."""
    if not (_MAY_BE_BLANK | _OF_SEVERAL_WORDS).isdisjoint(names):
        return np.zeros(len(lines), bool), []
    rows = pa.array(lines, pa.string())
    fits = pc.match_substring_regex(rows, f"^{_row(names, _WORD).pattern}$")
    words = pc.ascii_split_whitespace(pc.ascii_rtrim_whitespace(rows.filter(fits)))
    return fits.to_numpy(zero_copy_only=False), [pc.list_element(words, place) for place in range(len(names))]


@cache
def _row(names: Names, free: str) -> re.Pattern[str]:
    parts = []
    for place, column in enumerate(names):
        shape = free if _SHAPE[column] == _FREE else _SHAPE[column]
        value = f"({shape})" if place == 0 else f" +({shape})"
        parts.append(f"(?:{value})?" if column in _MAY_BE_BLANK else value)
    return re.compile("".join(parts) + " *", re.ASCII)


def _by_place(line: str, columns: Columns) -> list[str | None] | None:
    starts = [start for _, start in columns]
    values: list[str | None] = []
    for (column, start), end in zip(columns, [*starts[1:], None], strict=True):
        value = line[start:end]
        text = value.rstrip(" ")
        overflows = end is not None and len(line) > end and not value.endswith(" ")
        if overflows or text.startswith(" "):
            return None
        if text == "" and column in _MAY_BE_BLANK:
            values.append(None)
        elif re.fullmatch(_SHAPE[column], text, re.ASCII):
            values.append(text)
        else:
            return None
    return values
