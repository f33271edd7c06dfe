"""kafka-consumer-groups and kafka-share-groups --describe: the tables of every view and version."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.formats.lag.describe_table import Columns, Names, blank_free, fields, header
from kafka_telemetry.formats.lag.file_name_times import UnusableNameError, taken_at
from kafka_telemetry.formats.lag.lag_reading import details_of, lag_readings, rejected_file, unknown_lines
from kafka_telemetry.formats.receipt import Reading, Receipt
from kafka_telemetry.formats.tool_output import APPENDED_WARNING, NOISE, split_lines

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
_ABOUT_A_GROUP = re.compile(
    r"(?:Consumer|Share|Streams) group '.*' (?:has no active members|is rebalancing)|Warning: Consumer group '"
    r"|Error: (?:Consumer|Share|Streams) group '|Error: Executing (?:consumer|share|streams) group command failed"
)


def looks_like(line: str) -> bool:
    """A header, or what the tool says of a group that it has no table of."""
    return bool(header(line)) or _ABOUT_A_GROUP.match(line) is not None


class _Table(NamedTuple):
    """The rows below headers with the same columns, each with the header that stands above it."""

    numbers: list[int]
    lines: list[str]
    headers: list[Columns]


def read(file: BinaryIO, name: str) -> Reading:
    lines = split_lines(file.read())
    records = sum(1 for line in lines if line and not line.isspace() and not (line[0] == "G" and header(line)))
    try:
        sampled_at = taken_at(name)
    except UnusableNameError as why:
        yield from rejected_file(str(why), "describe")
        return Receipt("describe", records, 0, not_understood=records, details={"rejected_file": 1})

    understood = ignored = 0
    tables, others = _tables(lines)
    for names, table in tables.items():
        if _kind(names) is None:
            ignored += len(table.lines)
            continue
        for numbers, columns in _rows(names, table, others):
            understood += len(numbers)
            yield from _readings(names, numbers, columns, sampled_at)
    strange = [(number, line) for number, line in sorted(others) if not NOISE.match(line)]
    yield from unknown_lines(strange, "describe", sampled_at)
    return Receipt("describe", records, understood, len(strange), ignored + len(others) - len(strange))


def _kind(names: Names) -> str | None:
    if "COORDINATOR (ID)" in names:
        return "group_state"
    if "#PARTITIONS" in names:
        return "member"
    return "group_offset" if "LAG" in names else None  # else --list, or the preview of --reset-offsets


def _tables(lines: list[str]) -> tuple[dict[Names, _Table], list[tuple[int, str]]]:
    """The lines below each kind of header, and those above any."""
    tables: dict[Names, _Table] = {}
    others: list[tuple[int, str]] = []
    columns: Columns = ()
    table = _Table([], [], [])
    for number, line in enumerate(lines, 1):
        if line[:6] == "GROUP " and (found := header(line)):
            columns = found
            table = tables.setdefault(tuple(column for column, _ in columns), _Table([], [], []))
        elif line == "" or line.isspace():
            continue
        elif columns:
            table.numbers.append(number)
            table.lines.append(line)
            table.headers.append(columns)
        else:
            others.append((number, line))
    return tables, others


def _rows(
    names: Names, table: _Table, others: list[tuple[int, str]]
) -> Iterator[tuple[Sequence[int], Sequence[pa.Array]]]:
    """Line numbers and columns, first of the rows that can be cut at every blank, then of those read one by one."""
    fits, columns = blank_free(names, table.lines)
    if fits.any():
        yield np.array(table.numbers)[fits].tolist(), columns
    numbers: list[int] = []
    rows: list[Sequence[str | None]] = []
    for place in np.flatnonzero(~fits).tolist():
        number, line, above = table.numbers[place], table.lines[place], table.headers[place]
        if values := fields(APPENDED_WARNING.sub("", line), above):
            numbers.append(number)
            rows.append(values)
        else:
            others.append((number, line))
    if rows:
        yield numbers, [pa.array(values, pa.string()) for values in zip(*rows, strict=True)]


def _readings(
    names: Names, numbers: Sequence[int], columns: Sequence[pa.Array], sampled_at: datetime
) -> Iterator[pa.RecordBatch]:
    none = pa.scalar(None, pa.string())
    told = {name: pc.if_else(pc.equal(texts, "-"), none, texts) for name, texts in zip(names, columns, strict=True)}
    readings: dict[str, Any] = {
        "kind": _kind(names),
        "reporter": "describe",
        "source_position": numbers,
        "sampled_at": sampled_at,
    }
    readings |= {ours: told[theirs] for theirs, ours in _TEXTS.items() if theirs in told}
    readings |= {ours: told[theirs].cast(pa.int64()) for theirs, ours in _NUMBERS.items() if theirs in told}
    details: dict[str, Any] = {ours: told[theirs].to_pylist() for theirs, ours in _DETAILS.items() if theirs in told}
    if "coordinator" in details:
        details |= {"coordinator": [text and " ".join(text.split()) for text in details["coordinator"]]}
    if "START-OFFSET" in told or ("COORDINATOR (ID)" in told and "ASSIGNMENT-STRATEGY" not in told):
        details |= {"group_type": ["share"] * len(numbers)}
    elif "LAG" in told:
        readings["lag_meaning"] = "signed"
    yield from lag_readings(len(numbers), readings | {"details": details_of(details, len(numbers))})
