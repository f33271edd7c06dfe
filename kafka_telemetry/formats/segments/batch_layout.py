"""Where the numbers of a batch stand, and whether the records in it fill it."""

from kafka_telemetry.formats.compiled import as_long, compiled
from kafka_telemetry.formats.raw_memory import byte_at, int32_at, int64_at, uint32_at
from kafka_telemetry.formats.segments.checksums import crc32
from kafka_telemetry.formats.segments.compiled_schema import Octets
from kafka_telemetry.formats.segments.varints import varint_at

# Offset and length, then what the length counts.
LOG_OVERHEAD = 12
LEADER_EPOCH, MAGIC_AT, CRC_AT, ATTRIBUTES, LAST_OFFSET_DELTA = 12, 16, 17, 21, 23
BASE_TIMESTAMP, MAX_TIMESTAMP, PRODUCER_ID, PRODUCER_EPOCH, BASE_SEQUENCE, COUNT = 27, 35, 43, 51, 53, 57
HEADER = 61
# From here on the CRC counts.
CRC_FROM = 21

CODEC_BITS = 7
ATTRIBUTES_USED = 0x7F
LOG_APPEND_TIME, TRANSACTIONAL, CONTROL, DELETE_HORIZON = 1 << 3, 1 << 4, 1 << 5, 1 << 6

# Message sets of magic 0 and 1: CRC, magic, attributes, time (1 only), key, value.
OLD_CRC, OLD_MAGIC, OLD_ATTRIBUTES, OLD_TIMESTAMP = 12, 16, 17, 18
OLD_CRC_FROM = 16


@compiled
def smallest_length(magic: int) -> int:
    return 49 if magic == 2 else 22 if magic == 1 else 14


@compiled
def old_key_at(magic: int) -> int:
    return 26 if magic == 1 else 18


@compiled
def filled_by_records(source: Octets, at: int, end: int, count: int) -> bool:
    """Whether just `count` well-formed records stand there. What reads them after this needs to check nothing."""
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
        # `number` is the offset delta now.
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
def filled_by_messages(source: Octets, at: int, end: int) -> tuple[int, int]:
    """How many messages of magic 0 and 1 stand there, -1 if they don't fill it, and the offset of the last."""
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
        if uint32_at(source, at + OLD_CRC) != crc32(source, at + OLD_CRC_FROM, message_end):
            return as_long(-1), last_offset
        if byte_at(source, at + OLD_ATTRIBUTES) & CODEC_BITS != 0:
            return as_long(-1), last_offset
        field = at + old_key_at(magic)
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
