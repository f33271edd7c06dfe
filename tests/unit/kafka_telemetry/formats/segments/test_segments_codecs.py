"""Every way to compress a batch, and the message format before 0.11."""

import gzip
import struct
import zlib

import cramjam
import pytest
import zstandard
from support.segment_reading import Row, read_rows, utc_time

from kafka_telemetry.formats.segments.record_encoding import encode_key, encode_value
from kafka_telemetry.formats.segments.segment_writer import (
    CODECS,
    Batch,
    Codec,
    Record,
    encode_batch,
    marker_batch,
    with_valid_crc,
)

XERIAL = b"\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01"
NOW = 1_500_000_000_000
GZIP, SNAPPY, LZ4, ZSTD = 1, 2, 3, 4


def _key(partition: int) -> bytes:
    return encode_key(1, {"group": "g", "topic": "t", "partition": partition})


def _value(offset: int) -> bytes:
    return encode_value(1, 2, {"offset": offset, "metadata": "", "commitTimestamp": NOW})


RECORDS = [Record(i, NOW + i, _key(i), _value(100 + i)) for i in range(50)]
PLAIN = encode_batch(Batch(RECORDS))
BODY = PLAIN[61:]
ROWS = read_rows(PLAIN)[0]


def _compressed_batch(codec: int, compressed: bytes) -> bytes:
    head = PLAIN[:8] + struct.pack(">i", 49 + len(compressed)) + PLAIN[12:21] + struct.pack(">h", codec) + PLAIN[23:61]
    return with_valid_crc(head + compressed)


def _chunk(data: bytes) -> bytes:
    block = bytes(cramjam.snappy.compress_raw(data))
    return struct.pack(">i", len(block)) + block


def _lz4(blocks: list[bytes], head: bytes = b"\x60\x40\x82", tail: bytes = b"") -> bytes:
    return b"\x04\x22\x4d\x18" + head + b"".join(blocks) + bytes(4) + tail


def _lz4_block(data: bytes) -> bytes:
    block = bytes(cramjam.lz4.compress_block(data, store_size=False))
    return struct.pack("<I", len(block)) + block


def _stored(data: bytes) -> bytes:
    return struct.pack("<I", len(data) | 1 << 31) + data


HALF = len(BODY) // 2


@pytest.mark.parametrize(
    ("codec", "compressed"),
    [
        pytest.param(GZIP, gzip.compress(BODY), id="gzip"),
        pytest.param(GZIP, gzip.compress(BODY[:HALF]) + gzip.compress(BODY[HALF:]), id="gzip members"),
        pytest.param(SNAPPY, bytes(cramjam.snappy.compress_raw(BODY)), id="snappy raw"),
        pytest.param(SNAPPY, XERIAL + _chunk(BODY), id="snappy xerial"),
        pytest.param(SNAPPY, XERIAL + _chunk(BODY[:HALF]) + _chunk(BODY[HALF:]), id="snappy chunks"),
        pytest.param(SNAPPY, XERIAL + _chunk(BODY[:HALF]) + XERIAL + _chunk(BODY[HALF:]), id="snappy streams"),
        pytest.param(LZ4, _lz4([_lz4_block(BODY)]), id="lz4"),
        pytest.param(LZ4, _lz4([_stored(BODY[:HALF]), _lz4_block(BODY[HALF:])]), id="lz4 stored block"),
        pytest.param(LZ4, _lz4([_lz4_block(BODY)], b"\x60\x40\x00"), id="lz4 wrong header checksum"),
        pytest.param(
            LZ4, _lz4([_lz4_block(BODY)], b"\x6c\x70" + bytes(8) + b"\x00", bytes(4)), id="lz4 sizes and checksum"
        ),
        pytest.param(ZSTD, zstandard.compress(BODY), id="zstd with its size"),
        pytest.param(ZSTD, zstandard.compress(BODY[:HALF]) + zstandard.compress(BODY[HALF:]), id="zstd frames"),
    ],
)
def test_a_batch_reads_the_same_however_it_is_compressed(codec: int, compressed: bytes) -> None:
    rows, receipt = read_rows(_compressed_batch(codec, compressed))
    assert rows == ROWS
    assert receipt.understood == len(RECORDS)


@pytest.mark.parametrize("codec", CODECS)
def test_an_encoded_batch_is_decoded_with_equal_rows(codec: Codec) -> None:
    assert read_rows(encode_batch(Batch(RECORDS, codec)))[0] == ROWS


