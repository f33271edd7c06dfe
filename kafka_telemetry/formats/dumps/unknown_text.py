"""Reads a file of unknown format: every line becomes a row that isn't understood, except known messages of tools."""

from typing import BinaryIO

import pyarrow as pa

from kafka_telemetry.formats.dumps.text_rows import Row, rows_to_batch
from kafka_telemetry.formats.offset_record import OFFSET_RECORD
from kafka_telemetry.formats.receipt import Reading, Receipt
from kafka_telemetry.formats.tool_output import NOISE

PROBLEM = "nothing in the file is of a known format"
# Cuts the lines of a file without line feeds.
_LONGEST_LINE = 1 << 20
_BATCH = 1 << 12


def read_unknown(file: BinaryIO, name: str) -> Reading:
    del name
    position = records = ignored = 0
    rows: list[Row] = []
    while line := file.readline(_LONGEST_LINE):
        position += 1
        if text := line.rstrip(b"\r\n"):
            records += 1
            if NOISE.match(text.decode(errors="replace")):
                ignored += 1
                continue
            rows.append({"kind": "unknown", "source_position": position, "problem": PROBLEM, "value_bytes": text})
        if len(rows) == _BATCH:
            yield from _batches(rows)
            rows = []
    yield from _batches(rows)
    # A tool that failed or had nothing else to print.
    format = "tool_messages" if records and records == ignored else "unknown"
    return Receipt(format, records, 0, records - ignored, ignored)


def _batches(rows: list[Row]) -> list[pa.RecordBatch]:
    return [rows_to_batch(rows, OFFSET_RECORD)] if rows else []
