"""Reads batch headers and locates the key and value of each record. The bytes have been validated before."""

from typing import NamedTuple

from kafka_telemetry.formats.compiled import UInt8Array, as_long, inlined
from kafka_telemetry.formats.raw_memory import byte_at, int16_at, int32_at, int64_at
from kafka_telemetry.formats.segments.batch_layout import (
    ATTRIBUTES_AT,
    BASE_TIMESTAMP_AT,
    LAST_OFFSET_DELTA_AT,
    LEADER_EPOCH_AT,
    LOG_APPEND_TIME,
    LOG_OVERHEAD,
    MAGIC_AT,
    MAX_TIMESTAMP_AT,
    MESSAGE_ATTRIBUTES_AT,
    MESSAGE_TIMESTAMP_AT,
    PRODUCER_ID_AT,
    message_key_at,
)
from kafka_telemetry.formats.segments.varints import varint_at


class BatchHeader(NamedTuple):
    """The header of a record batch, or the equivalent fields of an older message. -1 means none, as in Kafka."""

    magic: int
    base_offset: int
    last_offset: int
    attributes: int
    leader_epoch: int
    producer_id: int
    base_timestamp: int
    max_timestamp: int


class RecordFrame(NamedTuple):
    """The key and value by position and length; a length below 0 means null."""

    end: int
    offset: int
    timestamp: int
    key: int
    key_length: int
    value: int
    value_length: int


@inlined
def read_batch_header(file: UInt8Array, at: int) -> BatchHeader:
    magic = byte_at(file, at + MAGIC_AT)
    base_offset = int64_at(file, at)
    if magic == 2:
        return BatchHeader(
            magic,
            base_offset,
            base_offset + int32_at(file, at + LAST_OFFSET_DELTA_AT),
            int16_at(file, at + ATTRIBUTES_AT),
            int32_at(file, at + LEADER_EPOCH_AT),
            int64_at(file, at + PRODUCER_ID_AT),
            int64_at(file, at + BASE_TIMESTAMP_AT),
            int64_at(file, at + MAX_TIMESTAMP_AT),
        )
    attributes = byte_at(file, at + MESSAGE_ATTRIBUTES_AT) & LOG_APPEND_TIME
    timestamp = int64_at(file, at + MESSAGE_TIMESTAMP_AT) if magic == 1 else as_long(-1)
    return BatchHeader(magic, base_offset, base_offset, attributes, as_long(-1), as_long(-1), as_long(0), timestamp)


@inlined
def read_record_frame(source: UInt8Array, at: int, header: BatchHeader) -> RecordFrame:
    """Reads a record of a batch of magic 2."""
    length, field = varint_at(source, at, at + 10)
    end = field + length
    delta, field = varint_at(source, field + 1, end)
    timestamp = header.base_timestamp + delta
    delta, field = varint_at(source, field, end)
    key_length, key = varint_at(source, field, end)
    value_length, value = varint_at(source, key + max(key_length, 0), end)
    if header.attributes & LOG_APPEND_TIME != 0:
        timestamp = header.max_timestamp
    return RecordFrame(end, header.base_offset + delta, timestamp, key, key_length, value, value_length)


@inlined
def read_message_frame(source: UInt8Array, at: int, header: BatchHeader, offset_shift: int) -> RecordFrame:
    """Reads a message of magic 0 or 1. Offsets inside a compressed message of magic 1 are relative: see the shift."""
    magic = byte_at(source, at + MAGIC_AT)
    timestamp = int64_at(source, at + MESSAGE_TIMESTAMP_AT) if magic == 1 else as_long(-1)
    if header.attributes & LOG_APPEND_TIME != 0:
        timestamp = header.max_timestamp
    key = at + message_key_at(magic)
    key_length = int32_at(source, key)
    key += 4
    value = key + max(key_length, 0)
    value_length = int32_at(source, value)
    end = at + LOG_OVERHEAD + int32_at(source, at + 8)
    return RecordFrame(end, int64_at(source, at) + offset_shift, timestamp, key, key_length, value + 4, value_length)
