"""Reads what the console consumer prints of `__consumer_offsets` since 3.9: JSON objects without separators.

They contain no log positions and no record times. The consumer decodes messages inside group records, as kafka-dump-log
does. Commits in the usual form are matched by a pattern, all other objects are parsed one by one.
"""

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from kafka_telemetry.columns import Integers
from kafka_telemetry.formats.dumps.commit_text import JSON_KEY, JSON_VALUE, TOMBSTONE, fit_columns, matched_batch
from kafka_telemetry.formats.dumps.line_patterns import Choice, LinePattern, NumberField, exclude, match_lines
from kafka_telemetry.formats.dumps.printed_records import PrintedRecord, decode_printed_records
from kafka_telemetry.formats.dumps.text_blocks import TextBlock, TextSpans, object_blocks
from kafka_telemetry.formats.dumps.text_rows import (
    INCOMPLETE,
    DumpCounts,
    Row,
    in_file_order,
    rows_to_batch,
    unknown_row,
)
from kafka_telemetry.formats.offset_record import OFFSET_RECORD
from kafka_telemetry.formats.problems import KEY, TEXTS
from kafka_telemetry.formats.receipt import Reading

_OBJECT_START = '{"key":'
# The same field of the key is the version in 3.9 and the type in 4.x.
_COMMIT = LinePattern(
    *('{"key":{"', Choice(("version",), ("type",)), '":', NumberField("key_type"), ",", *JSON_KEY, ',"value":'),
    *(Choice(("null", TOMBSTONE), ('{"version":', NumberField("value_version"), ",", *JSON_VALUE)), "}"),
)
_BLANKS = b" \t\r\n"
# After an object.
_USUAL_BLANKS = 4


def read_console_json(file: BinaryIO, name: str) -> Reading:
    del name
    counts = DumpCounts()
    for block in object_blocks(file):
        for batch in _read_block(block, counts):
            counts.count(batch)
            yield batch
    return counts.receipt("console_json")


def _read_block(block: TextBlock, counts: DumpCounts) -> Iterator[pa.RecordBatch]:
    spans = _without_trailing_blanks(block.spans)
    matched = match_lines(_COMMIT, spans)
    matched = matched.select(fit_columns(matched))
    counts.records += len(matched.lines)
    others = exclude(np.arange(len(spans.starts)), matched.lines)
    rows = _read_one_by_one(spans, others, counts, block.first_number)
    commits = matched_batch("commit", matched, block.first_number + matched.lines, {})
    yield from in_file_order([commits, rows_to_batch(rows, OFFSET_RECORD)], OFFSET_RECORD)


def _read_one_by_one(spans: TextSpans, others: Integers, counts: DumpCounts, first_number: int) -> list[Row]:
    rows: list[Row] = []
    # Records with the index of their row and their text: all are decoded at once.
    printed: list[tuple[int, str, PrintedRecord]] = []
    for span in others.tolist():
        text, rows_before = spans.text_at(span), len(rows)
        if not text.startswith(_OBJECT_START):
            rows += counts.read_other_lines(text)
        else:
            counts.records += 1
            try:
                document, end = json.JSONDecoder().raw_decode(text)
            except (ValueError, RecursionError):
                rows.append(unknown_row(text, INCOMPLETE))
            else:
                record = _printed_record(document)
                if record is None:
                    rows.append(unknown_row(text[:end], str(TEXTS[KEY])))
                else:
                    printed.append((len(rows), text[:end], record))
                    rows.append({})
                rows += counts.read_other_lines(text[end:])
        for row in rows[rows_before:]:
            row["source_position"] = first_number + span
    decoded = decode_printed_records([record for _, _, record in printed])
    for (index, text, _), row in zip(printed, decoded, strict=True):
        original = unknown_row(text, "") if row["kind"] == "unknown" else {}
        rows[index].update({**original, **row})
    return rows


def _printed_record(document: dict[str, Any]) -> PrintedRecord | None:
    key, value = document["key"], document.get("value")
    if not isinstance(key, dict):
        return None
    key_type = key.get("type", key.get("version"))
    if type(key_type) is not int or not isinstance(key.get("data"), dict):
        return None
    if value is None:
        return PrintedRecord(key_type, key["data"], None, None)
    # The tool prints "unknown" for a value that it can't decode. No value is without fields.
    version, fields = (value.get("version"), value.get("data")) if isinstance(value, dict) else (None, None)
    return PrintedRecord(key_type, key["data"], version, fields if isinstance(fields, dict) else {})


def _without_trailing_blanks(spans: TextSpans) -> TextSpans:
    ends = spans.ends.copy()
    for _ in range(_USUAL_BLANKS):
        blank = (ends > spans.starts) & np.isin(spans.data[ends - 1], list(_BLANKS))
        if not blank.any():
            break
        ends -= blank
    else:
        # One span after the other: a file may have millions of blanks in a row.
        for span in np.flatnonzero(blank).tolist():
            ends[span] = spans.starts[span] + len(spans.bytes_at(span).rstrip(_BLANKS))
    return TextSpans(spans.data, spans.starts, ends)
