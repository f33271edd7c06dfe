import json
import struct
from datetime import timedelta

import pytest
from support.segment_reading import Row, read_file, read_rows, recorded_segments

from kafka_telemetry.formats.segments.record_encoding import encode_key, encode_value
from kafka_telemetry.formats.segments.segment_shift import shift_segment
from kafka_telemetry.formats.segments.segment_writer import Batch, Record, encode_batch

DAY = 86_400_000
TIMES = {"currentStateTimestamp", "assignmentTimestamp", "timestamp"}
GENERATIONS = {"generation", "generationId", "epoch", "assignmentEpoch"}
MEMBER_EPOCHS = {"memberEpoch", "previousMemberEpoch"}


def test_a_segment_shifted_by_zero_is_unchanged() -> None:
    uncompressed = [
        data for data in map(read_file, recorded_segments()) if read_rows(data)[1].details["packed_batches"] == 0
    ]
    assert len(uncompressed) > 50
    for data in uncompressed:
        assert shift_segment(data, milliseconds=0, offsets=0, generations=0) == data


def test_every_recorded_time_offset_and_generation_is_shifted_and_nothing_else() -> None:
    segments = [path for path in recorded_segments() if "final" in str(path) and "kafka-4.3" in str(path)]
    assert segments
    for path in segments:
        data = read_file(path)
        before, _ = read_rows(data)
        after, receipt = read_rows(shift_segment(data, milliseconds=DAY, offsets=5000, generations=100))
        assert receipt.details["damaged_batches"] == 0
        for row in [*before, *after]:
            # A batch that was decompressed and compressed again may have another length.
            del row["source_position"]
        assert after == [_shifted(row) for row in before]


def _shifted(row: Row) -> Row:
    day = timedelta(milliseconds=DAY)
    times = {name: row[name] and row[name] + day for name in ("recorded_at", "committed_at", "expires_at")}
    shifted = {**row, **times, "record_offset": row["record_offset"] + 5000}
    if row["value_json"]:
        fields = _shifted_fields(json.loads(row["value_json"]))
        shifted["value_json"] = json.dumps(fields, separators=(",", ":"), ensure_ascii=False)
    if row["value_bytes"]:
        shifted["value_bytes"] = None
        raise AssertionError("no recorded row of 4.3 has bytes")
    return shifted


def _shifted_fields(fields: dict[str, object]) -> dict[str, object]:
    return {name: _shifted_field(name, value) for name, value in fields.items()}


def _shifted_field(name: str, value: object) -> object:
    if isinstance(value, dict):
        return _shifted_fields(value)
    if isinstance(value, list):
        return [_shifted_field(name, item) for item in value]
    if name in TIMES and isinstance(value, int):
        return value + DAY if value >= 0 else value
    if name in GENERATIONS and isinstance(value, int):
        return value + 100 if value >= 0 else value
    if name in MEMBER_EPOCHS | {"assignmentEpochs"} and isinstance(value, int):
        return value + 100 if value > 0 else value
    return value


def test_the_delete_horizon_is_shifted_with_the_times() -> None:
    key, value = encode_key(3, {"groupId": "g"}), encode_value(3, 0, {"epoch": 1})
    batch = encode_batch(Batch([Record(0, 50, key, value)], delete_horizon=70))
    shifted = shift_segment(batch, milliseconds=1000, offsets=0, generations=0)
    assert struct.unpack_from(">q", shifted, 27) == (1070,)


def test_a_segment_with_an_incomplete_batch_is_not_shifted() -> None:
    with pytest.raises(ValueError, match="no whole batch of magic 2 at byte 0"):
        shift_segment(encode_batch(Batch([Record(0, 0, b"", b"")]))[:-1], milliseconds=0, offsets=0, generations=0)
