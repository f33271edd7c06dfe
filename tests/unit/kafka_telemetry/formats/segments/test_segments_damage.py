"""Segments that are incomplete, damaged or malicious."""

import io
import struct
import tracemalloc
import zlib
from typing import BinaryIO, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.segment_reading import RECORDED, Row, read_file, read_rows, recorded_segments

from kafka_telemetry.formats.segments.record_encoding import encode_key, encode_value
from kafka_telemetry.formats.segments.segment_reader import read_segment
from kafka_telemetry.formats.segments.segment_writer import CODECS, Batch, Codec, Record, encode_batch, with_valid_crc

MIXED = RECORDED / "kafka-4.3/offsets-raw/final/__consumer_offsets-1/00000000000000001303.log.zst"


def _commit(offset: int, metadata: str = "") -> Record:
    fields = {"offset": offset, "leaderEpoch": 1, "metadata": metadata, "commitTimestamp": 1000}
    key = encode_key(1, {"group": "g", "topic": "t", "partition": 0})
    return Record(offset, 1000, key, encode_value(1, 3, fields))


def _batches(count: int, codec: Codec = "none", first: int = 0) -> list[bytes]:
    return [encode_batch(Batch([_commit(first + 2 * i), _commit(first + 2 * i + 1)], codec)) for i in range(count)]


def _offsets(rows: list[Row]) -> list[int]:
    return [row["record_offset"] for row in rows if row["kind"] == "commit"]


