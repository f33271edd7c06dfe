"""Scans a window of a segment for batches: where each begins and ends, and whether its CRC matches.

`scan_batches` fills a table with one row per batch until it meets bytes that are no batch. `find_batch` then searches for
the next batch that its CRC confirms.
"""

from kafka_telemetry.formats.compiled import Int64Array, UInt8Array, as_long, compiled
from kafka_telemetry.formats.problems import CODEC, CRC, LENGTH, MAGIC, RECORDS, TOO_LONG
from kafka_telemetry.formats.raw_memory import byte_at, int16_at, int32_at, int64_at, uint32_at
from kafka_telemetry.formats.segments.batch_layout import (
    ATTRIBUTES_AT,
    CODEC_BITS,
    CRC_AT,
    CRC_FROM,
    HEADER_SIZE,
    KNOWN_ATTRIBUTES,
    LAST_OFFSET_DELTA_AT,
    LOG_OVERHEAD,
    MAGIC_AT,
    MESSAGE_ATTRIBUTES_AT,
    MESSAGE_CRC_AT,
    MESSAGE_CRC_FROM,
    RECORD_COUNT_AT,
    count_messages,
    is_filled_by_records,
    message_key_at,
    smallest_length,
)
from kafka_telemetry.formats.segments.checksums import crc32, crc32c

# Columns of the table of batches. The records are in the bytes from START to STOP of a source: 0 is the file, 1 the
# buffer of decompressed records. COMPRESSED_BY: the codec in the file, 0 for none and for damaged batches.
# LAST_INNER_OFFSET: the last offset inside a compressed message of magic 1.
BATCH_AT, PROBLEM, COMPRESSED_BY, SOURCE, START, STOP, RECORD_COUNT, LAST_INNER_OFFSET = range(8)
BATCH_COLUMNS = 8

# Why the scan stopped.
TABLE_FULL, NEEDS_MORE_BYTES, NO_BATCH, ZEROS, INCOMPLETE_AT_EOF = range(5)
# State of the scan: where and why it stopped, with which problem, how many bytes it needs to go on, the last offset
# seen, and how many more bytes `find_batch` may compute CRCs of.
STOPPED_AT, STOP_REASON, STOP_PROBLEM, BYTES_NEEDED, LAST_OFFSET, CRC_BUDGET = range(6)
SCAN_STATE_SIZE = 6

# START of a row for bytes in which no batch begins.
NOWHERE = -1

LARGEST_BATCH = 1 << 28
_SMALLEST_HEAD = 17
# Of the offsets that the cleaner removed between two batches: a larger hole means that this is no offset.
_WIDEST_HOLE = 1 << 40


@compiled
def first_not_zero(source: UInt8Array, at: int, end: int) -> int:
    while at < end and byte_at(source, at) == 0:
        at += 1
    return at


@compiled
def _may_be_batch(source: UInt8Array, at: int, end: int, last_offset: int) -> bool:
    """Whether the bytes after a batch with a wrong CRC look like a batch or like padding: then its length is valid."""
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
        return end - at < HEADER_SIZE or _is_plausible_header(source, at)
    # So few bytes of an older message are fixed that only its CRC identifies it.
    stop = at + LOG_OVERHEAD + length
    return stop <= end and uint32_at(source, at + MESSAGE_CRC_AT) == crc32(source, at + MESSAGE_CRC_FROM, stop)


@compiled
def _is_plausible_header(source: UInt8Array, at: int) -> bool:
    attributes = int16_at(source, at + ATTRIBUTES_AT)
    return (
        attributes & ~KNOWN_ATTRIBUTES == 0
        and attributes & CODEC_BITS <= 4
        and int32_at(source, at + LAST_OFFSET_DELTA_AT) >= 0
        and int32_at(source, at + RECORD_COUNT_AT) >= 0
    )


