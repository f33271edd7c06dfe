"""What kafka-dump-log prints with --offsets-decoder, in all its forms: a line per batch, and one per record under it."""

import re
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from kafka_telemetry.formats.dumps.dump_log_batches import Batches
from kafka_telemetry.formats.dumps.dump_log_places import Places
from kafka_telemetry.formats.dumps.dump_log_records import is_record, read_records
from kafka_telemetry.formats.dumps.dump_log_records_fast import DUMPED_RECORD, read_columns, read_groups
from kafka_telemetry.formats.dumps.line_patterns import Flags, Lines, without
from kafka_telemetry.formats.dumps.text_blocks import Block, line_blocks
from kafka_telemetry.formats.dumps.text_rows import Counted, in_order, record_batch
from kafka_telemetry.formats.receipt import Reading

# What the tool says of a file beside its records; the cleaner leaves offsets that are not consecutive.
_BESIDE = re.compile(
    r"(?:Log s|S)tarting offset: |Non-consecutive offsets in |\s+\d+ is followed by \d+$|Mismatches in ?:"
    r"|\s+Index offset: |Found timestamp mismatch|Found out of order timestamp|Indexes offsets? not found|"
    r"Missing next offset|Index position \d+ in |\s+Index timestamp: "
)
_INVALID_BYTES = re.compile(r"Found (\d{1,18}) invalid bytes at the end of ")


def read_dump_log(file: BinaryIO, name: str) -> Reading:
    del name
    counted = Counted("batches", "damaged_batches", "records_not_printed", "torn_bytes")
    batches = Batches()
    places = Places(batches)
    lines = 0
    for block in line_blocks(file):
        records = _record_lines(block, batches)
        lines += len(records[0])
        counted.records += len(records[0])
        yield from _read(block, *records, places, counted)
    counted.details["batches"] = batches.found
    counted.details["damaged_batches"] = batches.invalid
    counted.details["records_not_printed"] = max(batches.records - lines, 0)
    return counted.receipt("dump_log")


def _record_lines(block: Block, batches: Batches) -> tuple[np.ndarray, set[int]]:
    """The lines of records, and those of which nothing is known yet; the others are the batches'."""
    lines = block.pieces
    is_file = _start_with(lines, "Dumping ")
    is_batch = _start_with(lines, "baseOffset: ") | _start_with(lines, "offset: ")
    is_record_line = _start_with(lines, "|")
    for line in batches.read(lines, np.flatnonzero(is_batch), np.flatnonzero(is_file)).tolist():
        is_batch[line] = False
        is_record_line[line] = is_record(lines.text_of(line))
    odd = np.flatnonzero(~(is_file | is_batch | is_record_line))
    return np.flatnonzero(is_record_line), set(odd.tolist())


def _read(
    block: Block, records: np.ndarray, odd: set[int], places: Places, counted: Counted
) -> Iterator[pa.RecordBatch]:
    places.begin(records)
    read, quick = read_columns(block, records, places)
    left = without(records, read)
    read, groups = read_groups(block, left, places)
    closer, not_printed = read_records(block, without(left, read), odd, places)
    counted.ignored += not_printed
    rows = []
    for line in sorted(odd):
        text = block.pieces.text_of(line)
        if found := _INVALID_BYTES.match(text):
            counted.details["torn_bytes"] += int(found[1])
        elif _BESIDE.match(text):
            counted.details["tool_lines"] += 1
        else:
            rows += [{**row, "source_position": block.first + line} for row in counted.stray_lines(text)]
    strays = [record_batch(rows, DUMPED_RECORD)] if rows else []
    for batch in in_order([*quick, groups, *closer, *strays], DUMPED_RECORD):
        counted.count(batch)
        yield batch


def _start_with(lines: Lines, word: str) -> Flags:
    letters = word.encode()
    fits = lines.ends - lines.starts >= len(letters)
    for place, letter in enumerate(letters):
        fits[fits] = lines.block[lines.starts[fits] + place] == letter
    return fits
