"""What tests of segments share: rows of a reading, and what kafka-dump-log printed of the recorded segments."""

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


def content(path: Path) -> bytes:
    with path.open("rb") as file:
        return decompress(file).read()


def table_of(data: bytes, window: int = WINDOW) -> tuple[pa.Table, Receipt]:
    reading = read_segment(io.BytesIO(data), "00000000000000000000.log", window)
    batches = []
    while True:
        try:
            batch = next(reading)
        except StopIteration as end:
            return pa.Table.from_batches(batches, OFFSET_RECORD), end.value
        batch.validate(full=True)
        batches.append(batch)


def rows_of(data: bytes, window: int = WINDOW) -> tuple[list[Row], Receipt]:
    table, receipt = table_of(data, window)
    return table.to_pylist(), receipt


def dumped_segments(dump: Path) -> Iterator[tuple[Path, list[Row]]]:
    """Each segment of a dump with the rows that its lines tell."""
    found = re.fullmatch(r"(.*?)-(__consumer_offsets-\d+)(-deleted)?\.txt\.zst", dump.name)
    assert found, dump
    copy, partition, deleted = found.groups()
    suffix = ".deleted.zst" if deleted else ".zst"
    for path, rows in dumped(content(dump).decode()):
        yield dump.parents[1] / "offsets-raw" / copy / partition / (path.name + suffix), rows


def dumped(text: str) -> Iterator[tuple[Path, list[Row]]]:
    """Each segment that kafka-dump-log printed, with the rows that its lines tell."""
    for block in text.split("Dumping ")[1:]:
        path, *lines = block.splitlines()
        yield Path(path), list(_rows(lines))


def time(milliseconds: int | None) -> datetime | None:
    if milliseconds is None or milliseconds == -1:
        return None
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)


def row(**values: Any) -> Row:
    return {**dict.fromkeys(OFFSET_RECORD.names), **values}


def _rows(lines: list[str]) -> Iterator[Row]:
    batch: Row = {}
    for line in lines:
        if found := _BATCH.match(line):
            producer, epoch, transactional, position = found.groups()
            batch = {
                "source_position": int(position),
                "batch_leader_epoch": int(epoch),
                "producer_id": None if producer == "-1" else int(producer),
                "transactional": transactional == "true",
            }
        elif found := _RECORD.match(line):
            offset, timestamp, rest = found.groups()
            yield row(**batch, record_offset=int(offset), recorded_at=time(int(timestamp)), **_fields(rest))


def _fields(text: str) -> Row:
    if marker := _MARKER.fullmatch(text):
        return {"kind": "marker", "marker": marker[1].lower()}
    found = _DECODED.fullmatch(text)
    assert found, text
    key, key_type, version, value = found.groups()
    names = json.loads(key)["data"]
    told: Row = {
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
        return told
    if told["kind"] == "group":
        return {**told, "value_json": value}
    fields = json.loads(value)
    epoch = fields.get("leaderEpoch", -1)
    return {
        **told,
        "committed_offset": fields["offset"],
        "leader_epoch": None if epoch == -1 else epoch,
        "metadata": fields["metadata"],
        "committed_at": time(fields["commitTimestamp"]),
        "expires_at": time(fields.get("expireTimestamp")),
        "topic_id": fields.get("topicId"),
    }
