"""Rows that were read in columns and rows that were looked at one by one, in the order of their file, and counted."""

import re
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.formats.receipt import Receipt
from kafka_telemetry.formats.tool_output import NOISE

Row = dict[str, Any]
_COUNT = re.compile(r"Processed a total of \d+ messages")
NOT_OF_THE_TOOL = "no record and no known message of the tool"
TORN = "the record ends too early, or a message of the tool stands in it"


def unknown(text: bytes | str, problem: str) -> Row:
    """What isn't understood keeps its text."""
    return {"kind": "unknown", "problem": problem, "value_bytes": text.encode() if isinstance(text, str) else text}


class Counted:
    """What a receipt needs to know of a text dump."""

    def __init__(self, *details: str) -> None:
        self.records = self.ignored = 0
        self.details = dict.fromkeys(("commits", "group_records", "markers", "unknown_records", "tool_lines"), 0)
        self.details.update(dict.fromkeys(details, 0))

    def stray_lines(self, text: str) -> list[Row]:
        """Rows for the lines that are no record: none for what the tool is known to print beside."""
        rows = []
        for line in text.split("\n"):
            line = line.rstrip("\r")
            if not line.strip():
                continue
            if NOISE.match(line) or _COUNT.match(line):
                self.details["tool_lines"] += 1
            else:
                self.records += 1
                rows.append(unknown(line, NOT_OF_THE_TOOL))
        return rows

    def count(self, batch: pa.RecordBatch) -> None:
        for kind in pc.value_counts(batch.column("kind")).to_pylist():
            name = {"commit": "commits", "group": "group_records", "marker": "markers"}.get(kind["values"])
            self.details[name or "unknown_records"] += kind["counts"]

    def receipt(self, format: str) -> Receipt:
        understood = self.details["commits"] + self.details["group_records"] + self.details["markers"]
        not_understood = self.details["unknown_records"]
        return Receipt(format, self.records, understood, not_understood, self.ignored, self.details)


def record_batch(rows: Sequence[Row], schema: pa.Schema) -> pa.RecordBatch:
    columns = [pa.array([row.get(field.name) for row in rows], field.type) for field in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def in_order(batches: Sequence[pa.RecordBatch], schema: pa.Schema) -> list[pa.RecordBatch]:
    """At most one batch: by place in the file."""
    parts = [batch for batch in batches if batch.num_rows]
    if len(parts) < 2:
        return parts
    table = pa.Table.from_batches(parts, schema).combine_chunks()
    order = pc.sort_indices(table, [("source_position", "ascending")])
    return list(table.take(order).combine_chunks().to_batches())
