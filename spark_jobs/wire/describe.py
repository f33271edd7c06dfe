"""kafka-consumer-groups and kafka-share-groups --describe: the tables of every view and version.

A table is its header and the rows below it. Values overflow their columns, group ids may hold blanks, some columns may
be blank: a row is read by what its values must look like where that has one answer, else by where its columns start.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, BinaryIO

import pyarrow as pa

from spark_jobs.wire.lag_file_name import UnusableNameError, taken_at
from spark_jobs.wire.lag_reading import details_of, lag_readings, rejected_file, unknown_lines
from spark_jobs.wire.receipt import Reading, Receipt
from spark_jobs.wire.tool_output import GLUED_WARNING, NOISE, lines_of

_FREE = r"\S.*?"
_OFFSET = r"-?\d{1,18}|-"
_COUNT = r"\d{1,9}|-"
_EPOCH = r"-?\d{1,9}|-"
_WORDS = r"\S.*"

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
    "ASSIGNMENT": _WORDS,
    "CURRENT-EPOCH": _EPOCH,
    "CURRENT-ASSIGNMENT": _WORDS,
    "TARGET-EPOCH": _EPOCH,
    "TARGET-ASSIGNMENT": _WORDS,
    "MEMBER-EPOCH": _EPOCH,
    "UPGRADED": r"true|false|-",
    "COORDINATOR (ID)": r"\S+ +\(-?\d+\)|-",
    "ASSIGNMENT-STRATEGY": r"\S+",
    "STATE": r"[A-Z][A-Za-z_]*|-",
    "GROUP-EPOCH": _EPOCH,
    "TARGET-ASSIGNMENT-EPOCH": _EPOCH,
    "#MEMBERS": _COUNT,
    "TYPE": r"[A-Z][a-z]*",
    "PROTOCOL": _FREE,
}
# 2.8 to 3.9 leave the strategy of an empty group blank; members without an instance id are blank in that column.
_MAY_BE_BLANK = {"GROUP-INSTANCE-ID", "ASSIGNMENT-STRATEGY", "ASSIGNMENT", "CURRENT-ASSIGNMENT", "TARGET-ASSIGNMENT"}

_TEXTS = {
    "GROUP": "group_id",
    "TOPIC": "topic",
    "CONSUMER-ID": "owner_member_id",
    "HOST": "client_host",
    "CLIENT-ID": "client_id",
}
_NUMBERS = {
    "PARTITION": "partition_id",
    "CURRENT-OFFSET": "committed_offset",
    "LOG-END-OFFSET": "log_end_offset",
    "LAG": "reported_lag",
}
# A share group's start offset is where its records in flight begin: neither a committed offset nor the log's start.
_DETAILS = {
    "LEADER-EPOCH": "leader_epoch",
    "START-OFFSET": "share_start_offset",
    "GROUP-INSTANCE-ID": "instance_id",
    "#PARTITIONS": "partitions",
    "ASSIGNMENT": "assignment",
    "CURRENT-EPOCH": "current_epoch",
    "MEMBER-EPOCH": "current_epoch",
    "CURRENT-ASSIGNMENT": "assignment",
    "TARGET-EPOCH": "target_epoch",
    "TARGET-ASSIGNMENT": "target_assignment",
    "UPGRADED": "upgraded",
    "COORDINATOR (ID)": "coordinator",
    "ASSIGNMENT-STRATEGY": "assignor",
    "STATE": "state",
    "GROUP-EPOCH": "group_epoch",
    "TARGET-ASSIGNMENT-EPOCH": "target_assignment_epoch",
    "#MEMBERS": "members",
}

Columns = tuple[tuple[str, int], ...]


def looks_like(line: str) -> bool:
    """A header, or what the tool says of a group that it has no table of."""
    return bool(header(line)) or re.match(_ABOUT_A_GROUP, line) is not None


_ABOUT_A_GROUP = (
    r"(?:Consumer|Share|Streams) group '.*' (?:has no active members|is rebalancing)|Warning: Consumer group '"
    r"|Error: (?:Consumer|Share|Streams) group '|Error: Executing (?:consumer|share|streams) group command failed"
)


def header(line: str) -> Columns:
    """The columns with their places; none if the line is no header."""
    if not line.startswith("GROUP "):
        return ()
    columns = tuple((found[0], found.start()) for found in re.finditer(r"COORDINATOR \(ID\)|\S+", line))
    return columns if len(columns) > 1 and all(column in _SHAPE for column, _ in columns) else ()


def _kind(columns: Columns) -> str | None:
    names = {column for column, _ in columns}
    if "COORDINATOR (ID)" in names:
        return "group_state"
    if "#PARTITIONS" in names:
        return "member"
    return "group_offset" if "LAG" in names else None  # else --list, or the preview of --reset-offsets


@cache
def _pattern(columns: Columns, free: str) -> re.Pattern[str]:
    parts = []
    for place, (column, _) in enumerate(columns):
        shape = free if _SHAPE[column] == _FREE else _SHAPE[column]
        value = f"({shape})" if place == 0 else f" +({shape})"
        parts.append(f"(?:{value})?" if column in _MAY_BE_BLANK else value)
    return re.compile("".join(parts) + " *")


def fields(line: str, columns: Columns) -> Sequence[str | None] | None:
    """The values of a row, blank ones null; none if it is no row of this table."""
    may_be_blank = any(column in _MAY_BE_BLANK for column, _ in columns)
    if not may_be_blank and (found := _pattern(columns, r"\S+").fullmatch(line)):
        return found.groups()
    if by_place := _by_place(line, columns):
        return by_place
    found = _pattern(columns, r"\S+").fullmatch(line) or _pattern(columns, _FREE).fullmatch(line)
    return found.groups() if found else None


def _by_place(line: str, columns: Columns) -> list[str | None] | None:
    starts = [start for _, start in columns]
    values: list[str | None] = []
    for (column, start), end in zip(columns, [*starts[1:], None], strict=True):
        value = line[start:end]
        overflows = end is not None and len(line) > end and value[-1:] != " "
        text = value.rstrip(" ")
        if overflows or text.startswith(" "):
            return None
        if text == "":
            if column not in _MAY_BE_BLANK:
                return None
            values.append(None)
        elif re.fullmatch(_SHAPE[column], text):
            values.append(text)
        else:
            return None
    return values


def read(file: BinaryIO, name: str) -> Reading:
    lines = lines_of(file.read())
    records = sum(line.strip() != "" and not header(line) for line in lines)
    try:
        sampled_at = taken_at(name)
    except UnusableNameError as why:
        yield from rejected_file(str(why), "describe")
        return Receipt("describe", records, 0, not_understood=records, details={"rejected_file": 1})

    tables: dict[tuple[str, ...], tuple[list[int], list[Sequence[str | None]]]] = {}
    strange: list[tuple[int, str]] = []
    ignored = 0
    columns: Columns = ()
    kind: str | None = None
    numbers: list[int] = []
    rows: list[Sequence[str | None]] = []
    for number, line in enumerate(lines, 1):
        if not line or line.isspace():
            continue
        if found := header(line):
            columns, kind = found, _kind(found)
            numbers, rows = tables.setdefault(tuple(column for column, _ in columns), ([], []))
        elif columns and kind is None:
            ignored += 1
        elif columns and (values := fields(line, columns) or fields(GLUED_WARNING.sub("", line), columns)):
            numbers.append(number)
            rows.append(values)
        elif NOISE.match(line):
            ignored += 1
        else:
            strange.append((number, line))

    understood = 0
    for names, (numbers, rows) in tables.items():
        if rows:
            understood += len(rows)
            common = {"source_position": numbers, "sampled_at": sampled_at, "reporter": "describe"}
            yield from lag_readings(len(rows), common | _readings(names, rows))
    yield from unknown_lines(strange, "describe", sampled_at)
    return Receipt("describe", records, understood, len(strange), ignored)


def _readings(names: tuple[str, ...], rows: list[Sequence[str | None]]) -> dict[str, Any]:
    kind = _kind(tuple((column, 0) for column in names))
    told = {
        column: [None if value == "-" else value for value in values]
        for column, values in zip(names, zip(*rows, strict=True), strict=True)
    }
    readings: dict[str, Any] = {"kind": kind}
    readings |= {ours: told[theirs] for theirs, ours in _TEXTS.items() if theirs in told}
    readings |= {ours: _whole(told[theirs]) for theirs, ours in _NUMBERS.items() if theirs in told}
    if "COORDINATOR (ID)" in told:
        told["COORDINATOR (ID)"] = [value and " ".join(value.split()) for value in told["COORDINATOR (ID)"]]
    details = {ours: told[theirs] for theirs, ours in _DETAILS.items() if theirs in told}
    if "START-OFFSET" in told or ("COORDINATOR (ID)" in told and "ASSIGNMENT-STRATEGY" not in told):
        details["group_type"] = ["share"] * len(rows)
    elif kind == "group_offset":
        readings["lag_meaning"] = "signed"
    readings["details"] = details_of(details, len(rows))
    return readings


def _whole(values: list[str | None]) -> pa.Array:
    return pa.array(values, pa.string()).cast(pa.int64())
