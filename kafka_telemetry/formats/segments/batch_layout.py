"""Byte positions of the fields of a record batch and of older messages, and checks that records fill their batch."""

from kafka_telemetry.formats.compiled import UInt8Array, as_long, compiled
from kafka_telemetry.formats.raw_memory import byte_at, int32_at, int64_at, uint32_at
from kafka_telemetry.formats.segments.checksums import crc32
from kafka_telemetry.formats.segments.varints import varint_at

# Base offset and length; the length counts the bytes after them.
LOG_OVERHEAD = 12

# A record batch (magic 2).
LEADER_EPOCH_AT, MAGIC_AT, CRC_AT, ATTRIBUTES_AT, LAST_OFFSET_DELTA_AT = 12, 16, 17, 21, 23
BASE_TIMESTAMP_AT, MAX_TIMESTAMP_AT, PRODUCER_ID_AT, RECORD_COUNT_AT = 27, 35, 43, 57
HEADER_SIZE = 61
# The CRC covers the bytes from here on.
CRC_FROM = 21

CODEC_BITS = 7
KNOWN_ATTRIBUTES = 0x7F
LOG_APPEND_TIME, TRANSACTIONAL, CONTROL, DELETE_HORIZON = 1 << 3, 1 << 4, 1 << 5, 1 << 6

# A message (magic 0 and 1): CRC, magic, attributes, timestamp (magic 1 only), key, value.
MESSAGE_CRC_AT, MESSAGE_ATTRIBUTES_AT, MESSAGE_TIMESTAMP_AT = 12, 17, 18
MESSAGE_CRC_FROM = 16


@compiled
def smallest_length(magic: int) -> int:
    return 49 if magic == 2 else 22 if magic == 1 else 14


@compiled
def message_key_at(magic: int) -> int:
    return 26 if magic == 1 else 18


@compiled
def is_filled_by_records(source: UInt8Array, at: int, end: int, count: int) -> bool:
    """Whether exactly `count` well-formed records fill these bytes. Code that reads them afterwards checks nothing."""
    for _ in range(count):
        length, at = varint_at(source, at, end)
        if at < 0 or length < 1 or length > end - at:
            return False
        record_end = at + length
        at += 1
        for _ in range(2):
            number, at = varint_at(source, at, record_end)
            if at < 0:
                return False
        # The second number is the offset delta.
        if number < -0x80000000 or number > 0x7FFFFFFF:
            return False
        for _ in range(2):
            length, at = varint_at(source, at, record_end)
            if at < 0 or length < -1 or length > record_end - at:
                return False
            if length > 0:
                at += length
        headers, at = varint_at(source, at, record_end)
        if at < 0 or headers < 0 or headers > record_end - at:
            return False
        for _ in range(headers):
            for part in range(2):
                length, at = varint_at(source, at, record_end)
                if at < 0 or length < part * -1 or length > record_end - at:
                    return False
                if length > 0:
                    at += length
        if at != record_end:
            return False
    return bool(at == end)


@compiled
def count_messages(source: UInt8Array, at: int, end: int) -> tuple[int, int]:
    """Returns how many messages fill these bytes, -1 if they don't, and the offset of the last one."""
    count = 0
    last_offset = as_long(-1)
    while at < end:
        if end - at < LOG_OVERHEAD + 14:
            return as_long(-1), last_offset
        length = int32_at(source, at + 8)
        magic = byte_at(source, at + MAGIC_AT)
        if magic > 1 or length < smallest_length(magic) or length > end - at - LOG_OVERHEAD:
            return as_long(-1), last_offset
        message_end = at + LOG_OVERHEAD + length
        if uint32_at(source, at + MESSAGE_CRC_AT) != crc32(source, at + MESSAGE_CRC_FROM, message_end):
            return as_long(-1), last_offset
        if byte_at(source, at + MESSAGE_ATTRIBUTES_AT) & CODEC_BITS != 0:
            return as_long(-1), last_offset
        field = at + message_key_at(magic)
        for _ in range(2):
            if message_end - field < 4:
                return as_long(-1), last_offset
            size = int32_at(source, field)
            field += 4
            if size < -1 or size > message_end - field:
                return as_long(-1), last_offset
            if size > 0:
                field += size
        if field != message_end:
            return as_long(-1), last_offset
        last_offset = int64_at(source, at)
        at = message_end
        count += 1
    return as_long(count), last_offset
