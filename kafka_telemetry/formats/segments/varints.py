"""Numbers of variable length: seven bits a byte, the lowest first."""

import numpy as np

from kafka_telemetry.formats.compiled import as_long, compiled
from kafka_telemetry.formats.raw_memory import byte_at
from kafka_telemetry.formats.segments.compiled_schema import Octets


@compiled
def unsigned_varint_at(source: Octets, at: int, end: int) -> tuple[int, int]:
    """Value and the place after it, or a place of -1: no more than five bytes and 31 bits, for it is a length."""
    value = as_long(0)
    shift = 0
    while at < end and shift < 35:
        byte = byte_at(source, at)
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return (value, at) if value <= 0x7FFFFFFF else (as_long(0), as_long(-1))
        shift += 7
    return as_long(0), as_long(-1)


@compiled
def is_padded(source: Octets, at: int, after: int) -> bool:
    """Whether more bytes were taken than the number needs: written again it would be shorter."""
    return after - at > 1 and byte_at(source, after - 1) == 0


@compiled
def varint_at(source: Octets, at: int, end: int) -> tuple[int, int]:
    """Zigzag, up to ten bytes; a place of -1 where it doesn't end."""
    if at < end:
        byte = byte_at(source, at)
        if byte < 0x80:
            return byte >> 1 ^ -(byte & 1), as_long(at + 1)
    return _long_varint_at(source, at, end)


@compiled
def _long_varint_at(source: Octets, at: int, end: int) -> tuple[int, int]:
    value = np.uint64(0)
    shift = np.uint64(0)
    while at < end and shift < np.uint64(70):
        byte = np.uint64(byte_at(source, at))
        at += 1
        value |= (byte & np.uint64(0x7F)) << shift
        if byte < np.uint64(0x80):
            return as_long(value >> np.uint64(1)) ^ -as_long(value & np.uint64(1)), as_long(at)
        shift += np.uint64(7)
    return as_long(0), as_long(-1)
