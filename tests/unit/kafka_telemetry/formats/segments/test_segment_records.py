"""Keys and values of records: known bytes, and records encoded, decoded and encoded again."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.segment_reading import full_row, read_file, read_rows, recorded_segments, utc_time
from support.segment_records import KeyAndValue, any_record, encode_row

from kafka_telemetry.formats.segments.record_encoding import encode_key, encode_value
from kafka_telemetry.formats.segments.record_schema import KEYS, VALUES
from kafka_telemetry.formats.segments.segment_writer import CODECS, Batch, Codec, Record, encode_batch

NOW = 1_767_600_002_123


def _batch(*pairs: tuple[bytes | None, bytes | None], codec: Codec = "none") -> bytes:
    return encode_batch(Batch([Record(i, NOW, *pair) for i, pair in enumerate(pairs)], codec))


def _read(key_hex: str, value_hex: str | None) -> dict[str, object]:
    [row], receipt = read_rows(
        _batch((bytes.fromhex(key_hex), None if value_hex is None else bytes.fromhex(value_hex)))
    )
    assert receipt.records == 1
    return row


def _row(**values: object) -> dict[str, object]:
    log_columns = {"source_position": 0, "record_offset": 0, "recorded_at": utc_time(NOW), "batch_leader_epoch": 0}
    return full_row(**log_columns, transactional=False, tombstone=False, **values)


OFFSET_KEY = "0001 0006 6f7264657273 0008 7061796d656e7473 00000003"
COMMIT = {
    "kind": "commit",
    "key_type": 1,
    "group_id": "orders",
    "topic": "payments",
    "partition_id": 3,
    "committed_offset": 120045,
    "leader_epoch": 12,
    "metadata": "",
    "committed_at": utc_time(1767600002121),
}


def test_known_bytes_of_an_offset_commit_of_version_3_are_decoded() -> None:
    value = "0003 000000000001d4ed 0000000c 0000 0000019b8d2b9449"
    assert _read(OFFSET_KEY, value) == _row(**COMMIT, value_version=3)


def test_known_bytes_of_an_offset_commit_of_version_4_are_decoded() -> None:
    value = "0004 000000000001d4ed 0000000c 01 0000019b8d2b9449 01 00 10 30a5f1d5f224432d89f635c784af26d7"
    assert _read(OFFSET_KEY, value) == _row(**COMMIT, value_version=4, topic_id="MKXx1fIkQy2J9jXHhK8m1w")


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        (
            "0000 00000007 01 00 08 bd117b5536badb7f",
            '{"epoch":7,"metadataHash":-4822938120016438401}',
        ),
        ("0000 00000007 00", '{"epoch":7}'),
    ],
)
def test_known_bytes_of_a_consumer_group_are_decoded(value: str, fields: str) -> None:
    group = {"kind": "group", "key_type": 3, "value_version": 0, "group_id": "orders"}
    assert _read("0003 0006 6f7264657273", value) == _row(**group, value_json=fields)


@pytest.mark.parametrize("version", range(5))
def test_every_version_of_an_offset_commit_has_its_own_fields(version: int) -> None:
    fields = {
        "offset": 5,
        "leaderEpoch": 2,
        "metadata": "m",
        "commitTimestamp": NOW,
        "expireTimestamp": NOW + 1,
        "topicId": "MKXx1fIkQy2J9jXHhK8m1w",
    }
    key = encode_key(0, {"group": "g", "topic": "t", "partition": 1})
    [commit], _ = read_rows(_batch((key, encode_value(0, version, fields))))
    expected = {"kind": "commit", "key_type": 0, "group_id": "g", "topic": "t", "partition_id": 1}
    assert commit == _row(
        **expected,
        value_version=version,
        committed_offset=5,
        leader_epoch=2 if version >= 3 else None,
        metadata="m",
        committed_at=utc_time(NOW),
        expires_at=utc_time(NOW + 1) if version == 1 else None,
        topic_id="MKXx1fIkQy2J9jXHhK8m1w" if version == 4 else None,
    )


@pytest.mark.parametrize("key_type", sorted(KEYS))
def test_a_tombstone_of_every_type_has_the_columns_of_its_key(key_type: int) -> None:
    fields = {field.name: name for field, name in zip(KEYS[key_type], ["g", "second", 7], strict=False)}
    [tombstone], receipt = read_rows(_batch((encode_key(key_type, fields), None)))
    assert (tombstone["group_id"], tombstone["tombstone"]) == ("g", True)
    assert tombstone["kind"] == ("commit" if key_type < 2 else "group")
    assert receipt.understood == 1


def test_types_that_changed_without_a_new_version_are_decoded_in_both_layouts() -> None:
    layouts = [(key_type, layout) for key_type in (9, 11, 15) for layout in VALUES[key_type]]
    assert len(layouts) == 6
    for key_type, layout in layouts:
        fields = {field.name: 1 if isinstance(field.type, str) else [] for field in layout.fields}
        pair = (encode_key(key_type, {"groupId": "g"}), encode_value(key_type, 0, fields))
        [row], _ = read_rows(_batch(pair))
        assert set(fields) == {part.split('"')[1] for part in row["value_json"].split(",")}
        assert row["problem"] is None


@pytest.mark.parametrize(
    ("key_type", "value", "fields"),
    [
        (
            4,
            "00000000000002a3265eca49cd4b0abdf206a1553df1d30674782e696e00000002010000",
            {"epoch": 0, "topics": [{"topicId": "oyZeyknNSwq98gahVT3x0w", "topicName": "tx.in", "numPartitions": 2,
                                     "partitionMetadata": []}]},
        ),
        (
            5,
            "000000000378310b2f3132372e302e302e31030d65752e6f72646572732e76320f696f742d72656164696e67732d32"
            "01000493e00672616e67650100",
            {"instanceId": None, "rackId": None, "clientId": "x1", "clientHost": "/127.0.0.1",
             "subscribedTopicNames": ["eu.orders.v2", "iot-readings-2"], "subscribedTopicRegex": "",
             "rebalanceTimeoutMs": 300000, "serverAssignor": "range", "assignors": []},
        ),
        (
            7,
            "000000023717cedebc51488c82c90cf8fa132c6e02000000000000000100",
            {"error": 0, "topicPartitions": [{"topicId": "NxfO3rxRSIyCyQz4-hMsbg", "partitions": [0]}],
             "metadataVersion": 0, "metadataBytes": ""},
        ),
        (
            8,
            "0000000000040000000300000004023717cedebc51488c82c90cf8fa132c6e02000000000001010000000100",
            {"memberEpoch": 4, "previousMemberEpoch": 3, "targetMemberEpoch": 4,
             "assignedPartitions": [{"topicId": "NxfO3rxRSIyCyQz4-hMsbg", "partitions": [0]}],
             "partitionsPendingRevocation": [], "partitionsPendingAssignment": [], "error": 0,
             "metadataVersion": 0, "metadataBytes": ""},
        ),
    ],
)  # fmt: skip
def test_consumer_group_records_of_the_early_access_in_3_7_have_other_fields(
    key_type: int, value: str, fields: dict[str, object]
) -> None:
    key = encode_key(key_type, {field.name: name for field, name in zip(KEYS[key_type], ["g", "m"], strict=False)})
    [row], receipt = read_rows(_batch((key, bytes.fromhex(value))))
    assert (receipt.understood, row["problem"], json.loads(str(row["value_json"]))) == (1, None, fields)


@given(st.lists(any_record(), min_size=1, max_size=6), st.sampled_from(CODECS))
@settings(max_examples=300, deadline=None)
def test_any_record_is_decoded_into_columns_that_encode_to_its_bytes(pairs: list[KeyAndValue], codec: Codec) -> None:
    decoded, receipt = read_rows(_batch(*pairs, codec=codec))
    assert receipt.understood == len(pairs)
    assert [encode_row(row) for row in decoded] == pairs


def test_every_recorded_record_is_decoded_into_columns_that_encode_to_its_bytes() -> None:
    encoded_records = 0
    for segment in recorded_segments():
        data = read_file(segment)
        rows, _ = read_rows(data)
        keyed = [row for row in rows if row["kind"] != "marker"]
        pairs = [encode_row(row) for row in keyed]
        decoded_again, _ = read_rows(_batch(*pairs) if pairs else b"")
        for before, after in zip(keyed, decoded_again, strict=True):
            assert {**after, **{name: before[name] for name in _LOG_COLUMNS}} == before
        if not _has_compressed_batches(data):
            for pair in pairs:
                assert pair.key in data
                assert pair.value is None or pair.value in data
        encoded_records += len(pairs)
    assert encoded_records > 10_000


_LOG_COLUMNS = (
    "source_position",
    "record_offset",
    "recorded_at",
    "batch_leader_epoch",
    "producer_id",
    "transactional",
)


def _has_compressed_batches(data: bytes) -> bool:
    return read_rows(data)[1].details["packed_batches"] > 0


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        (None, b"", "the key can't be decoded"),
        (b"\x00", b"", "the key can't be decoded"),
        (b"\x00\x18\x00\x01g", b"\x00\x00", "the type of the key isn't known"),
        (b"\xff\xff\x00\x01g", b"\x00\x00", "the type of the key isn't known"),
        (b"\x00\x02\x00\x09g", b"\x00\x00", "the key can't be decoded"),
        (b"\x00\x02\x00\x01\xff", b"\x00\x00", "the key isn't UTF-8"),
        (b"\x00\x02\x00\x01g", b"\x00\x05", "the version of the value isn't known"),
        (b"\x00\x03\x00\x01g", b"\x00\x01", "the version of the value isn't known"),
        (b"\x00\x02\x00\x01g", b"\x00\x03\x00", "the value can't be decoded"),
        (b"\x00\x02\x00\x01g", b"", "the value can't be decoded"),
        (
            b"\x00\x01\x00\x01g\x00\x01t\x00\x00\x00\x00",
            b"\x00\x00" + bytes(8) + b"\x00\x01\xff" + bytes(8),
            "the value isn't UTF-8",
        ),
        (
            b"\x00\x01\x00\x01g\x00\x01t\x00\x00\x00\x00",
            b"\x00\x00" + bytes(8) + b"\x00\x00\x7f" + bytes(7),
            "a time is beyond the years 1 to 9999",
        ),
    ],
)
def test_a_record_that_is_not_understood_has_its_bytes_and_is_counted(
    key: bytes | None, value: bytes, problem: str
) -> None:
    [unknown], receipt = read_rows(_batch((key, value)))
    assert (unknown["kind"], unknown["key_bytes"], unknown["value_bytes"]) == ("unknown", key, value)
    assert unknown["problem"] == problem
    assert (receipt.records, receipt.understood, receipt.not_understood) == (1, 0, 1)


def test_a_value_with_bytes_after_its_last_known_field_has_its_bytes_and_a_problem() -> None:
    key = encode_key(3, {"groupId": "g"})
    [group], _ = read_rows(_batch((key, encode_value(3, 0, {"epoch": 1}) + b"more")))
    assert (group["kind"], group["value_json"]) == ("group", '{"epoch":1}')
    assert group["value_bytes"].endswith(b"more")
    assert group["problem"] == "the key or value goes on after its last known field"


@pytest.mark.parametrize("value", ["0000 00000007 8000", "0000 00000007 01 8000 08 bd117b5536badb7f"])
def test_a_value_with_padded_numbers_is_decoded_and_has_its_bytes(value: str) -> None:
    group = _read("0003 0006 6f7264657273", value)
    assert (group["kind"], group["value_bytes"], group["problem"]) == ("group", bytes.fromhex(value), None)


def test_a_value_with_an_unknown_tag_is_decoded_and_has_its_bytes() -> None:
    value = bytes.fromhex("0000 00000007 01 05 02 abcd")
    [group], _ = read_rows(_batch((encode_key(3, {"groupId": "g"}), value)))
    assert (group["value_json"], group["value_bytes"], group["problem"]) == ('{"epoch":7}', value, None)


@given(st.binary(max_size=64), st.sampled_from(sorted(VALUES)), st.integers(0, 4))
@settings(max_examples=400, deadline=None)
def test_any_bytes_of_a_value_are_found_again_in_the_row(data: bytes, key_type: int, version: int) -> None:
    fields = {field.name: 7 if field.type == "int32" else "x" for field in KEYS[key_type]}
    value = version.to_bytes(2, "big") + data
    [row], _ = read_rows(_batch((encode_key(key_type, fields), value)))
    assert row["kind"] == "unknown" or row["group_id"] == "x"
    if row["kind"] != "unknown":
        assert encode_row(row).value == value
