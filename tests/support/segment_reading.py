"""Helpers of tests of segments: rows of a segment, and the rows that kafka-dump-log printed of recorded segments."""

import io
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from kafka_telemetry.formats.compression import decompress
from kafka_telemetry.formats.offset_record import OFFSET_RECORD
from kafka_telemetry.formats.receipt import Receipt
from kafka_telemetry.formats.segments.segment_reader import WINDOW, read_segment

RECORDED = Path(__file__).parents[1] / "recorded"

Row = dict[str, Any]

_BATCH = re.compile(
    r"baseOffset: \d+ .* producerId: (-?\d+) .* partitionLeaderEpoch: (-?\d+) "
    r"isTransactional: (\w+) .* position: (\d+) "
)
_RECORD = re.compile(r"\| offset: (\d+) CreateTime: (-?\d+) keySize: .*? headerKeys: \[\] (.*)")
_DECODED = re.compile(r'key: (\{"type":"(\d+)","data":.*\}) payload: (?:\{"version":"(\d+)","data":(.*)\}|<DELETE>)')
_MARKER = re.compile(r"endTxnMarker: (COMMIT|ABORT) coordinatorEpoch: \d+")


def recorded_segments() -> list[Path]:
    return sorted(path for path in RECORDED.glob("*/offsets-raw/**/*.zst") if ".log" in path.name)


def recorded_dumps() -> list[Path]:
    return sorted(path for path in RECORDED.glob("*/offsets-dump/*.zst") if "batches-only" not in path.name)


def read_file(path: Path) -> bytes:
    with path.open("rb") as file:
        return decompress(file).read()


def read_table(data: bytes, window: int = WINDOW) -> tuple[pa.Table, Receipt]:
    reading = read_segment(io.BytesIO(data), "00000000000000000000.log", window)
    batches = []
    while True:
        try:
            batch = next(reading)
        except StopIteration as end:
            return pa.Table.from_batches(batches, OFFSET_RECORD), end.value
        batch.validate(full=True)
        batches.append(batch)


def read_rows(data: bytes, window: int = WINDOW) -> tuple[list[Row], Receipt]:
    table, receipt = read_table(data, window)
    return table.to_pylist(), receipt


def parse_recorded_dump(dump: Path) -> Iterator[tuple[Path, list[Row]]]:
    """Yields each segment of a recorded dump with the rows that are printed of it."""
    match = re.fullmatch(r"(.*?)-(__consumer_offsets-\d+)(-deleted)?\.txt\.zst", dump.name)
    assert match, dump
    copy, partition, deleted = match.groups()
    suffix = ".deleted.zst" if deleted else ".zst"
    for path, rows in parse_dump_log(read_file(dump).decode()):
        yield dump.parents[1] / "offsets-raw" / copy / partition / (path.name + suffix), rows


def parse_dump_log(text: str) -> Iterator[tuple[Path, list[Row]]]:
    """Yields each segment in kafka-dump-log's output with the rows that are printed of it."""
    for block in text.split("Dumping ")[1:]:
        path, *lines = block.splitlines()
        yield Path(path), list(_rows(lines))


def utc_time(milliseconds: int | None) -> datetime | None:
    if milliseconds is None or milliseconds == -1:
        return None
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)


def full_row(**values: Any) -> Row:
    """Returns a row of OFFSET_RECORD; columns that aren't named are null."""
    return {**dict.fromkeys(OFFSET_RECORD.names), **values}


def _rows(lines: list[str]) -> Iterator[Row]:
    batch: Row = {}
    for line in lines:
        if match := _BATCH.match(line):
            producer, epoch, transactional, position = match.groups()
            batch = {
                "source_position": int(position),
                "batch_leader_epoch": int(epoch),
                "producer_id": None if producer == "-1" else int(producer),
                "transactional": transactional == "true",
            }
        elif match := _RECORD.match(line):
            offset, timestamp, rest = match.groups()
            yield full_row(**batch, record_offset=int(offset), recorded_at=utc_time(int(timestamp)), **_fields(rest))


def _fields(text: str) -> Row:
    if marker := _MARKER.fullmatch(text):
        return {"kind": "marker", "marker": marker[1].lower()}
    match = _DECODED.fullmatch(text)
    assert match, text
    key, key_type, version, value = match.groups()
    names = json.loads(key)["data"]
    key_columns: Row = {
        "kind": "commit" if key_type in "01" else "group",
        "key_type": int(key_type),
        "value_version": None if version is None else int(version),
        "tombstone": value is None,
        "group_id": names.get("group", names.get("groupId")),
        "topic": names.get("topic"),
        "partition_id": names.get("partition"),
        "member_id": names.get("memberId"),
        "regular_expression": names.get("regularExpression"),
    }
    if value is None:
        return key_columns
    if key_columns["kind"] == "group":
        return {**key_columns, "value_json": value}
    fields = json.loads(value)
    epoch = fields.get("leaderEpoch", -1)
    return {
        **key_columns,
        "committed_offset": fields["offset"],
        "leader_epoch": None if epoch == -1 else epoch,
        "metadata": fields["metadata"],
        "committed_at": utc_time(fields["commitTimestamp"]),
        "expires_at": utc_time(fields.get("expireTimestamp")),
        "topic_id": fields.get("topicId"),
    }
