"""Numbers as Kafka writes them. The caller has seen to it that the bytes are there."""

import numpy as np

from spark_jobs.wire.compiled import as_long, compiled
from spark_jobs.wire.record_program import Octets


@compiled
def int16_at(source: Octets, at: int) -> int:
    return as_long(np.int16(as_long(source[at]) << 8 | as_long(source[at + 1])))


@compiled
def int32_at(source: Octets, at: int) -> int:
    return as_long(
        np.int32(
            as_long(source[at]) << 24
            | as_long(source[at + 1]) << 16
            | as_long(source[at + 2]) << 8
            | as_long(source[at + 3])
        )
    )


@compiled
def uint32_at(source: Octets, at: int) -> int:
    return int32_at(source, at) & 0xFFFFFFFF


@compiled
def int64_at(source: Octets, at: int) -> int:
    return int32_at(source, at) << 32 | uint32_at(source, at + 4)


@compiled
def unsigned_varint_at(source: Octets, at: int, end: int) -> tuple[int, int]:
    """Value and the place after it, or a place of -1: no more than five bytes and 31 bits, for it is a length."""
    value = as_long(0)
    shift = 0
    while at < end and shift < 35:
        byte = as_long(source[at])
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return (value, at) if value <= 0x7FFFFFFF else (as_long(0), as_long(-1))
        shift += 7
    return as_long(0), as_long(-1)


@compiled
def varint_at(source: Octets, at: int, end: int) -> tuple[int, int]:
    """Zigzag, up to ten bytes; a place of -1 where it doesn't end."""
    value = np.uint64(0)
    shift = np.uint64(0)
    while at < end and shift < np.uint64(70):
        byte = np.uint64(source[at])
        at += 1
        value |= (byte & np.uint64(0x7F)) << shift
        if byte < np.uint64(0x80):
            return as_long(value >> np.uint64(1)) ^ -as_long(value & np.uint64(1)), as_long(at)
        shift += np.uint64(7)
    return as_long(0), as_long(-1)
