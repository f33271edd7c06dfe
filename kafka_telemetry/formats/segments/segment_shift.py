"""Rewrites a segment as if it had been recorded later: with later times, offsets and generations."""

import struct
from collections.abc import Iterator

from kafka_telemetry.formats.segments.batch_codecs import BufferTooSmallError, decompress_records
from kafka_telemetry.formats.segments.batch_layout import (
    ATTRIBUTES_AT,
    BASE_TIMESTAMP_AT,
    CODEC_BITS,
    CONTROL,
    HEADER_SIZE,
    LOG_OVERHEAD,
    MAGIC_AT,
    MAX_TIMESTAMP_AT,
)
from kafka_telemetry.formats.segments.field_positions import (
    GENERATION,
    MEMBER_EPOCH,
    TIME,
    FieldPosition,
    find_times_and_epochs,
)
from kafka_telemetry.formats.segments.segment_writer import CODECS, compress_records, with_valid_crc

_LARGEST_DECOMPRESSED = 1 << 28


def shift_segment(data: bytes, *, milliseconds: int, offsets: int, generations: int) -> bytes:
    """Adds to all times, to all offsets, and to all generations and epochs. All batches have to be complete, of magic 2."""
    out = []
    at = 0
    while at < len(data):
        stop = at + LOG_OVERHEAD + struct.unpack_from(">i", data, at + 8)[0]
        if data[at + MAGIC_AT] != 2 or stop > len(data):
            raise ValueError(f"no whole batch of magic 2 at byte {at}")
        out.append(_shifted(data[at:stop], milliseconds, offsets, generations))
        at = stop
    return b"".join(out)


def _shifted(batch: bytes, milliseconds: int, offsets: int, generations: int) -> bytes:
    header = bytearray(batch[:HEADER_SIZE])
    _add(header, 0, "q", offsets)
    for position in (BASE_TIMESTAMP_AT, MAX_TIMESTAMP_AT):
        # -1 in a batch that the cleaner has emptied.
        if struct.unpack_from(">q", header, position)[0] >= 0:
            _add(header, position, "q", milliseconds)
    attributes = struct.unpack_from(">h", header, ATTRIBUTES_AT)[0]
    codec = attributes & CODEC_BITS
    body = batch[HEADER_SIZE:]
    records = bytearray(_decompressed(codec, body) if codec else body)
    shift = {TIME: milliseconds, GENERATION: generations, MEMBER_EPOCH: generations}
    if not attributes & CONTROL:
        for field in _fields_to_shift(bytes(records)):
            least = 1 if field.meaning == MEMBER_EPOCH else 0
            if struct.unpack_from(">" + field.format, records, field.position)[0] >= least:
                _add(records, field.position, field.format, shift[field.meaning])
    body = compress_records(CODECS[codec], bytes(records))
    struct.pack_into(">i", header, 8, HEADER_SIZE - LOG_OVERHEAD + len(body))
    return with_valid_crc(bytes(header) + body)


def _fields_to_shift(records: bytes) -> Iterator[FieldPosition]:
    at = 0
    while at < len(records):
        length, at = _varint(records, at)
        stop = at + length
        _, field = _varint(records, at + 1)
        _, field = _varint(records, field)
        key_length, key = _varint(records, field)
        value_length, value = _varint(records, key + max(key_length, 0))
        if key_length >= 2 and value_length >= 2:
            key_type = struct.unpack_from(">h", records, key)[0]
            for found in find_times_and_epochs(key_type, records[value : value + value_length]):
                yield found._replace(position=value + found.position)
        at = stop


def _decompressed(codec: int, data: bytes) -> bytes:
    size = max(1 << 16, 16 * len(data))
    while True:
        out = bytearray(size)
        try:
            return bytes(out[: decompress_records(codec, memoryview(data), memoryview(out))])
        except BufferTooSmallError:
            if size >= _LARGEST_DECOMPRESSED:
                raise
            size *= 4


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value >> 1 ^ -(value & 1), at
        shift += 7


def _add(data: bytearray, position: int, format: str, amount: int) -> None:
    number = struct.unpack_from(">" + format, data, position)[0]
    struct.pack_into(">" + format, data, position, number + amount)
