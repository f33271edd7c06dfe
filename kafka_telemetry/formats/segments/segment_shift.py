"""A segment as it would have been at another time: the same records with later times, offsets and generations."""

import struct
from collections.abc import Iterator

from kafka_telemetry.formats.segments.batch_codecs import NoRoomError, unpack
from kafka_telemetry.formats.segments.batch_layout import (
    ATTRIBUTES,
    BASE_TIMESTAMP,
    CODEC_BITS,
    CONTROL,
    HEADER,
    LOG_OVERHEAD,
    MAGIC_AT,
    MAX_TIMESTAMP,
)
from kafka_telemetry.formats.segments.segment_writer import CODECS, pack, with_right_crc
from kafka_telemetry.formats.segments.value_places import GENERATION, MEMBER_EPOCH, TIME, places_in_value

_LARGEST = 1 << 28


def shift_segment(data: bytes, *, milliseconds: int, offsets: int, generations: int) -> bytes:
    """All times, offsets, and generations and epochs of groups moved on. Only whole batches of magic 2 are taken."""
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
    head = bytearray(batch[:HEADER])
    _add(head, 0, "q", offsets)
    for place in (BASE_TIMESTAMP, MAX_TIMESTAMP):
        # -1 in a batch that the cleaner has emptied.
        if struct.unpack_from(">q", head, place)[0] >= 0:
            _add(head, place, "q", milliseconds)
    attributes = struct.unpack_from(">h", head, ATTRIBUTES)[0]
    codec = attributes & CODEC_BITS
    records = bytearray(_unpacked(codec, batch[HEADER:]) if codec else batch[HEADER:])
    shift = {TIME: milliseconds, GENERATION: generations, MEMBER_EPOCH: generations}
    if not attributes & CONTROL:
        for place, letter, meaning in _places(bytes(records)):
            least = 1 if meaning == MEMBER_EPOCH else 0
            if struct.unpack_from(">" + letter, records, place)[0] >= least:
                _add(records, place, letter, shift[meaning])
    body = pack(CODECS[codec], bytes(records))
    struct.pack_into(">i", head, 8, HEADER - LOG_OVERHEAD + len(body))
    return with_right_crc(bytes(head) + body)


def _places(records: bytes) -> Iterator[tuple[int, str, str]]:
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
            for place, letter, meaning in places_in_value(key_type, records[value : value + value_length]):
                yield value + place, letter, meaning
        at = stop


def _unpacked(codec: int, packed: bytes) -> bytes:
    size = max(1 << 16, 16 * len(packed))
    while True:
        out = bytearray(size)
        try:
            return bytes(out[: unpack(codec, memoryview(packed), memoryview(out))])
        except NoRoomError:
            if size >= _LARGEST:
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


def _add(data: bytearray, place: int, letter: str, amount: int) -> None:
    struct.pack_into(">" + letter, data, place, struct.unpack_from(">" + letter, data, place)[0] + amount)
