"""Offset commits decoded by hand and by the schema: both give the same results for any bytes."""

import base64
import json
import struct
from typing import Any, NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from support.segment_reading import read_file, read_rows, recorded_segments
from support.segment_records import encode_row

from kafka_telemetry.formats.problems import TIME, TRAILING_BYTES, VALUE, VALUE_UTF8
from kafka_telemetry.formats.raw_memory import SLACK
from kafka_telemetry.formats.segments.commit_value_fast import FIRST_WITH_LEADER_EPOCH, read_commit
from kafka_telemetry.formats.segments.compiled_schema import SCHEMA_PROGRAM
from kafka_telemetry.formats.segments.record_encoding import encode_value
from kafka_telemetry.formats.segments.record_schema import NO_UUID
from kafka_telemetry.formats.segments.value_fields import INEXACT, UNDERSTOOD
from kafka_telemetry.formats.segments.value_json import STACK_DEPTH, STACK_WIDTH, write_fitting_value

COMMIT_TYPE = 1
TIMES = st.integers(-1, 1 << 42) | st.integers(-(1 << 63), (1 << 63) - 1)


class Decoded(NamedTuple):
    fields: dict[str, Any]
    is_exact: bool
    has_trailing_bytes: bool


def _decode_by_hand(value: bytes) -> Decoded | str:
    version = struct.unpack_from(">h", value)[0]
    commit = read_commit(np.frombuffer(value + bytes(SLACK), np.uint8), 0, len(value), version)
    if commit.problem in (VALUE, VALUE_UTF8):
        return "not understood"
    fields: dict[str, Any] = {
        "offset": struct.unpack_from(">q", value, 2)[0],
        "metadata": value[commit.metadata : commit.metadata + commit.metadata_length].decode(),
        "commitTimestamp": commit.commit_time,
    }
    if version >= FIRST_WITH_LEADER_EPOCH:
        fields["leaderEpoch"] = struct.unpack_from(">i", value, 10)[0]
    if version == 1:
        fields["expireTimestamp"] = commit.expiry_time
    if commit.topic_id >= 0:
        uuid = value[commit.topic_id : commit.topic_id + 16]
        fields["topicId"] = base64.urlsafe_b64encode(uuid).decode().rstrip("=")
    # Of a value with an invalid time it isn't known whether bytes follow.
    return Decoded(fields, commit.is_exact, commit.problem == TRAILING_BYTES)


def _decode_by_schema(value: bytes) -> Decoded | str:
    version = struct.unpack_from(">h", value)[0]
    source = np.frombuffer(value + bytes(SLACK), np.uint8)
    out = np.zeros(20 * len(value) + 1000, np.uint8)
    stack = np.zeros((STACK_DEPTH, STACK_WIDTH), np.int64)
    layouts = SCHEMA_PROGRAM.values[COMMIT_TYPE, version]
    status, read_to, end = write_fitting_value(
        SCHEMA_PROGRAM, layouts, source, 2, len(value), out, 0, len(out) - SLACK, stack
    )
    if status > INEXACT:
        return "not understood"
    return Decoded(json.loads(out[:end].tobytes()), status == UNDERSTOOD, read_to != len(value))


def _assert_equal(value: bytes) -> None:
    by_hand, by_schema = _decode_by_hand(value), _decode_by_schema(value)
    if isinstance(by_hand, Decoded) and isinstance(by_schema, Decoded) and _has_invalid_time(value):
        by_schema = by_schema._replace(has_trailing_bytes=False)
    assert by_hand == by_schema


def _has_invalid_time(value: bytes) -> bool:
    version = struct.unpack_from(">h", value)[0]
    return bool(read_commit(np.frombuffer(value + bytes(SLACK), np.uint8), 0, len(value), version).problem == TIME)


@st.composite
def encoded_commits(draw: st.DrawFn) -> bytes:
    fields = {
        "offset": draw(st.integers(-(1 << 63), (1 << 63) - 1)),
        "leaderEpoch": draw(st.integers(-1, (1 << 31) - 1)),
        "metadata": draw(st.text(st.characters(exclude_categories=["Cs"]), max_size=200)),
        "commitTimestamp": draw(TIMES),
        "expireTimestamp": draw(TIMES),
        "topicId": draw(st.sampled_from([NO_UUID, "MKXx1fIkQy2J9jXHhK8m1w"])),
    }
    return encode_value(COMMIT_TYPE, draw(st.integers(0, 4)), fields)


@given(encoded_commits(), st.binary(max_size=3))
@settings(max_examples=300, deadline=None)
def test_valid_commits_are_decoded_alike(value: bytes, suffix: bytes) -> None:
    assert _decode_by_hand(value) != "not understood"
    _assert_equal(value + suffix)


@given(encoded_commits(), st.data())
@settings(max_examples=600, deadline=None)
def test_damaged_commits_are_decoded_alike(value: bytes, data: st.DataObject) -> None:
    damaged = bytearray(value)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(2, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    _assert_equal(bytes(damaged[: data.draw(st.integers(2, len(damaged)))]))


@given(st.integers(0, 4), st.binary(max_size=80))
@settings(max_examples=600, deadline=None)
def test_any_bytes_are_decoded_alike(version: int, data: bytes) -> None:
    _assert_equal(struct.pack(">h", version) + data)


def test_an_unknown_tag_and_a_written_default_are_inexact_for_both() -> None:
    plain = encode_value(COMMIT_TYPE, 4, {"offset": 1, "leaderEpoch": 1, "metadata": "", "commitTimestamp": 1})
    assert plain.endswith(b"\x00")
    for tags in (b"\x01\x05\x02ab", b"\x01\x00\x10" + bytes(16)):
        value = plain[:-1] + tags
        _assert_equal(value)
        decoded = _decode_by_hand(value)
        assert isinstance(decoded, Decoded)
        assert not decoded.is_exact


def test_recorded_commits_are_decoded_alike() -> None:
    values = {
        value
        for segment in recorded_segments()
        for row in read_rows(read_file(segment))[0]
        if row["kind"] == "commit" and (value := encode_row(row).value) is not None
    }
    assert len(values) > 3000
    for value in values:
        _assert_equal(value)
