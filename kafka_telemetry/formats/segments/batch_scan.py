"""The batches in a window of a segment: where each begins and ends, whether its CRC is right, and what it is to be
searched for when that can't be known.
"""

from typing import Any

import numpy.typing as npt

from kafka_telemetry.formats.compiled import as_long, compiled
from kafka_telemetry.formats.problems import CODEC, CRC, LENGTH, MAGIC, RECORDS, TOO_LONG
from kafka_telemetry.formats.raw_memory import byte_at, int16_at, int32_at, int64_at, uint32_at
from kafka_telemetry.formats.segments.batch_layout import (
    ATTRIBUTES,
    ATTRIBUTES_USED,
    CODEC_BITS,
    COUNT,
    CRC_AT,
    CRC_FROM,
    HEADER,
    LAST_OFFSET_DELTA,
    LOG_OVERHEAD,
    MAGIC_AT,
    OLD_ATTRIBUTES,
    OLD_CRC,
    OLD_CRC_FROM,
    filled_by_messages,
    filled_by_records,
    old_key_at,
    smallest_length,
)
from kafka_telemetry.formats.segments.checksums import crc32, crc32c
from kafka_telemetry.formats.segments.compiled_schema import Octets

Batches = npt.NDArray[Any]

# Columns of a table of batches. PACKED: the codec, until the records are unpacked into the second source, from START
# to STOP. LAST_INNER: the last offset inside a packed message of magic 1.
AT, PROBLEM, PACKED, SOURCE, START, STOP, RECORDS_IN, LAST_INNER = range(8)
BATCH_COLUMNS = 8

# Why the scan stopped.
TABLE_FULL, NEEDS_MORE, LOST, ZEROS, TAIL = range(5)
# What it says and what it is told, by place: where it stopped, why, the problem, how much is needed, the last offset.
STOPPED_AT, STOPPED_BECAUSE, STOPPED_PROBLEM, NEEDED, LAST_OFFSET, CRC_BUDGET = range(6)
STATE_COLUMNS = 6

# START of a place where no batch is known to begin.
NOWHERE = -1

LARGEST_BATCH = 1 << 28
_SMALLEST_HEAD = 17
# Of offsets that the cleaner took away between two batches: more is no offset at all.
_WIDEST_HOLE = 1 << 40


@compiled
def first_not_zero(source: Octets, at: int, end: int) -> int:
    while at < end and byte_at(source, at) == 0:
        at += 1
    return at


@compiled
def _could_begin(source: Octets, at: int, end: int, last_offset: int) -> bool:
    """Whether what follows a batch with a wrong CRC looks like another, or like the end: then its length was right."""
    if first_not_zero(source, at, end) == end:
        return True
    if end - at < _SMALLEST_HEAD:
        return True
    length = int32_at(source, at + 8)
    magic = byte_at(source, at + MAGIC_AT)
    offset = int64_at(source, at)
    if magic > 2 or length < smallest_length(magic) or length > LARGEST_BATCH or offset <= last_offset:
        return False
    if last_offset >= 0 and offset - last_offset > _WIDEST_HOLE:
        return False
    if magic == 2:
        return end - at < HEADER or _is_head(source, at)
    # Of the old format so little is fixed that only its CRC tells.
    stop = at + LOG_OVERHEAD + length
    return stop <= end and uint32_at(source, at + OLD_CRC) == crc32(source, at + OLD_CRC_FROM, stop)


@compiled
def _is_head(source: Octets, at: int) -> bool:
    attributes = int16_at(source, at + ATTRIBUTES)
    return (
        attributes & ~ATTRIBUTES_USED == 0
        and attributes & CODEC_BITS <= 4
        and int32_at(source, at + LAST_OFFSET_DELTA) >= 0
        and int32_at(source, at + COUNT) >= 0
    )


