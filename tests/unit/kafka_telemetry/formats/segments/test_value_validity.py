"""Values of group records: those that a segment contains are valid, and those of other types are not."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from support.segment_reading import read_file, read_rows, recorded_segments
from support.segment_records import KeyAndValue, any_record

from kafka_telemetry.formats.segments.segment_writer import Batch, Record, encode_batch
from kafka_telemetry.formats.segments.value_validity import is_valid_value


def test_the_values_of_recorded_segments_are_valid() -> None:
    values = [
        (row["key_type"], json.loads(row["value_json"]))
        for path in recorded_segments()
        for row in read_rows(read_file(path))[0]
        if row["value_json"] is not None
    ]
    assert len(values) > 500
    assert all(is_valid_value(key_type, value) for key_type, value in values)


@given(any_record())
@settings(max_examples=200, deadline=None)
def test_the_values_of_all_types_and_versions_are_valid(record: KeyAndValue) -> None:
    [row], _ = read_rows(encode_batch(Batch([Record(0, 1000, record.key, record.value)])))
    if row["value_json"] is not None:
        assert is_valid_value(row["key_type"], json.loads(row["value_json"]))


@pytest.mark.parametrize(
    ("key_type", "value"),
    [
        (3, {"epoch": 1.0}),
        (3, {"epoch": True}),
        (3, {"epoch": 2**31}),
        (3, {"epoch": None}),
        (3, []),
        (3, None),
        (2, {"members": [{"clientId": "c"}]}),
        (2, {"members": [{"memberId": "m", "assignment": {"assignedPartitions": [{"topic": "t"}]}}]}),
        (7, {"topicPartitions": [{"topicId": "x", "partitions": ["0"]}]}),
        (19, {"userEndpoint": {"port": 65536}}),
        (5, {"classicMemberMetadata": 5}),
        (24, {}),
    ],
)
def test_a_value_of_another_type_is_not_valid(key_type: int, value: Any) -> None:
    assert not is_valid_value(key_type, value)


@pytest.mark.parametrize(
    ("key_type", "value"),
    [
        (3, {}),
        (3, {"epoch": 1, "more": object()}),
        (2, {"members": [{"memberId": "m", "assignment": ""}], "leader": None}),
        (5, {"classicMemberMetadata": None, "instanceId": None}),
        (19, {"userEndpoint": {"port": 65535}}),
    ],
)
def test_a_value_may_lack_fields_and_have_more(key_type: int, value: Any) -> None:
    assert is_valid_value(key_type, value)
