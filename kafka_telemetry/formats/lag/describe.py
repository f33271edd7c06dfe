"""kafka-consumer-groups and kafka-share-groups --describe: the tables of every view and version."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.formats.lag.describe_table import (
    ColumnNames,
    HeaderColumns,
    parse_header,
    split_row,
    split_rows_fast,
)
from kafka_telemetry.formats.lag.file_name_times import UnusableNameError, time_in_name
from kafka_telemetry.formats.lag.lag_reading import details_column, reading_batches, rejected_file, unknown_lines
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
# A share group's start offset is that of its first record in flight: neither a committed offset nor the log's start.
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
_GROUP_MESSAGE = re.compile(
    r"(?:Consumer|Share|Streams) group '.*' (?:has no active members|is rebalancing)|Warning: Consumer group '"
    r"|Error: (?:Consumer|Share|Streams) group '|Error: Executing (?:consumer|share|streams) group command failed"
)


def looks_like(line: str) -> bool:
    """A header, or the message about a group without a table."""
    return bool(parse_header(line)) or _GROUP_MESSAGE.match(line) is not None


class _TableRows(NamedTuple):
    """The rows below all headers with the same column names, each with the columns of its own header."""

    numbers: list[int]
    lines: list[str]
    columns: list[HeaderColumns]


def read(file: BinaryIO, name: str) -> Reading:
    lines = split_lines(file.read())
    records = sum(1 for line in lines if line and not line.isspace() and not (line[0] == "G" and parse_header(line)))
    try:
        sampled_at = time_in_name(name)
    except UnusableNameError as error:
        yield from rejected_file(str(error), "describe")
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
    not_understood = [(number, line) for number, line in sorted(others) if not NOISE.match(line)]
    yield from unknown_lines(not_understood, "describe", sampled_at)
    ignored += len(others) - len(not_understood)
    return Receipt("describe", records, understood, len(not_understood), ignored)


def _kind(names: ColumnNames) -> str | None:
    if "COORDINATOR (ID)" in names:
        return "group_state"
    if "#PARTITIONS" in names:
        return "member"
    return "group_offset" if "LAG" in names else None  # else of --list or a preview of --reset-offsets


def _tables(lines: list[str]) -> tuple[dict[ColumnNames, _TableRows], list[tuple[int, str]]]:
    """The lines below headers, by column names, and the numbered lines above the first header."""
    tables: dict[ColumnNames, _TableRows] = {}
    others: list[tuple[int, str]] = []
    columns: HeaderColumns = ()
    table = _TableRows([], [], [])
    for number, line in enumerate(lines, 1):
        if line[:6] == "GROUP " and (header := parse_header(line)):
            columns = header
            table = tables.setdefault(tuple(name for name, _ in columns), _TableRows([], [], []))
        elif line == "" or line.isspace():
            continue
        elif columns:
            table.numbers.append(number)
            table.lines.append(line)
            table.columns.append(columns)
        else:
            others.append((number, line))
    return tables, others


def _rows(
    names: ColumnNames, table: _TableRows, others: list[tuple[int, str]]
) -> Iterator[tuple[Sequence[int], Sequence[pa.Array]]]:
    """Line numbers and columns, first of the rows that are split all at once, then of those split one by one.

    Lines that are not rows are appended to `others`.
    """
    is_split, columns = split_rows_fast(names, table.lines)
    if is_split.any():
        yield np.array(table.numbers)[is_split].tolist(), columns
    numbers: list[int] = []
    rows: list[Sequence[str | None]] = []
    for place in np.flatnonzero(~is_split).tolist():
        number, line = table.numbers[place], table.lines[place]
        if values := split_row(APPENDED_WARNING.sub("", line), table.columns[place]):
            numbers.append(number)
            rows.append(values)
        else:
            others.append((number, line))
    if rows:
        yield numbers, [pa.array(values, pa.string()) for values in zip(*rows, strict=True)]


def _readings(
    names: ColumnNames, numbers: Sequence[int], columns: Sequence[pa.Array], sampled_at: datetime
) -> Iterator[pa.RecordBatch]:
    null = pa.scalar(None, pa.string())
    values = {name: pc.if_else(pc.equal(texts, "-"), null, texts) for name, texts in zip(names, columns, strict=True)}
    readings: dict[str, Any] = {
        "kind": _kind(names),
        "reporter": "describe",
        "source_position": numbers,
        "sampled_at": sampled_at,
    }
    readings |= {column: values[name] for name, column in _TEXTS.items() if name in values}
    readings |= {column: values[name].cast(pa.int64()) for name, column in _NUMBERS.items() if name in values}
    details: dict[str, Any] = {key: values[name].to_pylist() for name, key in _DETAILS.items() if name in values}
    if "coordinator" in details:
        details |= {"coordinator": [text and " ".join(text.split()) for text in details["coordinator"]]}
    if "START-OFFSET" in values or ("COORDINATOR (ID)" in values and "ASSIGNMENT-STRATEGY" not in values):
        details |= {"group_type": ["share"] * len(numbers)}
    elif "LAG" in values:
        readings["lag_meaning"] = "signed"
    yield from reading_batches(len(numbers), readings | {"details": details_column(details, len(numbers))})