@compiled
def scan(source: Octets, at: int, end: int, at_eof: bool, table: Batches, state: Batches) -> int:
    """Fills the table and returns how many batches it holds."""
    rows = 0
    because = TABLE_FULL
    problem = 0
    needed = 0
    while rows < table.shape[0]:
        left = end - at
        if left < _SMALLEST_HEAD:
            because = TAIL if at_eof else NEEDS_MORE
            needed = _SMALLEST_HEAD
            break
        offset = int64_at(source, at)
        length = int32_at(source, at + 8)
        magic = byte_at(source, at + MAGIC_AT)
        if offset == 0 and length == 0:
            because = ZEROS
            problem = LENGTH
            break
        if magic > 2:
            because = LOST
            problem = MAGIC
            break
        if length < smallest_length(magic):
            because = LOST
            problem = LENGTH
            break
        if length > LARGEST_BATCH:
            because = LOST
            problem = TOO_LONG
            break
        whole = LOG_OVERHEAD + length
        if left < whole:
            because = TAIL if at_eof else NEEDS_MORE
            needed = whole
            break
        stop = at + whole
        if magic == 2:
            right = uint32_at(source, at + CRC_AT) == crc32c(source, at + CRC_FROM, stop)
        else:
            right = uint32_at(source, at + OLD_CRC) == crc32(source, at + OLD_CRC_FROM, stop)

        problem = 0
        codec = as_long(0)
        start = as_long(0)
        count = as_long(0)
        last_inner = as_long(-1)
        if not right:
            if not at_eof and left < whole + HEADER:
                because = NEEDS_MORE
                needed = whole + HEADER
                break
            if not _could_begin(source, stop, end, state[LAST_OFFSET]):
                because = LOST
                problem = CRC
                break
            problem = CRC
        elif magic == 2:
            codec = int16_at(source, at + ATTRIBUTES) & CODEC_BITS
            start = at + HEADER
            count = int32_at(source, at + COUNT)
            if codec > 4:
                problem = CODEC
            elif count < 0 or (codec == 0 and not filled_by_records(source, start, stop, count)):
                problem = RECORDS
            state[LAST_OFFSET] = offset + int32_at(source, at + LAST_OFFSET_DELTA)
        else:
            codec = byte_at(source, at + OLD_ATTRIBUTES) & CODEC_BITS
            if codec > 3:
                problem = CODEC
            elif codec == 0:
                start = as_long(at)
                count, last_inner = filled_by_messages(source, at, stop)
                problem = RECORDS if count != 1 else 0
            else:
                # Packed: the value of the message, which has no key, is the set of the inner ones.
                start = at + old_key_at(magic)
                if stop - start < 8:
                    problem = RECORDS
                else:
                    key_length = max(int32_at(source, start), 0)
                    start += 4 + key_length
                    if key_length > stop - start - 4 or int32_at(source, start) != stop - start - 4:
                        problem = RECORDS
                    start += 4
            state[LAST_OFFSET] = offset

        table[rows, AT] = at
        table[rows, PROBLEM] = problem
        table[rows, PACKED] = codec if problem == 0 else 0
        table[rows, SOURCE] = 0
        table[rows, START] = start
        table[rows, STOP] = stop
        table[rows, RECORDS_IN] = count
        table[rows, LAST_INNER] = last_inner
        rows += 1
        at = stop
    state[STOPPED_AT] = at
    state[STOPPED_BECAUSE] = because
    state[STOPPED_PROBLEM] = problem
    state[NEEDED] = needed
    return rows


@compiled
def find_batch(source: Octets, at: int, end: int, at_eof: bool, longest: int, state: Batches) -> int:
    """Where the next batch begins that its CRC confirms, or -1. Then STOPPED_AT is where to go on with more bytes.

    Looked for is magic 2 only. The budget keeps bytes that look like many headers from costing the square of them.
    """
    while at + HEADER <= end:
        if byte_at(source, at + MAGIC_AT) == 2:
            length = int32_at(source, at + 8)
            if 49 <= length <= longest and int64_at(source, at) > state[LAST_OFFSET] and _is_head(source, at):
                stop = at + LOG_OVERHEAD + length
                if stop > end:
                    if not at_eof:
                        break
                elif state[CRC_BUDGET] >= length:
                    state[CRC_BUDGET] -= length
                    if uint32_at(source, at + CRC_AT) == crc32c(source, at + CRC_FROM, stop):
                        return at
        at += 1
    state[STOPPED_AT] = at
    return -1
