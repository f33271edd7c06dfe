"""Known hashes, keys, values and checksums, derived from Kafka's own rules and independent of our code.

How the same values are decoded is tested in test_segment_records.
"""

import numpy as np
import pytest

from kafka_telemetry.formats.segments.checksums import crc32c
from kafka_telemetry.formats.segments.record_encoding import encode_key, encode_value
from kafka_telemetry.formats.segments.segment_writer import varint
from kafka_telemetry.formats.segments.varints import varint_at
from spark_jobs.bronze.offset_records import java_hash

ORDERS = "0006 6f7264657273"
COMMIT = {"offset": 120045, "leaderEpoch": 12, "metadata": "", "commitTimestamp": 1767600002121}


@pytest.mark.parametrize(
    ("group", "hash_in_java", "partition_of_50", "partition_of_12"),
    [
        ("orders", -1008770331, 31, 3),
        ("my-group", -1906497762, 12, 6),
        ("", 0, 0, 0),
        ("payments-ü", 1612906076, 26, 8),
        # The one int whose absolute value is no int: Kafka uses 0.
        ("polygenelubricants", -2147483648, 0, 0),
        # A surrogate pair counts as two characters.
        ("🙂g", 54962018, 18, 2),
    ],
)
def test_a_group_hashes_as_in_java(group: str, hash_in_java: int, partition_of_50: int, partition_of_12: int) -> None:
    positive = 0 if hash_in_java == -(1 << 31) else abs(hash_in_java)
    assert java_hash(group) == positive
    assert (positive % 50, positive % 12) == (partition_of_50, partition_of_12)


def test_the_key_of_an_offset_commit_is_encoded_as_kafka_does() -> None:
    key = bytes.fromhex(f"0001 {ORDERS} 0008 7061796d656e7473 00000003")
    assert len(key) == 24
    assert encode_key(1, {"group": "orders", "topic": "payments", "partition": 3}) == key


@pytest.mark.parametrize(
    ("version", "other_fields", "value", "length"),
    [
        (3, {}, "0003 000000000001d4ed 0000000c 0000 0000019b8d2b9449", 24),
        (
            4,
            {"topicId": "MKXx1fIkQy2J9jXHhK8m1w"},
            # An empty compact string, and after the time one tag: number 0, 16 bytes long.
            "0004 000000000001d4ed 0000000c 01 0000019b8d2b9449 01 00 10 30a5f1d5f224432d89f635c784af26d7",
            42,
        ),
    ],
)
def test_the_value_of_an_offset_commit_is_encoded_as_kafka_does(
    version: int, other_fields: dict[str, str], value: str, length: int
) -> None:
    assert len(bytes.fromhex(value)) == length
    assert encode_value(1, version, {**COMMIT, **other_fields}).hex() == bytes.fromhex(value).hex()


@pytest.mark.parametrize(
    ("fields", "value"),
    [
        # 4.1 and later.
        ({"epoch": 7, "metadataHash": -4822938120016438401}, "0000 00000007 01 00 08 bd117b5536badb7f"),
        # Before.
        ({"epoch": 7}, "0000 00000007 00"),
    ],
)
def test_a_consumer_group_is_encoded_as_kafka_does(fields: dict[str, int], value: str) -> None:
    assert encode_key(3, {"groupId": "orders"}) == bytes.fromhex(f"0003 {ORDERS}")
    assert encode_value(3, 0, fields) == bytes.fromhex(value)


def test_the_crc_32c_of_the_digits_is_the_known_check_value() -> None:
    digits = np.frombuffer(b"123456789", np.uint8)
    assert crc32c(digits, 0, len(digits)) == 0xE3069283


@pytest.mark.parametrize(
    ("number", "encoded"),
    [(0, "00"), (-1, "01"), (1, "02"), (63, "7e"), (64, "8001"), (-64, "7f"), (300, "d804")],
)
def test_numbers_are_encoded_and_decoded_in_zigzag(number: int, encoded: str) -> None:
    octets = np.frombuffer(bytes.fromhex(encoded), np.uint8)
    assert varint(number) == octets.tobytes()
    assert varint_at(octets, 0, len(octets)) == (number, len(octets))
