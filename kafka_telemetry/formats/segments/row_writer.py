"""Writes one decoded record as a row of the columns, in compiled code."""

from kafka_telemetry.formats.compiled import UInt8Array, as_long, inlined
from kafka_telemetry.formats.problems import TIME
from kafka_telemetry.formats.raw_memory import int16_at, int32_at, int64_at
from kafka_telemetry.formats.segments.batch_layout import CONTROL, TRANSACTIONAL
from kafka_telemetry.formats.segments.commit_value_fast import (
    COMMIT_EPOCH_AT,
    COMMITTED_OFFSET_AT,
    FIRST_WITH_LEADER_EPOCH,
)
from kafka_telemetry.formats.segments.json_text import copy_bytes, write_uuid
from kafka_telemetry.formats.segments.record_columns import (
    ABORTED,
    BATCH_LEADER_EPOCH,
    BEGIN,
    COMMIT_KIND,
    COMMITTED_AT,
    COMMITTED_OFFSET,
    DAMAGED_KIND,
    EXPIRES_AT,
    FILLED,
    GROUP_ID,
    GROUP_KIND,
    IS_TOMBSTONE,
    IS_TRANSACTIONAL,
    KEY_BYTES,
    KEY_TYPE,
    KIND,
    LEADER_EPOCH,
    LIMIT,
    MARKER,
    MARKER_KIND,
    METADATA,
    NO_COLUMN,
    PARTITION_ID,
    PROBLEM_CODE,
    PRODUCER_ID,
    RECORD_OFFSET,
    RECORDED_AT,
    ROWS,
    SOURCE_POSITION,
    TOPIC_ID,
    V_BATCH_LEADER_EPOCH,
    V_COMMITTED_AT,
    V_COMMITTED_OFFSET,
    V_EXPIRES_AT,
    V_GROUP_ID,
    V_IS_TOMBSTONE,
    V_IS_TRANSACTIONAL,
    V_KEY_TYPE,
    V_LEADER_EPOCH,
    V_PARTITION_ID,
    V_PRODUCER_ID,
    V_RECORD_OFFSET,
    V_RECORDED_AT,
    V_VALUE_VERSION,
    VALUE_BYTES,
    VALUE_JSON,
    VALUE_VERSION,
    ColumnArrays,
)
from kafka_telemetry.formats.segments.record_decoding import DecodedRecord
from kafka_telemetry.formats.segments.record_frames import BatchHeader, RecordFrame

_TOPIC_ID_LETTERS = 22
_MICROSECONDS = 1000


@inlined
def full_column(columns: ColumnArrays, record: DecodedRecord, frame: RecordFrame) -> int:
    """Returns a string column that has no room for the record, or NO_COLUMN."""
    if record.out_of_room:
        return as_long(VALUE_JSON)
    if record.kind == COMMIT_KIND and frame.value_length >= 0:
        if _lacks_room(columns, METADATA, record.commit.metadata_length):
            return as_long(METADATA)
        if _lacks_room(columns, TOPIC_ID, _TOPIC_ID_LETTERS):
            return as_long(TOPIC_ID)
    if record.kind in (COMMIT_KIND, GROUP_KIND):
        if _lacks_room(columns, GROUP_ID, record.key.group_length):
            return as_long(GROUP_ID)
        second = record.key.second_column
        if second != NO_COLUMN and _lacks_room(columns, second, record.key.second_length):
            return second
    if record.has_bytes:
        if _lacks_room(columns, KEY_BYTES, frame.key_length):
            return as_long(KEY_BYTES)
        if _lacks_room(columns, VALUE_BYTES, frame.value_length):
            return as_long(VALUE_BYTES)
    return as_long(NO_COLUMN)


@inlined
def _lacks_room(columns: ColumnArrays, column: int, length: int) -> bool:
    return bool(columns.regions[column, LIMIT] - columns.regions[column, FILLED] < length)


@inlined
def write_damaged_batch(columns: ColumnArrays, row: int, position: int, problem: int) -> None:
    columns.uint8s[KIND, row] = DAMAGED_KIND
    columns.uint8s[MARKER, row] = 0
    columns.uint8s[PROBLEM_CODE, row] = problem
    columns.int64s[SOURCE_POSITION, row] = position


@inlined
def write_offset(columns: ColumnArrays, row: int, offset: int) -> None:
    if offset >= 0:
        columns.int64s[RECORD_OFFSET, row] = offset
        columns.valid[V_RECORD_OFFSET, row] = 1


