"""Records of kafka-dump-log that are looked at one by one: groups, escapes, other forms, and what is torn."""

import re

import numpy as np
import pyarrow as pa

from kafka_telemetry.formats.dumps import dump_log_json, dump_log_text
from kafka_telemetry.formats.dumps.dump_log_places import Places
from kafka_telemetry.formats.dumps.dump_log_records_fast import DUMPED_RECORD
from kafka_telemetry.formats.dumps.line_patterns import Longs
from kafka_telemetry.formats.dumps.printed_records import Given, rows_of
from kafka_telemetry.formats.dumps.text_blocks import Block
from kafka_telemetry.formats.dumps.text_rows import TORN, Row, record_batch, unknown
from kafka_telemetry.formats.offset_record import EARLIEST_TIME, LATEST_TIME
from kafka_telemetry.formats.problems import CRC, TEXTS, TIME

_RECORD = re.compile(
    r"(?:\| )?(?:offset: (?P<offset>\d{1,18}) (?P<head>.*?) )?"
    r"(?:key: (?P<record>.*)|endTxnMarker: (?P<marker>COMMIT|ABORT)\b.*)",
    re.DOTALL,
)
# Without --offsets-decoder or --print-data-log.
_NOT_PRINTED = re.compile(r"\| offset: \d+ .*(?:headerKeys: \[.*\]|sequence: -?\d+|crc: \w+\}?)$")
# More digits may have been cut away.
_MAY_GO_ON = re.compile(r" payload: offset=-?\d+$")
_RECORD_TIME = re.compile(r"\b(?:CreateTime|LogAppendTime): (-?\d{1,18})\b")
_KEY_SIZE, _VALUE_SIZE = re.compile(r"\bkey[sS]ize: (\d{1,9})\b"), re.compile(r"\bvalue[sS]ize: (\d{1,9})\b")
# A metadata text may have line feeds in it.
_MOST_LINES = 100
# Beside the columns of a row: what its line prints of its place.
_OFFSET, _TIME = "printed offset", "printed time"


def is_record(text: str) -> bool:
    """Before 2.x nothing stood before the offset of a record."""
    return _RECORD.match(text) is not None


def read_records(block: Block, records: Longs, odd: set[int], places: Places) -> tuple[list[pa.RecordBatch], int]:
    """At most one batch, and how many of the records had nothing printed. Takes lines that go on out of `odd`."""
    lines = block.pieces
    torn = -1 if block.ended else len(lines.starts) - 1
    rows: list[Row] = []
    at: list[int] = []
    given: list[tuple[Row, Given, str]] = []
    for line, trusted in zip(records.tolist(), places.trusted(records).tolist(), strict=True):
        text = lines.text_of(line)
        if _NOT_PRINTED.match(text):
            continue
        row = None if line == torn and _MAY_GO_ON.search(text) else _read(text, trusted)
        follows = line + 1
        while row is None and follows in odd and follows - line < _MOST_LINES:
            text += "\n" + lines.text_of(follows)
            row = _read(text, trusted)
            follows += 1
        if row is None:
            row = unknown(lines.bytes_of(line), TORN)
        else:
            odd.difference_update(range(line + 1, follows))
        if isinstance(row, tuple):
            row, fields = row
            given.append((row, fields, text))
        row["source_position"] = block.first + line
        rows.append(row)
        at.append(line)
    for (row, _, text), told in zip(given, rows_of([fields for _, fields, _ in given]), strict=True):
        # Where the record could be written at all, its bytes are kept, and not its text.
        kept = unknown(text, "") if told["kind"] == "unknown" else {}
        row.update({**kept, **told})
    if not rows:
        return [], len(records)
    batch = record_batch(rows, DUMPED_RECORD)
    printed = [pa.array([row.get(name) for row in rows], pa.int64()) for name in (_OFFSET, _TIME)]
    placed = places.columns(np.array(at, np.int64), *printed)
    columns = [placed.get(name, batch.column(name)) for name in DUMPED_RECORD.names]
    return [pa.RecordBatch.from_arrays(columns, schema=DUMPED_RECORD)], len(records) - len(rows)


def _read(text: str, trusted: bool) -> Row | tuple[Row, Given] | None:
    """Null where it isn't whole."""
    found = _RECORD.fullmatch(text)
    if not found:
        return None
    row = _fields(found) if trusted else unknown(text, str(TEXTS[CRC]))
    if row is None:
        return None
    place: Row = {}
    if found["offset"] is not None:
        place = {_OFFSET: int(found["offset"]), _TIME: _first_number(_RECORD_TIME, found["head"])}
        if not EARLIEST_TIME <= (place[_TIME] or 0) <= LATEST_TIME:
            return {**unknown(text, str(TEXTS[TIME])), _OFFSET: place[_OFFSET]}
    return (place, row) if isinstance(row, Given) else {**row, **place}


def _fields(found: "re.Match[str]") -> Row | Given | None:
    if found["marker"]:
        return {"kind": "marker", "marker": found["marker"].lower()}
    if found["record"].startswith(dump_log_json.BEGIN):
        return dump_log_json.read_json(found["record"])
    if found["record"].startswith(dump_log_text.BEGINNINGS):
        key_size, value_size = (_first_number(pattern, found["head"]) for pattern in (_KEY_SIZE, _VALUE_SIZE))
        return dump_log_text.read_text(found["record"], key_size, value_size)
    return None


def _first_number(pattern: "re.Pattern[str]", text: str | None) -> int | None:
    found = pattern.search(text or "")
    return int(found[1]) if found else None