def test_a_marker_contains_how_the_transaction_ended() -> None:
    data = b"".join(encode_batch(marker_batch(i, NOW, 7, 0, commit=i == 1)) for i in range(2))
    rows, receipt = read_rows(data)
    markers = [(row["kind"], row["marker"], row["producer_id"], row["transactional"]) for row in rows]
    assert markers == [("marker", "abort", 7, True), ("marker", "commit", 7, True)]
    assert receipt.details["markers"] == 2


def test_records_have_the_append_time_of_a_batch_with_log_append_time() -> None:
    rows, _ = read_rows(encode_batch(Batch(RECORDS[:3], log_append_time=True)))
    assert {row["recorded_at"] for row in rows} == {utc_time(NOW + 2)}


def test_a_delete_horizon_does_not_change_the_times_of_records() -> None:
    rows, _ = read_rows(encode_batch(Batch(RECORDS[:3], delete_horizon=NOW + 100_000)))
    assert [row["recorded_at"] for row in rows] == [utc_time(NOW + i) for i in range(3)]


def test_offsets_that_the_cleaner_removed_are_counted_as_holes() -> None:
    left = [RECORDS[1], RECORDS[2], RECORDS[5]]
    empty = Batch([], base_offset=20, last_offset=29)
    data = encode_batch(Batch(left, base_offset=0, last_offset=9)) + encode_batch(empty)
    _, receipt = read_rows(data)
    # 3 and 4, 6 to 9, 10 to 19 and 20 to 29. Whether offsets before the first record are missing isn't known.
    assert (receipt.details["holes"], receipt.details["missing_offsets"]) == (3, 26)
    assert receipt.details["empty_batches"] == 1


def _message(magic: int, offset: int, key: bytes | None, value: bytes, attributes: int = 0, at: int = NOW) -> bytes:
    sized_key = struct.pack(">i", -1) if key is None else struct.pack(">i", len(key)) + key
    stamp = struct.pack(">q", at) if magic == 1 else b""
    body = bytes([magic, attributes]) + stamp + sized_key + struct.pack(">i", len(value)) + value
    return struct.pack(">qiI", offset, 4 + len(body), zlib.crc32(body)) + body


def _columns(rows: list[Row]) -> list[tuple[object, ...]]:
    names = ("kind", "record_offset", "recorded_at", "partition_id", "committed_offset")
    return [tuple(row[name] for name in names) for row in rows]


@pytest.mark.parametrize("magic", [0, 1])
def test_messages_of_magic_0_and_1_are_read(magic: int) -> None:
    data = b"".join(_message(magic, 10 + i, _key(i), _value(i)) for i in range(3))
    rows, receipt = read_rows(data)
    at = utc_time(NOW) if magic else None
    assert _columns(rows) == [("commit", 10 + i, at, i, i) for i in range(3)]
    assert receipt.records == receipt.understood == 3


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", [GZIP, SNAPPY, LZ4])
def test_compressed_messages_of_magic_0_and_1_are_read(magic: int, codec: int) -> None:
    # Inner offsets are absolute in magic 0 and relative in magic 1. The outer offset is that of the last message.
    inner_offsets = [10, 11, 14] if magic == 0 else [0, 1, 4]
    inner = b"".join(_message(magic, offset, _key(i), _value(i)) for i, offset in enumerate(inner_offsets))
    wrong_checksum = b"\x60\x40\x99"
    compressed = {
        GZIP: gzip.compress(inner),
        SNAPPY: XERIAL + _chunk(inner),
        LZ4: _lz4([_lz4_block(inner)], wrong_checksum),
    }[codec]
    rows, receipt = read_rows(_message(magic, 14, None, compressed, codec))
    at = utc_time(NOW) if magic else None
    assert _columns(rows) == [("commit", offset, at, i, i) for i, offset in enumerate([10, 11, 14])]
    assert receipt.records == receipt.understood == 3


def test_inner_messages_have_the_append_time_of_the_outer_message() -> None:
    inner = b"".join(_message(1, i, _key(i), _value(i), at=5) for i in range(2))
    rows, _ = read_rows(_message(1, 1, None, gzip.compress(inner), GZIP | 8))
    assert [row["recorded_at"] for row in rows] == [utc_time(NOW)] * 2
