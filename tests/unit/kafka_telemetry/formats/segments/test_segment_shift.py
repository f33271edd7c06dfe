import json
import struct
from datetime import timedelta

import pytest
from support.segment_reading import Row, content, recorded_segments, rows_of

from kafka_telemetry.formats.segments.record_encoding import encode_key, encode_value
from kafka_telemetry.formats.segments.segment_shift import shift_segment
from kafka_telemetry.formats.segments.segment_writer import Batch, Record, encode_batch

DAY = 86_400_000
TIMES = {"currentStateTimestamp", "assignmentTimestamp", "timestamp"}
GENERATIONS = {"generation", "generationId", "epoch", "assignmentEpoch"}
MEMBER_EPOCHS = {"memberEpoch", "previousMemberEpoch"}


def test_a_segment_moved_by_nothing_is_the_same() -> None:
    unpacked = [data for data in map(content, recorded_segments()) if rows_of(data)[1].details["packed_batches"] == 0]
    assert len(unpacked) > 50
    for data in unpacked:
        assert shift_segment(data, milliseconds=0, offsets=0, generations=0) == data


def test_every_time_offset_and_generation_of_the_recordings_is_moved_and_nothing_else() -> None:
    segments = [path for path in recorded_segments() if "final" in str(path) and "kafka-4.3" in str(path)]
    assert segments
    for path in segments:
        data = content(path)
        before, _ = rows_of(data)
        after, receipt = rows_of(shift_segment(data, milliseconds=DAY, offsets=5000, generations=100))
        assert receipt.details["damaged_batches"] == 0
        for row in [*before, *after]:
            # Packed again, a batch may be of another length.
            del row["source_position"]
        assert after == [_moved(row) for row in before]


def _moved(row: Row) -> Row:
    day = timedelta(milliseconds=DAY)
    times = {name: row[name] and row[name] + day for name in ("recorded_at", "committed_at", "expires_at")}
    moved = {**row, **times, "record_offset": row["record_offset"] + 5000}
    if row["value_json"]:
        fields = _moved_fields(json.loads(row["value_json"]))
        moved["value_json"] = json.dumps(fields, separators=(",", ":"), ensure_ascii=False)
    if row["value_bytes"]:
        moved["value_bytes"] = None
        raise AssertionError("no recording of 4.3 keeps bytes")
    return moved


def _moved_fields(fields: dict[str, object]) -> dict[str, object]:
    return {name: _moved_field(name, value) for name, value in fields.items()}


def _moved_field(name: str, value: object) -> object:
    if isinstance(value, dict):
        return _moved_fields(value)
    if isinstance(value, list):
        return [_moved_field(name, item) for item in value]
    if name in TIMES and isinstance(value, int):
        return value + DAY if value >= 0 else value
    if name in GENERATIONS and isinstance(value, int):
        return value + 100 if value >= 0 else value
    if name in MEMBER_EPOCHS | {"assignmentEpochs"} and isinstance(value, int):
        return value + 100 if value > 0 else value
    return value


def test_the_delete_horizon_moves_with_the_times() -> None:
    key, value = encode_key(3, {"groupId": "g"}), encode_value(3, 0, {"epoch": 1})
    batch = encode_batch(Batch([Record(0, 50, key, value)], delete_horizon=70))
    moved = shift_segment(batch, milliseconds=1000, offsets=0, generations=0)
    assert struct.unpack_from(">q", moved, 27) == (1070,)


def test_a_torn_segment_is_not_moved() -> None:
    with pytest.raises(ValueError, match="no whole batch of magic 2 at byte 0"):
        shift_segment(encode_batch(Batch([Record(0, 0, b"", b"")]))[:-1], milliseconds=0, offsets=0, generations=0)