def _flip(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


def test_a_batch_with_a_wrong_crc_is_one_damaged_row_and_the_others_are_read() -> None:
    first, second, third = _batches(3)
    rows, receipt = read_rows(first + _flip(second, 70) + third)
    assert _offsets(rows) == [0, 1, 4, 5]
    [damaged] = [row for row in rows if row["kind"] == "damaged"]
    assert (damaged["source_position"], damaged["record_offset"]) == (len(first), 2)
    assert damaged["problem"] == "the CRC doesn't match"
    assert (receipt.records, receipt.understood, receipt.not_understood) == (5, 4, 1)
    assert receipt.details["damaged_batches"] == 1


def test_after_a_wrong_length_reading_goes_on_at_the_next_batch_with_a_matching_crc() -> None:
    first, second, third = _batches(3)
    for length in (0, 13, 60, 1 << 27, 1 << 30, -5):
        rows, receipt = read_rows(first + second[:8] + struct.pack(">i", length) + second[12:] + third)
        assert _offsets(rows) == [0, 1, 4, 5], length
        assert [row["source_position"] for row in rows if row["kind"] == "damaged"] == [len(first)]
        assert receipt.details["lost_bytes"] == len(second)


@pytest.mark.parametrize(("offset", "negative"), [(-1, 1), (-5, 2), (-(1 << 63), 2), ((1 << 63) - 1, 1)])
def test_a_record_with_an_offset_that_no_log_has_is_unknown(offset: int, negative: int) -> None:
    """No CRC covers the offset of a batch, which has two records."""
    first, second, third = _batches(3)
    rows, receipt = read_rows(first + struct.pack(">q", offset) + second[8:] + third)
    unknown = [row for row in rows if row["kind"] == "unknown"]
    assert [row["problem"] for row in unknown] == ["the offset is negative"] * negative
    assert all(row["record_offset"] is None and row["value_bytes"] for row in unknown)
    assert (receipt.records, receipt.not_understood) == (6, negative)


def test_missing_offsets_that_add_up_to_more_than_a_number_holds_are_cut() -> None:
    largest = struct.pack(">q", (1 << 63) - 5)
    batches = [struct.pack(">q", 0) + batch[8:] + largest + batch[8:] for batch in _batches(4)]
    _, receipt = read_rows(b"".join(batches))
    assert receipt.details["missing_offsets"] == (1 << 63) - 1


def test_bytes_that_are_no_batch_are_one_damaged_row() -> None:
    first, second = _batches(2)
    rows, receipt = read_rows(first + b"\xff" * 1000 + second)
    assert _offsets(rows) == [0, 1, 2, 3]
    assert receipt.details["lost_bytes"] == 1000
    assert receipt.details["damaged_batches"] == 1


def test_an_incomplete_last_batch_is_counted_and_is_no_damage() -> None:
    batches = _batches(3)
    data = b"".join(batches)
    for cut in range(1, len(batches[2])):
        rows, receipt = read_rows(data[:-cut])
        assert _offsets(rows) == [0, 1, 2, 3]
        assert receipt.details["torn_bytes"] == len(batches[2]) - cut
        assert receipt.not_understood == 0


@pytest.mark.parametrize("zeros", [1, 11, 12, 16, 17, 1000, 1_000_000])
def test_zeros_at_the_end_are_padding(zeros: int) -> None:
    rows, receipt = read_rows(b"".join(_batches(2)) + bytes(zeros), window=1 << 16)
    assert _offsets(rows) == [0, 1, 2, 3]
    # Fewer zeros than a header may also be the start of one.
    assert receipt.details["padding_bytes"] + receipt.details["torn_bytes"] == zeros
    assert receipt.details["torn_bytes"] == (zeros if zeros < 17 else 0)
    assert receipt.not_understood == 0


def test_zeros_between_batches_are_damage_and_the_next_batch_is_read() -> None:
    first, second = _batches(2)
    for zeros in (12, 40, 5000):
        rows, receipt = read_rows(first + bytes(zeros) + second, window=1 << 10)
        assert _offsets(rows) == [0, 1, 2, 3]
        assert receipt.details["padding_bytes"] == 0
        assert receipt.details["lost_bytes"] == zeros


@pytest.mark.parametrize("count", [-1, 0, 1, 3, 1 << 30])
def test_a_batch_with_a_wrong_record_count_is_damaged(count: int) -> None:
    first, second, third = _batches(3)
    damaged = with_valid_crc(second[:57] + struct.pack(">i", count) + second[61:])
    rows, _ = read_rows(first + damaged + third)
    assert _offsets(rows) == [0, 1, 4, 5]
    assert [row["problem"] for row in rows if row["kind"] == "damaged"] == [
        "the records don't fill the batch as its header says"
    ]


@pytest.mark.parametrize("codec", CODECS[1:])
def test_a_batch_that_cannot_be_decompressed_is_damaged(codec: Codec) -> None:
    first, second, third = _batches(3, codec)
    damaged = with_valid_crc(second[:61] + b"\x00\x01\x02" + second[64:])
    rows, receipt = read_rows(first + damaged + third)
    assert _offsets(rows) == [0, 1, 4, 5]
    assert receipt.details["damaged_batches"] == 1


@pytest.mark.parametrize("codec", ["gzip", "lz4", "zstd"])
def test_a_decompression_bomb_takes_no_more_memory_than_the_limit(codec: Codec) -> None:
    bomb = encode_batch(Batch([Record(0, 0, b"", bytes((1 << 28) + 1))], codec))
    assert len(bomb) < 1 << 22
    rows, receipt = read_rows(bomb + _batches(1, first=10)[0])
    assert [row["problem"] for row in rows if row["kind"] == "damaged"] == ["the records unpack to more than 256 MiB"]
    assert _offsets(rows) == [10, 11]
    assert receipt.not_understood == 1


def test_a_batch_with_an_unknown_codec_is_damaged() -> None:
    first, second = _batches(2)
    rows, _ = read_rows(with_valid_crc(first[:22] + b"\x05" + first[23:]) + second)
    assert [row["problem"] for row in rows if row["kind"] == "damaged"] == ["no codec has this number"]
    assert _offsets(rows) == [2, 3]


def test_values_larger_than_the_usual_room_are_read_up_to_a_limit() -> None:
    rows, _ = read_rows(encode_batch(Batch([_commit(0, "m" * 30_000) for _ in range(100)], base_offset=0)))
    assert {row["metadata"] for row in rows} == {"m" * 30_000}
    topics = [{"topicId": "MKXx1fIkQy2J9jXHhK8m1w", "partitions": list(range(200_000))}] * 12
    value = encode_value(7, 0, {"topicPartitions": topics})
    [row], _ = read_rows(encode_batch(Batch([Record(0, 0, encode_key(7, {"groupId": "g", "memberId": "m"}), value)])))
    assert (row["kind"], row["problem"]) == ("unknown", "the value is too large")
    assert row["value_bytes"] == value


@pytest.mark.parametrize("window", [1, 17, 61, 100, 1000, 65_536])
def test_windows_of_any_size_give_the_same_rows(window: int) -> None:
    data = read_file(MIXED)
    data += _flip(_batches(1, first=2000)[0], 80) + b"\x07" * 50 + _batches(1, "lz4", 3000)[0] + b"torn batch tail"
    assert read_rows(data, window) == read_rows(data)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_the_receipt_of_a_damaged_segment_adds_up(data: st.DataObject) -> None:
    segment = bytearray(b"".join(_batches(4, data.draw(st.sampled_from(CODECS)))))
    for _ in range(data.draw(st.integers(1, 6))):
        segment[data.draw(st.integers(0, len(segment) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(segment)))
    rows, receipt = read_rows(bytes(segment[:cut]), data.draw(st.sampled_from([50, 1 << 22])))
    assert receipt.records == receipt.understood + receipt.not_understood == len(rows)
    unread = receipt.details["torn_bytes"] + receipt.details["padding_bytes"] + receipt.details["lost_bytes"]
    assert unread <= cut


@given(st.binary(max_size=300), st.sampled_from(CODECS))
@settings(max_examples=150, deadline=None)
def test_any_bytes_in_place_of_records_do_not_affect_the_next_batch(data: bytes, codec: Codec) -> None:
    head = encode_batch(Batch([_commit(0)], codec))[:61]
    batch = with_valid_crc(head[:8] + struct.pack(">i", 49 + len(data)) + head[12:] + data)
    rows, receipt = read_rows(batch + _batches(1, first=10)[0])
    assert _offsets(rows)[-2:] == [10, 11]
    assert receipt.records == len(rows)


def test_copies_of_a_running_broker_that_are_cut_anywhere_are_read_up_to_there() -> None:
    segments = [path for path in recorded_segments() if "at-120s" in str(path)]
    assert segments
    data = read_file(segments[0])
    all_rows, _ = read_rows(data)
    for cut in range(0, len(data), 997):
        rows, receipt = read_rows(data[:cut])
        assert rows == all_rows[: len(rows)]
        assert receipt.not_understood == 0


def test_memory_does_not_grow_with_the_file() -> None:
    block = b"".join(_batches(2000))
    segment = _Repeated(block, 64)
    tracemalloc.start()
    reading = read_segment(cast(BinaryIO, segment), "")
    for _ in reading:
        pass
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert segment.tell() == 64 * len(block)
    assert most < 64 << 20


class _Repeated(io.RawIOBase):
    """A file that repeats the same bytes."""

    def __init__(self, data: bytes, times: int) -> None:
        self._data, self._left, self._at = data, times * len(data), 0

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def readinto(self, out: memoryview) -> int:
        start = self._at % len(self._data)
        size = min(len(out), len(self._data) - start, self._left - self._at)
        out[:size] = self._data[start : start + size]
        self._at += size
        return size


def test_the_crc_of_messages_of_magic_0_is_checked() -> None:
    body = b"\x00\x00" + struct.pack(">i", -1) + struct.pack(">i", 1) + b"v"
    first, second, third = (struct.pack(">qiI", i, 4 + len(body), zlib.crc32(body)) + body for i in range(3))
    rows, receipt = read_rows(first + _flip(second, 25) + third)
    assert [row["kind"] for row in rows] == ["unknown", "damaged", "unknown"]
    assert receipt.not_understood == 3
