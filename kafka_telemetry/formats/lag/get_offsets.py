"""kafka-get-offsets (GetOffsetShell): one end of each log, `topic:partition:offset` a line."""

import re
from typing import BinaryIO

import pyarrow as pa

from kafka_telemetry.formats.lag.file_name_times import UnusableNameError, end_of_log, taken_at
from kafka_telemetry.formats.lag.lag_reading import lag_readings, rejected_file, unknown_lines
from kafka_telemetry.formats.receipt import Reading, Receipt
from kafka_telemetry.formats.tool_output import NOISE, split_lines

_OFFSET = re.compile(r"([A-Za-z0-9._-]{1,249}):(\d{1,9}):(-?\d{1,18})?\s*")


def looks_like(line: str) -> bool:
    return _OFFSET.fullmatch(line) is not None


def read(file: BinaryIO, name: str) -> Reading:
    lines = split_lines(file.read())
    records = sum(not line.isspace() and line != "" for line in lines)
    try:
        sampled_at, column = taken_at(name), end_of_log(name)
    except UnusableNameError as why:
        yield from rejected_file(str(why), "get_offsets")
        return Receipt("get_offsets", records, 0, not_understood=records, details={"rejected_file": 1})

    rows: list[tuple[int, str, int, int | None]] = []
    strange: list[tuple[int, str]] = []
    ignored = 0
    for number, line in enumerate(lines, 1):
        if found := _OFFSET.fullmatch(line):
            topic, partition, offset = found.groups()
            # 2.8 prints an empty offset for a partition without one; -1 is the protocol's "none".
            known = int(offset) if offset and not offset.startswith("-") else None
            rows.append((number, topic, int(partition), known))
        elif NOISE.match(line):
            ignored += 1
        elif line.strip():
            strange.append((number, line))

    if rows:
        positions, topics, partitions, offsets = (list(values) for values in zip(*rows, strict=True))
        yield from lag_readings(
            len(rows),
            {
                "kind": "log_offset",
                "reporter": "get_offsets",
                "source_position": positions,
                "sampled_at": sampled_at,
                "topic": topics,
                "partition_id": pa.array(partitions, pa.int32()),
                column: offsets,
            },
        )
    yield from unknown_lines(strange, "get_offsets", sampled_at)
    return Receipt("get_offsets", records, len(rows), len(strange), ignored)
