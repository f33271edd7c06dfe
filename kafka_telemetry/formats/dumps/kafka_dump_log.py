"""Reads what kafka-dump-log prints with --offsets-decoder, in all its forms: a line per batch and per record in it.

Records in the usual forms are read by `dump_log_records_fast`, all others by its twin `dump_log_records`.
"""

import re
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from kafka_telemetry.columns import Flags, Integers
from kafka_telemetry.formats.dumps import dump_log_records, dump_log_records_fast
from kafka_telemetry.formats.dumps.dump_log_batches import PrintedBatches
from kafka_telemetry.formats.dumps.dump_log_positions import DUMPED_RECORD, LogPositions
from kafka_telemetry.formats.dumps.line_patterns import exclude
from kafka_telemetry.formats.dumps.text_blocks import TextBlock, TextSpans, line_blocks
from kafka_telemetry.formats.dumps.text_rows import DumpCounts, in_file_order, rows_to_batch
from kafka_telemetry.formats.receipt import Reading

# Lines about a file besides its records. Offsets that are not consecutive are usual: the cleaner leaves them.
_ABOUT_FILE = re.compile(
    r"(?:Log s|S)tarting offset: |Non-consecutive offsets in |\s+\d+ is followed by \d+$|Mismatches in ?:"
    r"|\s+Index offset: |Found timestamp mismatch|Found out of order timestamp|Indexes offsets? not found|"
    r"Missing next offset|Index position \d+ in |\s+Index timestamp: "
)
_INVALID_BYTES = re.compile(r"Found (\d{1,18}) invalid bytes at the end of ")


def read_dump_log(file: BinaryIO, name: str) -> Reading:
    del name
    counts = DumpCounts("batches", "damaged_batches", "records_not_printed", "torn_bytes")
    batches = PrintedBatches()
    positions = LogPositions(batches)
    record_lines = 0
    for block in line_blocks(file):
        records, other_lines = find_records(block, batches)
        record_lines += len(records)
        counts.records += len(records)
        yield from _read_block(block, records, other_lines, positions, counts)
    counts.details["batches"] = batches.count
    counts.details["damaged_batches"] = batches.invalid
    counts.details["records_not_printed"] = max(batches.records - record_lines, 0)
    return counts.receipt("dump_log")


def find_records(block: TextBlock, batches: PrintedBatches) -> tuple[Integers, set[int]]:
    """Reads the lines of files and batches. Returns the lines that are records, and the lines of unknown content."""
    lines = block.spans
    is_file = _start_with(lines, "Dumping ")
    is_batch = _start_with(lines, "baseOffset: ") | _start_with(lines, "offset: ")
    is_record = _start_with(lines, "|")
    for line in batches.read(lines, np.flatnonzero(is_batch), np.flatnonzero(is_file)).tolist():
        is_batch[line] = False
        is_record[line] = dump_log_records.is_record(lines.text_at(line))
    others = np.flatnonzero(~(is_file | is_batch | is_record))
    return np.flatnonzero(is_record), set(others.tolist())


def _read_block(
    block: TextBlock, records: Integers, other_lines: set[int], positions: LogPositions, counts: DumpCounts
) -> Iterator[pa.RecordBatch]:
    positions.start_block(records)
    read_fast, fast_batches = dump_log_records_fast.read_records(block, records, positions)
    left = exclude(records, read_fast)
    read_slowly, batches = dump_log_records.read_records(block, left, positions, other_lines)
    # Without --offsets-decoder or --print-data-log neither key nor value is printed.
    counts.ignored += len(left) - len(read_slowly)
    rows = []
    for line in sorted(other_lines):
        text = block.spans.text_at(line)
        if match := _INVALID_BYTES.match(text):
            counts.details["torn_bytes"] += int(match[1])
        elif _ABOUT_FILE.match(text):
            counts.details["tool_lines"] += 1
        else:
            position = block.first_number + line
            rows += [{**row, "source_position": position} for row in counts.read_other_lines(text)]
    other_batches = [rows_to_batch(rows, DUMPED_RECORD)] if rows else []
    for batch in in_file_order([*fast_batches, *batches, *other_batches], DUMPED_RECORD):
        counts.count(batch)
        yield batch


def _start_with(lines: TextSpans, prefix: str) -> Flags:
    letters = prefix.encode()
    matches = lines.ends - lines.starts >= len(letters)
    for index, letter in enumerate(letters):
        matches[matches] = lines.data[lines.starts[matches] + index] == letter
    return matches
