"""What the console consumer prints of `__consumer_offsets` since 3.9: JSON objects with nothing between them.

It tells no positions in the log and no times of records. What is encoded inside a group record comes out decoded, as
kafka-dump-log prints it.
"""

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from kafka_telemetry.formats.dumps.commit_text import JSON_KEY, JSON_VALUE, TOMBSTONE, plausible, records
from kafka_telemetry.formats.dumps.line_patterns import Either, Layout, Lines, Number, fitting, without
from kafka_telemetry.formats.dumps.printed_records import Given, rows_of
from kafka_telemetry.formats.dumps.text_blocks import Block, object_blocks
from kafka_telemetry.formats.dumps.text_rows import TORN, Counted, Row, in_order, record_batch, unknown
from kafka_telemetry.formats.offset_record import OFFSET_RECORD
from kafka_telemetry.formats.problems import KEY, TEXTS
from kafka_telemetry.formats.receipt import Reading

BEGIN = '{"key":'
# The same field of the key is the version in 3.9 and the type in 4.x.
_COMMIT = Layout(
    *('{"key":{"', Either(("version",), ("type",)), '":', Number("key_type"), ",", *JSON_KEY, ',"value":'),
    *(Either(("null", TOMBSTONE), ('{"version":', Number("value_version"), ",", *JSON_VALUE)), "}"),
)
_BLANKS = b" \t\r\n"


def read_console_json(file: BinaryIO, name: str) -> Reading:
    del name
    counted = Counted()
    for block in object_blocks(file):
        for batch in _read(block, counted):
            counted.count(batch)
            yield batch
    return counted.receipt("console_json")


def _read(block: Block, counted: Counted) -> Iterator[pa.RecordBatch]:
    pieces = _without_blanks(block.pieces)
    found = fitting(_COMMIT, pieces)
    fine = plausible(found)
    found = found.some(fine)
    counted.records += len(found.rows)
    others = without(np.arange(len(pieces.starts)), found.rows)
    rows = _look_closer(pieces, others, counted, block.first)
    quick = records("commit", found, block.first + found.rows, {})
    yield from in_order([quick, record_batch(rows, OFFSET_RECORD)], OFFSET_RECORD)


def _look_closer(pieces: Lines, wanted: np.ndarray, counted: Counted, first: int) -> list[Row]:
    rows: list[Row] = []
    given: list[Given] = []
    given_at: list[int] = []
    texts: list[str] = []
    for piece in wanted.tolist():
        text, before = pieces.text_of(piece), len(rows)
        if not text.startswith(BEGIN):
            rows += counted.stray_lines(text)
        else:
            counted.records += 1
            try:
                record, end = json.JSONDecoder().raw_decode(text)
            except (ValueError, RecursionError):
                rows.append(unknown(text, TORN))
            else:
                fields = _given(record)
                if fields is None:
                    rows.append(unknown(text[:end], str(TEXTS[KEY])))
                else:
                    given.append(fields)
                    given_at.append(len(rows))
                    texts.append(text[:end])
                    rows.append({})
                rows += counted.stray_lines(text[end:])
        for row in rows[before:]:
            row["source_position"] = first + piece
    for at, text, row in zip(given_at, texts, rows_of(given), strict=True):
        kept = unknown(text, "") if row["kind"] == "unknown" else {}
        rows[at].update({**kept, **row})
    return rows


def _given(record: dict[str, Any]) -> Given | None:
    key, value = record["key"], record.get("value")
    if not isinstance(key, dict):
        return None
    key_type = key.get("type", key.get("version"))
    if not isinstance(key_type, int) or not isinstance(key.get("data"), dict):
        return None
    if not isinstance(value, dict):
        # A value that the tool could not decode is the word "unknown".
        return Given(key_type, key["data"], None, None if value is None else {})
    return Given(key_type, key["data"], value.get("version"), value.get("data"))


def _without_blanks(pieces: Lines) -> Lines:
    ends = pieces.ends.copy()
    while True:
        blank = (ends > pieces.starts) & np.isin(pieces.block[ends - 1], list(_BLANKS))
        if not blank.any():
            return Lines(pieces.block, pieces.starts, ends)
        ends -= blank
