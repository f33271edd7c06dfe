"""Encodes record batches of magic 2 as brokers write them: the inverse of reading a segment.

Keys and values are encoded by `record_encoding`.
"""

import gzip
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import cramjam
import google_crc32c
import zstandard

from kafka_telemetry.formats.segments.batch_layout import (
    CONTROL,
    CRC_AT,
    CRC_FROM,
    DELETE_HORIZON,
    LOG_APPEND_TIME,
    TRANSACTIONAL,
)

Codec = Literal["none", "gzip", "snappy", "lz4", "zstd"]
CODECS: tuple[Codec, ...] = ("none", "gzip", "snappy", "lz4", "zstd")

_HEADER = struct.Struct(">qiibIhiqqqhii")
_XERIAL_HEADER = b"\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01"
# Independent blocks of 64 KiB; the last byte is the checksum of the two before it.
_LZ4_HEADER = b"\x04\x22\x4d\x18\x60\x40\x82"
_LZ4_BLOCK = 1 << 16
_LZ4_STORED = 1 << 31


class Record(NamedTuple):
    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...] = ()


@dataclass(frozen=True)
class Batch:
    records: Sequence[Record]
    codec: Codec = "none"
    leader_epoch: int = 0
    producer_id: int = -1
    producer_epoch: int = -1
    base_sequence: int = -1
    transactional: bool = False
    control: bool = False
    log_append_time: bool = False
    # The cleaner sets it.
    delete_horizon: int | None = None
    # The cleaner leaves both as they are when it removes records. By default they are those of the records.
    base_offset: int | None = None
    last_offset: int | None = None


def encode_segment(batches: Iterable[Batch]) -> bytes:
    return b"".join(encode_batch(batch) for batch in batches)


def encode_batch(batch: Batch) -> bytes:
    records = batch.records
    base_offset = records[0].offset if batch.base_offset is None else batch.base_offset
    last_offset = records[-1].offset if batch.last_offset is None else batch.last_offset
    first_time = records[0].timestamp if records else -1
    base_time = first_time if batch.delete_horizon is None else batch.delete_horizon
    attributes = (
        CODECS.index(batch.codec)
        | LOG_APPEND_TIME * batch.log_append_time
        | TRANSACTIONAL * batch.transactional
        | CONTROL * batch.control
        | DELETE_HORIZON * (batch.delete_horizon is not None)
    )
    body = compress_records(batch.codec, b"".join(_encode_record(record, base_offset, base_time) for record in records))
    header = _HEADER.pack(
        base_offset,
        _HEADER.size - 12 + len(body),
        batch.leader_epoch,
        2,
        0,
        attributes,
        last_offset - base_offset,
        base_time,
        max((record.timestamp for record in records), default=-1),
        batch.producer_id,
        batch.producer_epoch,
        batch.base_sequence,
        len(records),
    )
    return with_valid_crc(header + body)


def with_valid_crc(batch: bytes) -> bytes:
    crc = google_crc32c.value(batch[CRC_FROM:])
    return batch[:CRC_AT] + struct.pack(">I", crc) + batch[CRC_FROM:]


def marker_batch(
    offset: int, timestamp: int, producer_id: int, producer_epoch: int, *, commit: bool, coordinator_epoch: int = 0
) -> Batch:
    """Builds the batch that ends a transaction."""
    key = struct.pack(">hh", 0, commit)
    value = struct.pack(">hi", 0, coordinator_epoch)
    return Batch(
        [Record(offset, timestamp, key, value)],
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        transactional=True,
        control=True,
    )


def compress_records(codec: Codec, data: bytes) -> bytes:
    if codec == "gzip":
        return gzip.compress(data, mtime=0)
    if codec == "snappy":
        block = bytes(cramjam.snappy.compress_raw(data))
        return _XERIAL_HEADER + struct.pack(">i", len(block)) + block
    if codec == "lz4":
        starts = range(0, len(data), _LZ4_BLOCK)
        return _LZ4_HEADER + b"".join(_lz4_block(data[start : start + _LZ4_BLOCK]) for start in starts) + bytes(4)
    if codec == "zstd":
        return zstandard.ZstdCompressor(write_content_size=False).compress(data)
    return data


def varint(value: int) -> bytes:
    """Encodes in zigzag, so that small numbers of either sign are short."""
    rest = value << 1 if value >= 0 else ~(value << 1)
    out = bytearray()
    while rest > 0x7F:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    out.append(rest)
    return bytes(out)


def _encode_record(record: Record, base_offset: int, base_time: int) -> bytes:
    headers = b"".join(_sized(name.encode()) + _sized(value) for name, value in record.headers)
    body = (
        b"\x00"
        + varint(record.timestamp - base_time)
        + varint(record.offset - base_offset)
        + _sized(record.key)
        + _sized(record.value)
        + varint(len(record.headers))
        + headers
    )
    return varint(len(body)) + body


def _sized(data: bytes | None) -> bytes:
    return varint(-1) if data is None else varint(len(data)) + data


def _lz4_block(data: bytes) -> bytes:
    block = bytes(cramjam.lz4.compress_block(data, store_size=False))
    if len(block) >= len(data):
        return struct.pack("<I", len(data) | _LZ4_STORED) + data
    return struct.pack("<I", len(block)) + block
