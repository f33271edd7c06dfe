"""Rows of text dumps: lines that aren't understood, counts for the receipt, and batches in the order of the file."""

import re
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.formats.integer_ranges import LARGEST_INT64
from kafka_telemetry.formats.receipt import Receipt
from kafka_telemetry.formats.tool_output import NOISE

Row = dict[str, Any]

UNRECOGNISED = "no record and no known message of the tool"
INCOMPLETE = "the record ends too early, or a message of the tool stands in it"

_CONSUMER_SUMMARY = re.compile(r"Processed a total of \d+ messages")
_DETAILS = {"commit": "commits", "group": "group_records", "marker": "markers"}


def unknown_row(text: bytes | str, problem: str) -> Row:
    return {"kind": "unknown", "problem": problem, "value_bytes": text.encode() if isinstance(text, str) else text}


class DumpCounts:
    """Counts for the receipt of a text dump."""

    def __init__(self, *details: str) -> None:
        self.records = self.ignored = 0
        self.details = dict.fromkeys(("commits", "group_records", "markers", "unknown_records", "tool_lines"), 0)
        self.details.update(dict.fromkeys(details, 0))

    def read_other_lines(self, text: str) -> list[Row]:
        """Counts lines that are no record, and returns rows for those that the tool isn't known to print."""
        rows = []
        for line in text.split("\n"):
            line = line.rstrip("\r")
            if not line.strip():
                continue
            if NOISE.match(line) or _CONSUMER_SUMMARY.match(line):
                self.details["tool_lines"] += 1
            else:
                self.records += 1
                rows.append(unknown_row(line, UNRECOGNISED))
        return rows

    def count(self, batch: pa.RecordBatch) -> None:
        for kind in pc.value_counts(batch.column("kind")).to_pylist():
            self.details[_DETAILS.get(kind["values"], "unknown_records")] += kind["counts"]

    def receipt(self, format: str) -> Receipt:
        understood = self.details["commits"] + self.details["group_records"] + self.details["markers"]
        not_understood = self.details["unknown_records"]
        # Some details are sums of numbers that the dump prints.
        details = {name: min(count, LARGEST_INT64) for name, count in self.details.items()}
        return Receipt(format, self.records, understood, not_understood, self.ignored, details)


def rows_to_batch(rows: Sequence[Row], schema: pa.Schema) -> pa.RecordBatch:
    columns = [pa.array([row.get(field.name) for row in rows], field.type) for field in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def in_file_order(batches: Sequence[pa.RecordBatch], schema: pa.Schema) -> list[pa.RecordBatch]:
    """Merges batches into at most one, sorted by position in the file."""
    parts = [batch for batch in batches if batch.num_rows]
    if len(parts) < 2:
        return parts
    table = pa.Table.from_batches(parts, schema).combine_chunks()
    order = pc.sort_indices(table, [("source_position", "ascending")])
    return list(table.take(order).combine_chunks().to_batches())