@inlined
def write_row(
    columns: ColumnArrays,
    row: int,
    position: int,
    header: BatchHeader,
    source: UInt8Array,
    frame: RecordFrame,
    record: DecodedRecord,
) -> None:
    """Expects that `full_column` found room in all columns.

    1. The columns of every record: kind, problem, position in the file and in the log, time, producer.
    2. Type, version and tombstone; the names in the key.
    3. The value: JSON of a group record, columns of an offset commit.
    4. The bytes of key and value, where the other columns don't give them back.
    """
    kind = record.kind
    problem = record.problem
    key = record.key
    is_tombstone = frame.value_length < 0
    columns.uint8s[KIND, row] = kind
    columns.uint8s[MARKER, row] = ABORTED + int16_at(source, frame.key + 2) if kind == MARKER_KIND else 0
    columns.uint8s[PROBLEM_CODE, row] = problem
    columns.uint8s[IS_TRANSACTIONAL, row] = 1 if header.attributes & TRANSACTIONAL != 0 else 0
    columns.valid[V_IS_TRANSACTIONAL, row] = 1
    columns.int64s[SOURCE_POSITION, row] = position
    write_offset(columns, row, frame.offset)
    if frame.timestamp != -1 and problem != TIME:
        columns.int64s[RECORDED_AT, row] = frame.timestamp * _MICROSECONDS
        columns.valid[V_RECORDED_AT, row] = 1
    if header.leader_epoch != -1:
        columns.int32s[BATCH_LEADER_EPOCH, row] = header.leader_epoch
        columns.valid[V_BATCH_LEADER_EPOCH, row] = 1
    if header.producer_id != -1:
        columns.int64s[PRODUCER_ID, row] = header.producer_id
        columns.valid[V_PRODUCER_ID, row] = 1

    if header.attributes & CONTROL == 0:
        columns.uint8s[IS_TOMBSTONE, row] = 1 if is_tombstone else 0
        columns.valid[V_IS_TOMBSTONE, row] = 1
        if frame.key_length >= 4:
            columns.int16s[KEY_TYPE, row] = key.key_type
            columns.valid[V_KEY_TYPE, row] = 1
        if record.version >= 0:
            columns.int16s[VALUE_VERSION, row] = record.version
            columns.valid[V_VALUE_VERSION, row] = 1
    if kind in (COMMIT_KIND, GROUP_KIND):
        _write_text(columns, GROUP_ID, row, source, key.group, key.group_length)
        if key.second_column != NO_COLUMN:
            _write_text(columns, key.second_column, row, source, key.second, key.second_length)

    if kind == GROUP_KIND and not is_tombstone:
        _begin_text(columns, VALUE_JSON, row)
        _end_text(columns, VALUE_JSON, row, record.json_end)
    elif kind == COMMIT_KIND:
        columns.int32s[PARTITION_ID, row] = int32_at(source, key.second + key.second_length)
        columns.valid[V_PARTITION_ID, row] = 1
        if not is_tombstone:
            _write_commit(columns, row, source, frame.value, record)
    if record.has_bytes:
        if frame.key_length >= 0:
            _write_text(columns, KEY_BYTES, row, source, frame.key, frame.key_length)
        if not is_tombstone:
            _write_text(columns, VALUE_BYTES, row, source, frame.value, frame.value_length)


@inlined
def _write_commit(columns: ColumnArrays, row: int, source: UInt8Array, value: int, record: DecodedRecord) -> None:
    commit = record.commit
    columns.int64s[COMMITTED_OFFSET, row] = int64_at(source, value + COMMITTED_OFFSET_AT)
    columns.valid[V_COMMITTED_OFFSET, row] = 1
    if record.version >= FIRST_WITH_LEADER_EPOCH and int32_at(source, value + COMMIT_EPOCH_AT) != -1:
        columns.int32s[LEADER_EPOCH, row] = int32_at(source, value + COMMIT_EPOCH_AT)
        columns.valid[V_LEADER_EPOCH, row] = 1
    if commit.commit_time != -1:
        columns.int64s[COMMITTED_AT, row] = commit.commit_time * _MICROSECONDS
        columns.valid[V_COMMITTED_AT, row] = 1
    if commit.expiry_time != -1:
        columns.int64s[EXPIRES_AT, row] = commit.expiry_time * _MICROSECONDS
        columns.valid[V_EXPIRES_AT, row] = 1
    _write_text(columns, METADATA, row, source, commit.metadata, commit.metadata_length)
    if commit.topic_id >= 0:
        filled = columns.regions[TOPIC_ID, FILLED]
        _begin_text(columns, TOPIC_ID, row)
        _end_text(columns, TOPIC_ID, row, write_uuid(source, commit.topic_id, columns.text, filled))


@inlined
def _write_text(columns: ColumnArrays, column: int, row: int, source: UInt8Array, start: int, length: int) -> None:
    filled = columns.regions[column, FILLED]
    _begin_text(columns, column, row)
    _end_text(columns, column, row, copy_bytes(source, start, length, columns.text, filled))


@inlined
def _begin_text(columns: ColumnArrays, column: int, row: int) -> None:
    """Makes the rows after the last one that has a value empty, and marks this one as having a value."""
    offset = columns.regions[column, FILLED] - columns.regions[column, BEGIN]
    for earlier in range(columns.regions[column, ROWS], row):
        columns.offsets[column, earlier + 1] = offset
    columns.regions[column, ROWS] = row + 1
    columns.valid[V_GROUP_ID + column, row] = 1


@inlined
def _end_text(columns: ColumnArrays, column: int, row: int, filled: int) -> None:
    columns.regions[column, FILLED] = filled
    columns.offsets[column, row + 1] = filled - columns.regions[column, BEGIN]
