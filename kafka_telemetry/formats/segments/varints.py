"""Varints: numbers of variable length, seven bits a byte, the lowest bits first."""

import numpy as np

from kafka_telemetry.formats.compiled import UInt8Array, as_long, compiled
from kafka_telemetry.formats.raw_memory import byte_at


@compiled
def unsigned_varint_at(source: UInt8Array, at: int, end: int) -> tuple[int, int]:
    """Returns the value and the position after it, -1 if it is invalid: a length has at most five bytes and 31 bits."""
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
def is_padded(source: UInt8Array, at: int, after: int) -> bool:
    """Whether the number takes more bytes than it needs, so that encoding it gives other bytes."""
    return after - at > 1 and byte_at(source, after - 1) == 0


@compiled
def varint_at(source: UInt8Array, at: int, end: int) -> tuple[int, int]:
    """Returns a zigzag number of up to ten bytes and the position after it, -1 if it doesn't end before `end`."""
    if at < end:
        byte = byte_at(source, at)
        if byte < 0x80:
            return byte >> 1 ^ -(byte & 1), as_long(at + 1)
    return _long_varint_at(source, at, end)


@compiled
def _long_varint_at(source: UInt8Array, at: int, end: int) -> tuple[int, int]:
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
