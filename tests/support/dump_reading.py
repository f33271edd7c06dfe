"""Helpers of tests of text dumps: rows of a dump, and the records of the raw copies beside a recorded dump."""

import io
from pathlib import Path

import pyarrow as pa

from kafka_telemetry.formats.dumps.dump_reader import read_offset_dump
from kafka_telemetry.formats.offset_record import OFFSET_RECORD
from kafka_telemetry.formats.receipt import Receipt
from support.segment_reading import RECORDED, Row, read_file, read_rows


def read_dump(data: bytes | str, name: str = "dump.txt") -> tuple[list[Row], Receipt]:
    reading = read_offset_dump(io.BytesIO(data.encode() if isinstance(data, str) else data), name)
    rows: list[Row] = []
    while True:
        try:
            batch: pa.RecordBatch = next(reading)
        except StopIteration as end:
            receipt: Receipt = end.value
            break
        batch.validate(full=True)
        assert batch.schema.names[: len(OFFSET_RECORD)] == OFFSET_RECORD.names
        rows += batch.to_pylist()
    assert receipt.records == receipt.understood + receipt.not_understood + receipt.ignored
    assert receipt.not_understood == sum(row["kind"] in ("unknown", "damaged") for row in rows)
    return rows, receipt


def without_nulls(row: Row) -> Row:
    return {name: value for name, value in row.items() if value is not None}


def recorded_records(recording: str) -> list[Row]:
    """Returns every record that any copy of a recording's segments still contains."""
    records: dict[tuple[str, int], Row] = {}
    segments = sorted(path for path in (RECORDED / recording / "offsets-raw").rglob("*.zst") if ".log" in path.name)
    assert segments
    for segment in segments:
        for row in read_rows(read_file(segment))[0]:
            records[segment.parent.name, row["record_offset"]] = row
    return list(records.values())


def recorded_console_dumps() -> list[Path]:
    return sorted(RECORDED.glob("*/console-consumer/*.zst"))