@compiled
def scan_batches(source: UInt8Array, at: int, end: int, at_eof: bool, table: Int64Array, state: Int64Array) -> int:
    """Fills the table and returns its number of rows.

    1. Read the length and magic; stop if no batch can begin here or if it is not loaded completely.
    2. Compare the CRC. If it is wrong, go on only if the length leads to something that looks like a batch.
    3. Find the records: of a record batch, of a single older message, or of a compressed set of older messages.
       Uncompressed records must fill the batch exactly.
    4. Write the row.
    """
    rows = 0
    reason = TABLE_FULL
    problem = 0
    needed = 0
    while rows < table.shape[0]:
        left = end - at
        if left < _SMALLEST_HEAD:
            reason = INCOMPLETE_AT_EOF if at_eof else NEEDS_MORE_BYTES
            needed = _SMALLEST_HEAD
            break
        offset = int64_at(source, at)
        length = int32_at(source, at + 8)
        magic = byte_at(source, at + MAGIC_AT)
        if offset == 0 and length == 0:
            reason = ZEROS
            problem = LENGTH
            break
        if magic > 2:
            reason = NO_BATCH
            problem = MAGIC
            break
        if length < smallest_length(magic):
            reason = NO_BATCH
            problem = LENGTH
            break
        if length > LARGEST_BATCH:
            reason = NO_BATCH
            problem = TOO_LONG
            break
        size = LOG_OVERHEAD + length
        if left < size:
            reason = INCOMPLETE_AT_EOF if at_eof else NEEDS_MORE_BYTES
            needed = size
            break
        stop = at + size
        if magic == 2:
            crc_matches = uint32_at(source, at + CRC_AT) == crc32c(source, at + CRC_FROM, stop)
        else:
            crc_matches = uint32_at(source, at + MESSAGE_CRC_AT) == crc32(source, at + MESSAGE_CRC_FROM, stop)

        problem = 0
        codec = as_long(0)
        start = as_long(0)
        count = as_long(0)
        last_inner = as_long(-1)
        if not crc_matches:
            if not at_eof and left < size + HEADER_SIZE:
                reason = NEEDS_MORE_BYTES
                needed = size + HEADER_SIZE
                break
            if not _may_be_batch(source, stop, end, state[LAST_OFFSET]):
                reason = NO_BATCH
                problem = CRC
                break
            problem = CRC
        elif magic == 2:
            codec = int16_at(source, at + ATTRIBUTES_AT) & CODEC_BITS
            start = at + HEADER_SIZE
            count = int32_at(source, at + RECORD_COUNT_AT)
            if codec > 4:
                problem = CODEC
            elif count < 0 or (codec == 0 and not is_filled_by_records(source, start, stop, count)):
                problem = RECORDS
            state[LAST_OFFSET] = offset + int32_at(source, at + LAST_OFFSET_DELTA_AT)
        else:
            codec = byte_at(source, at + MESSAGE_ATTRIBUTES_AT) & CODEC_BITS
            if codec > 3:
                problem = CODEC
            elif codec == 0:
                start = as_long(at)
                count, last_inner = count_messages(source, at, stop)
                problem = RECORDS if count != 1 else 0
            else:
                # The value of a compressed message, which has no key, is the set of inner messages.
                start = at + message_key_at(magic)
                if stop - start < 8:
                    problem = RECORDS
                else:
                    key_length = max(int32_at(source, start), 0)
                    start += 4 + key_length
                    if key_length > stop - start - 4 or int32_at(source, start) != stop - start - 4:
                        problem = RECORDS
                    start += 4
            state[LAST_OFFSET] = offset

        table[rows, BATCH_AT] = at
        table[rows, PROBLEM] = problem
        table[rows, COMPRESSED_BY] = codec if problem == 0 else 0
        table[rows, SOURCE] = 0
        table[rows, START] = start
        table[rows, STOP] = stop
        table[rows, RECORD_COUNT] = count
        table[rows, LAST_INNER_OFFSET] = last_inner
        rows += 1
        at = stop
    state[STOPPED_AT] = at
    state[STOP_REASON] = reason
    state[STOP_PROBLEM] = problem
    state[BYTES_NEEDED] = needed
    return rows


@compiled
def find_batch(source: UInt8Array, at: int, end: int, at_eof: bool, longest: int, state: Int64Array) -> int:
    """Returns where the next batch with a matching CRC begins, or -1: then STOPPED_AT is where to go on.

    It searches for magic 2 only. The CRC budget bounds the time for bytes that look like many overlapping batches.
    """
    while at + HEADER_SIZE <= end:
        if byte_at(source, at + MAGIC_AT) == 2:
            length = int32_at(source, at + 8)
            if (
                49 <= length <= longest
                and int64_at(source, at) > state[LAST_OFFSET]
                and _is_plausible_header(source, at)
            ):
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
