"""kafka-get-offsets (GetOffsetShell): the start or the end of each log, `topic:partition:offset` per line."""

import re
from typing import BinaryIO

import pyarrow as pa

from kafka_telemetry.formats.lag.file_name_times import UnusableNameError, offset_column, time_in_name
from kafka_telemetry.formats.lag.lag_reading import reading_batches, rejected_file, unknown_lines
from kafka_telemetry.formats.receipt import Reading, Receipt
from kafka_telemetry.formats.tool_output import NOISE, split_lines

_OFFSET = re.compile(r"([A-Za-z0-9._-]{1,249}):(\d{1,9}):(-?\d{1,18})?\s*")


def looks_like(line: str) -> bool:
    return _OFFSET.fullmatch(line) is not None


def read(file: BinaryIO, name: str) -> Reading:
    lines = split_lines(file.read())
    records = sum(not line.isspace() and line != "" for line in lines)
    try:
        sampled_at, column = time_in_name(name), offset_column(name)
    except UnusableNameError as error:
        yield from rejected_file(str(error), "get_offsets")
        return Receipt("get_offsets", records, 0, not_understood=records, details={"rejected_file": 1})

    rows: list[tuple[int, str, int, int | None]] = []
    not_understood: list[tuple[int, str]] = []
    ignored = 0
    for number, line in enumerate(lines, 1):
        if match := _OFFSET.fullmatch(line):
            topic, partition, offset = match.groups()
            # 2.8 prints an empty offset for a partition without one; -1 is the protocol's "none".
            value = int(offset) if offset and not offset.startswith("-") else None
            rows.append((number, topic, int(partition), value))
        elif NOISE.match(line):
            ignored += 1
        elif line.strip():
            not_understood.append((number, line))

    if rows:
        numbers, topics, partitions, offsets = (list(values) for values in zip(*rows, strict=True))
        yield from reading_batches(
            len(rows),
            {
                "kind": "log_offset",
                "reporter": "get_offsets",
                "source_position": numbers,
                "sampled_at": sampled_at,
                "topic": topics,
                "partition_id": pa.array(partitions, pa.int32()),
                column: offsets,
            },
        )
    yield from unknown_lines(not_understood, "get_offsets", sampled_at)
    return Receipt("get_offsets", records, len(rows), len(not_understood), ignored)
