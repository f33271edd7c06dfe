"""Reads records that kafka-dump-log prints, one by one, in any form: with escapes, over several lines, or incomplete.

Its twin `dump_log_records_fast` reads most records in bulk and leaves those that its patterns don't match. Both give
the same row for whatever the tool prints.
"""

import re

import numpy as np
import pyarrow as pa

from kafka_telemetry.columns import Integers
from kafka_telemetry.formats.dumps.dump_log_json import JSON_START, parse_json_record
from kafka_telemetry.formats.dumps.dump_log_positions import DUMPED_RECORD, LogPositions
from kafka_telemetry.formats.dumps.dump_log_text import TEXT_STARTS, parse_text_record
from kafka_telemetry.formats.dumps.printed_records import PrintedRecord, decode_printed_records
from kafka_telemetry.formats.dumps.text_blocks import TextBlock
from kafka_telemetry.formats.dumps.text_rows import INCOMPLETE, Row, rows_to_batch, unknown_row
from kafka_telemetry.formats.problems import CRC, TEXTS, TIME
from kafka_telemetry.formats.time_range import EARLIEST_TIME, LATEST_TIME

_RECORD = re.compile(
    r"(?:\| )?(?:offset: (?P<offset>\d{1,18}) (?P<head>.*?) )?"
    r"(?:key: (?P<record>.*)|endTxnMarker: (?P<marker>COMMIT|ABORT)\b.*)",
    re.DOTALL,
)
# A record dumped without --offsets-decoder or --print-data-log.
_NOT_PRINTED = re.compile(r"\| offset: \d+ .*(?:sequence: -?\d+|crc: \w+\}?|\])$")
# In the last line of a file that doesn't end with a line feed: more digits may have been cut off.
_MAY_CONTINUE = re.compile(r" payload: offset=-?\d+$")
_RECORD_TIME = re.compile(r"\b(?:CreateTime|LogAppendTime): (-?\d{1,18})\b")
_KEY_SIZE, _VALUE_SIZE = re.compile(r"\bkey[sS]ize: (\d{1,9})\b"), re.compile(r"\bvalue[sS]ize: (\d{1,9})\b")
# Of a record: commit metadata may contain line feeds.
_MOST_LINES = 100
# Keys of a row, besides its columns: the offset and time printed on the record's own line.
_PRINTED_OFFSET, _PRINTED_TIME = "printed offset", "printed time"


def is_record(text: str) -> bool:
    """Before 2.x no `|` was printed before a record."""
    return _RECORD.match(text) is not None


def read_records(
    block: TextBlock, records: Integers, positions: LogPositions, other_lines: set[int]
) -> tuple[Integers, list[pa.RecordBatch]]:
    """Returns the lines of the records that were read, and at most one batch of DUMPED_RECORD.

    The lines that aren't returned have neither key nor value. Other lines that turn out to continue a record are removed
    from `other_lines`.
    """
    lines = block.spans
    cut_off = -1 if block.is_complete else len(lines.starts) - 1
    rows: list[Row] = []
    read: list[int] = []
    printed: list[tuple[Row, str, PrintedRecord]] = []
    for line, is_valid in zip(records.tolist(), positions.are_valid(records).tolist(), strict=True):
        text = lines.text_at(line)
        if _NOT_PRINTED.match(text) and not is_record(text):
            continue
        row = None if line == cut_off and _MAY_CONTINUE.search(text) else _parse_record(text, is_valid)
        next_line = line + 1
        while row is None and next_line in other_lines and next_line - line < _MOST_LINES:
            text += "\n" + lines.text_at(next_line)
            row = _parse_record(text, is_valid)
            next_line += 1
        if row is None:
            row = unknown_row(lines.bytes_at(line), INCOMPLETE)
        else:
            other_lines.difference_update(range(line + 1, next_line))
        if isinstance(row, tuple):
            row, record = row
            printed.append((row, text, record))
        row["source_position"] = block.first_number + line
        rows.append(row)
        read.append(line)
    for (row, text, _), decoded in zip(printed, decode_printed_records([item[2] for item in printed]), strict=True):
        # The bytes of a record that could be encoded replace its text.
        original = unknown_row(text, "") if decoded["kind"] == "unknown" else {}
        row.update({**original, **decoded})
    if not rows:
        return np.empty(0, np.int64), []
    read_lines = np.array(read, np.int64)
    batch = rows_to_batch(rows, DUMPED_RECORD)
    on_line = [pa.array([row.get(name) for row in rows], pa.int64()) for name in (_PRINTED_OFFSET, _PRINTED_TIME)]
    position_columns = positions.columns(read_lines, *on_line)
    columns = [position_columns.get(name, batch.column(name)) for name in DUMPED_RECORD.names]
    return read_lines, [pa.RecordBatch.from_arrays(columns, schema=DUMPED_RECORD)]


def _parse_record(text: str, is_valid: bool) -> Row | tuple[Row, PrintedRecord] | None:
    """Returns a row, or the printed offset and time with a record to decode; null if the record isn't complete."""
    match = _RECORD.fullmatch(text)
    if not match:
        return None
    parsed = _parse_key_and_payload(match) if is_valid else unknown_row(text, str(TEXTS[CRC]))
    if parsed is None:
        return None
    on_line: Row = {}
    if match["offset"] is not None:
        time = _first_number(_RECORD_TIME, match["head"])
        on_line = {_PRINTED_OFFSET: int(match["offset"]), _PRINTED_TIME: time}
        if not EARLIEST_TIME <= (time or 0) <= LATEST_TIME:
            return {**unknown_row(text, str(TEXTS[TIME])), _PRINTED_OFFSET: on_line[_PRINTED_OFFSET]}
    return (on_line, parsed) if isinstance(parsed, PrintedRecord) else {**parsed, **on_line}


def _parse_key_and_payload(match: "re.Match[str]") -> Row | PrintedRecord | None:
    if match["marker"]:
        return {"kind": "marker", "marker": match["marker"].lower()}
    if match["record"].startswith(JSON_START):
        return parse_json_record(match["record"])
    if match["record"].startswith(TEXT_STARTS):
        key_size, value_size = (_first_number(pattern, match["head"]) for pattern in (_KEY_SIZE, _VALUE_SIZE))
        return parse_text_record(match["record"], key_size, value_size)
    return None


def _first_number(pattern: "re.Pattern[str]", text: str | None) -> int | None:
    match = pattern.search(text or "")
    return int(match[1]) if match else None
