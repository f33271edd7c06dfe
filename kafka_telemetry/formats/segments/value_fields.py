"""Reads single fields of a record value in compiled code and writes them as JSON: numbers, strings, bytes and UUIDs."""

import numpy as np

from kafka_telemetry.formats.compiled import UInt8Array, as_long, compiled
from kafka_telemetry.formats.raw_memory import int8_at, int16_at, int32_at, int64_at
from kafka_telemetry.formats.segments.compiled_schema import BYTES
from kafka_telemetry.formats.segments.json_text import (
    copy_bytes,
    is_utf8,
    write_base64,
    write_integer,
    write_string,
    write_uuid,
)
from kafka_telemetry.formats.segments.varints import unsigned_varint_at

# The status of reading a value or a field of it.
UNDERSTOOD = 0
# Understood, but the JSON doesn't give the bytes back: unknown tags, unusual versions inside, defaults written out.
INEXACT = 1
OUT_OF_ROOM = 2
NOT_UNDERSTOOD = 3
NOT_UTF8 = 4

# Room that an instruction may need besides its text and its string or bytes: for a number, quotes, null or a UUID.
ROOM = 32

_NULL = np.frombuffer(b"null", np.uint8)
_QUOTE = 34


@compiled
def length_at(source: UInt8Array, at: int, end: int, compact: int, size: int) -> tuple[int, int]:
    """Returns a length or count, -1 for null, and the position after it, which is -1 if the length is invalid."""
    if compact != 0:
        value, at = unsigned_varint_at(source, at, end)
        return value - 1, at
    if at + size > end:
        return as_long(-1), as_long(-1)
    length = int16_at(source, at) if size == 2 else int32_at(source, at)
    if length < -1:
        return as_long(-1), as_long(-1)
    return length, as_long(at + size)


@compiled
def are_equal(one: UInt8Array, at: int, other: UInt8Array, start: int, length: int) -> bool:
    for i in range(length):  # noqa: SIM110, a generator can't be compiled
        if one[at + i] != other[start + i]:
            return False
    return True


@compiled
def write_null(out: UInt8Array, to: int) -> int:
    return copy_bytes(_NULL, 0, 4, out, to)


@compiled
def write_integer_field(
    source: UInt8Array, at: int, end: int, size: int, unsigned: int, out: UInt8Array, to: int
) -> tuple[int, int, int]:
    """Returns the status, the position after what was read and the position after what was written."""
    if at + size > end:
        return as_long(NOT_UNDERSTOOD), as_long(at), as_long(to)
    if size == 4:
        value = int32_at(source, at)
    elif size == 8:
        value = int64_at(source, at)
    elif size == 2:
        value = int16_at(source, at)
        if unsigned != 0:
            value &= 0xFFFF
    else:
        value = int8_at(source, at)
    return as_long(UNDERSTOOD), as_long(at + size), write_integer(value, out, to)


@compiled
def write_text_field(
    source: UInt8Array,
    start: int,
    length: int,
    end: int,
    operation: int,
    nullable: bool,
    out: UInt8Array,
    to: int,
    room: int,
) -> tuple[int, int, int]:
    """The same for a string, or bytes as base64, of which the length was read. The start is -1 if it was invalid."""
    if start < 0 or start + length > end or (length < 0 and not nullable):
        return as_long(NOT_UNDERSTOOD), as_long(start), as_long(to)
    if length < 0:
        return as_long(UNDERSTOOD), as_long(start), write_null(out, to)
    if to + 6 * length + ROOM > room:
        return as_long(OUT_OF_ROOM), as_long(start), as_long(to)
    if operation == BYTES:
        return as_long(UNDERSTOOD), as_long(start + length), write_base64(source, start, length, out, to)
    if not is_utf8(source, start, start + length):
        return as_long(NOT_UTF8), as_long(start), as_long(to)
    return as_long(UNDERSTOOD), as_long(start + length), write_string(source, start, length, out, to)


@compiled
def write_uuid_field(source: UInt8Array, at: int, end: int, out: UInt8Array, to: int) -> tuple[int, int, int]:
    if at + 16 > end:
        return as_long(NOT_UNDERSTOOD), as_long(at), as_long(to)
    out[to] = _QUOTE
    to = write_uuid(source, at, out, to + 1)
    out[to] = _QUOTE
    return as_long(UNDERSTOOD), as_long(at + 16), as_long(to + 1)
