"""Records of scanned batches -> columns. One pass, nothing of Python a record."""

from typing import Any

import numpy.typing as npt

from kafka_telemetry.formats import problems as problems
from kafka_telemetry.formats.compiled import as_long, compiled
from kafka_telemetry.formats.raw_memory import byte_at, int16_at, int32_at, int64_at
from kafka_telemetry.formats.segments.batch_layout import (
    ATTRIBUTES,
    BASE_TIMESTAMP,
    CONTROL,
    LAST_OFFSET_DELTA,
    LOG_APPEND_TIME,
    LOG_OVERHEAD,
    MAGIC_AT,
    MAX_TIMESTAMP,
    OLD_ATTRIBUTES,
    OLD_TIMESTAMP,
    TRANSACTIONAL,
    old_key_at,
)
from kafka_telemetry.formats.segments.batch_layout import LEADER_EPOCH as LEADER_EPOCH_AT
from kafka_telemetry.formats.segments.batch_layout import PRODUCER_ID as PRODUCER_ID_AT
from kafka_telemetry.formats.segments.batch_scan import (
    AT,
    LAST_INNER,
    NOWHERE,
    PROBLEM,
    RECORDS_IN,
    SOURCE,
    START,
    Batches,
)
from kafka_telemetry.formats.segments.commit_value import EARLIEST, EPOCH, LATEST, OFFSET, WITH_EPOCH, read_commit
from kafka_telemetry.formats.segments.compiled_schema import Numbers, Octets
from kafka_telemetry.formats.segments.json_text import write_copy, write_uuid
from kafka_telemetry.formats.segments.record_columns import (
    ABORTED,
    BATCH_LEADER_EPOCH,
    BEGIN,
    COMMIT,
    COMMITTED_AT,
    COMMITTED_OFFSET,
    DAMAGED,
    EXPIRES_AT,
    FILLED,
    GROUP,
    GROUP_ID,
    KEY_BYTES,
    KEY_TYPE,
    KIND,
    LEADER_EPOCH,
    LIMIT,
    MARKER,
    MARKER_KIND,
    METADATA,
    PARTITION_ID,
    PROBLEM_OF,
    PRODUCER_ID,
    RECORD_OFFSET,
    RECORDED_AT,
    ROWS,
    SOURCE_POSITION,
    TOMBSTONE,
    TOPIC_ID,
    TRANSACTIONAL_FLAG,
    UNKNOWN,
    V_BATCH_LEADER_EPOCH,
    V_COMMITTED_AT,
    V_COMMITTED_OFFSET,
    V_EXPIRES_AT,
    V_GROUP_ID,
    V_KEY_TYPE,
    V_LEADER_EPOCH,
    V_PARTITION_ID,
    V_PRODUCER_ID,
    V_RECORD_OFFSET,
    V_RECORDED_AT,
    V_TOMBSTONE,
    V_TRANSACTIONAL,
    V_VALUE_VERSION,
    VALUE_BYTES,
    VALUE_JSON,
    VALUE_VERSION,
)
from kafka_telemetry.formats.segments.record_key import NO_COLUMN, read_key
from kafka_telemetry.formats.segments.value_json import INEXACT, NOT_UTF8, OUT_OF_ROOM, Longs, write_fitting_value
from kafka_telemetry.formats.segments.varints import varint_at

# State, by place: which batch and record comes next and where it stands, the position of the window in the file, the
# offset that comes next if nothing is missing (-1 for no record yet), and what was counted.
BATCH, RECORD, RECORD_AT, ORIGIN, EXPECTED, HOLES, MISSING, FULL_COLUMN = range(8)
KINDS = 8
ROW_STATE = KINDS + 5

_NOT_FULL = -1
# No broker writes such a value, and its JSON may be twenty times as long.
LARGEST_VALUE = 1 << 23
_LAST_OFFSET_TYPE = 1
_TOPIC_ID_LETTERS = 22


@compiled
def _put(
    column: int,
    row: int,
    source: Octets,
    start: int,
    length: int,
    text: Octets,
    offsets: Numbers,
    regions: Longs,
    valid: Octets,
) -> None:
    """A string into its column. The caller has seen to it that there is room."""
    filled = regions[column, FILLED]
    _settle(column, row, offsets, regions, valid)
    regions[column, FILLED] = write_copy(source, start, length, text, filled)
    offsets[column, row + 1] = filled + length - regions[column, BEGIN]


@compiled
def _settle(column: int, row: int, offsets: Numbers, regions: Longs, valid: Octets) -> None:
    """Rows since the last that has a value are empty; this one has one."""
    place = regions[column, FILLED] - regions[column, BEGIN]
    for earlier in range(regions[column, ROWS], row):
        offsets[column, earlier + 1] = place
    regions[column, ROWS] = row + 1
    valid[V_GROUP_ID + column, row] = 1


@compiled
def _room_left(column: int, regions: Longs) -> int:
    return as_long(regions[column, LIMIT] - regions[column, FILLED])


@compiled
def _pause(state: Longs, record: int, at_record: int, expected: int, full: int) -> None:
    state[RECORD] = record
    state[RECORD_AT] = at_record
    state[EXPECTED] = expected
    state[FULL_COLUMN] = full


@compiled
def fill(
    file: Octets,
    unpacked: Octets,
    batches: Batches,
    state: Longs,
    code: Numbers,
    tags: Numbers,
    texts: Octets,
    values: Numbers,
    embedded: Numbers,
    longs: Longs,
    ints: Numbers,
    shorts: npt.NDArray[Any],
    codes: Octets,
    valid: Octets,
    offsets: Numbers,
    text: Octets,
    regions: Longs,
    frames: Longs,
) -> int:
    """Writes rows until the batches are done or a column is full (then FULL_COLUMN says which, or -1 for the rows).

    Returns how many rows there are. The next call goes on where this one stopped.
    """
    most = longs.shape[1]
    row = 0
    state[FULL_COLUMN] = _NOT_FULL
    expected = state[EXPECTED]
    for batch in range(state[BATCH], batches.shape[0]):
        state[BATCH] = batch
        at = batches[batch, AT]
        position = state[ORIGIN] + at

        if batches[batch, PROBLEM] != 0:
            if row == most:
                state[EXPECTED] = expected
                return row
            codes[KIND, row] = DAMAGED
            codes[MARKER, row] = 0
            codes[PROBLEM_OF, row] = batches[batch, PROBLEM]
            longs[SOURCE_POSITION, row] = position
            if batches[batch, START] != NOWHERE:
                longs[RECORD_OFFSET, row] = int64_at(file, at)
                valid[V_RECORD_OFFSET, row] = 1
            state[KINDS + DAMAGED] += 1
            row += 1
            continue

        magic = byte_at(file, at + MAGIC_AT)
        base_offset = int64_at(file, at)
        source = unpacked if batches[batch, SOURCE] != 0 else file
        if magic == 2:
            attributes = int16_at(file, at + ATTRIBUTES)
            leader_epoch = int32_at(file, at + LEADER_EPOCH_AT)
            producer_id = int64_at(file, at + PRODUCER_ID_AT)
            base_timestamp = int64_at(file, at + BASE_TIMESTAMP)
            max_timestamp = int64_at(file, at + MAX_TIMESTAMP)
            last_offset = base_offset + int32_at(file, at + LAST_OFFSET_DELTA)
        else:
            attributes = byte_at(file, at + OLD_ATTRIBUTES) & LOG_APPEND_TIME
            leader_epoch = as_long(-1)
            producer_id = as_long(-1)
            base_timestamp = as_long(0)
            max_timestamp = int64_at(file, at + OLD_TIMESTAMP) if magic == 1 else as_long(-1)
            last_offset = base_offset
        first = state[RECORD]
        state[RECORD] = 0
        at_record = batches[batch, START] if first == 0 else state[RECORD_AT]

        for record in range(first, batches[batch, RECORDS_IN]):
            if row == most:
                _pause(state, record, at_record, expected, _NOT_FULL)
                return row
            full = as_long(_NOT_FULL)
            if magic == 2:
                length, next_at = varint_at(source, at_record, at_record + 10)
                record_end = next_at + length
                delta, next_at = varint_at(source, next_at + 1, record_end)
                timestamp = base_timestamp + delta
                delta, next_at = varint_at(source, next_at, record_end)
                offset = base_offset + delta
                key_length, key = varint_at(source, next_at, record_end)
                value_length, value = varint_at(source, key + max(key_length, 0), record_end)
                if attributes & LOG_APPEND_TIME != 0:
                    timestamp = max_timestamp
            else:
                message = at_record
                inner_magic = byte_at(source, message + MAGIC_AT)
                record_end = message + LOG_OVERHEAD + int32_at(source, message + 8)
                offset = int64_at(source, message)
                if batches[batch, SOURCE] != 0 and magic == 1:
                    # Relative to the outer offset, which is that of the last.
                    offset += base_offset - batches[batch, LAST_INNER]
                timestamp = int64_at(source, message + OLD_TIMESTAMP) if inner_magic == 1 else as_long(-1)
                if attributes & LOG_APPEND_TIME != 0:
                    timestamp = max_timestamp
                key = message + old_key_at(inner_magic)
                key_length = int32_at(source, key)
                key += 4
                value = key + max(key_length, 0)
                value_length = int32_at(source, value)
                value += 4

            kind = as_long(UNKNOWN)
            problem = as_long(problems.NONE)
            is_tombstone = value_length < 0
            value_end = value + max(value_length, 0)
            version = as_long(-1)
            wrote_to = as_long(0)
            keep_bytes = False
            topic_id = as_long(-1)
            if attributes & CONTROL == 0:
                problem, key_type, group, group_length, second_name, second, second_length, key_end = read_key(
                    source, key, key_length
                )
                if problem == problems.NONE and not is_tombstone:
                    if value_length < 2:
                        problem = as_long(problems.VALUE)
                    else:
                        version = int16_at(source, value)
                        if version < 0 or version >= values.shape[1] or values[key_type, version, 0] < 0:
                            problem = as_long(problems.VALUE_VERSION)
                if problem == problems.NONE:
                    kind = as_long(COMMIT if key_type <= _LAST_OFFSET_TYPE else GROUP)
                    if not is_tombstone and kind == COMMIT:
                        problem, metadata, metadata_length, commit_time, expiry_time, topic_id, exact = read_commit(
                            source, value, value_end, version
                        )
                        keep_bytes = not exact
                        if problem == problems.NONE or problem == problems.BYTES_AFTER:
                            if _room_left(METADATA, regions) < metadata_length:
                                full = as_long(METADATA)
                            elif _room_left(TOPIC_ID, regions) < _TOPIC_ID_LETTERS:
                                full = as_long(TOPIC_ID)
                    elif value_length > LARGEST_VALUE:
                        problem = as_long(problems.VALUE_TOO_LARGE)
                    elif not is_tombstone:
                        status, read_to, wrote_to = write_fitting_value(
                            code,
                            tags,
                            texts,
                            embedded,
                            values[key_type, version],
                            source,
                            value + 2,
                            value_end,
                            text,
                            regions[VALUE_JSON, FILLED],
                            regions[VALUE_JSON, LIMIT],
                            frames,
                        )
                        keep_bytes = status == INEXACT
                        if status == OUT_OF_ROOM:
                            full = as_long(VALUE_JSON)
                        elif status > INEXACT:
                            problem = as_long(problems.VALUE_UTF8 if status == NOT_UTF8 else problems.VALUE)
                        elif read_to != value_end:
                            problem = as_long(problems.BYTES_AFTER)
                    if problem == problems.NONE and key_end != key + key_length:
                        problem = as_long(problems.BYTES_AFTER)
                    if problem != problems.NONE and problem != problems.BYTES_AFTER:
                        kind = as_long(UNKNOWN)
            elif key_length >= 4 and 0 <= int16_at(source, key + 2) <= 1:
                kind = as_long(MARKER_KIND)
            else:
                problem = as_long(problems.CONTROL_TYPE)
            if timestamp < EARLIEST or timestamp > LATEST:
                kind = as_long(UNKNOWN)
                problem = as_long(problems.TIME)

            named = kind in (COMMIT, GROUP)
            keep_bytes = (named and keep_bytes) or problem != problems.NONE
            if full == _NOT_FULL and named:
                if _room_left(GROUP_ID, regions) < group_length:
                    full = as_long(GROUP_ID)
                elif second_name != NO_COLUMN and _room_left(second_name, regions) < second_length:
                    full = second_name
            if full == _NOT_FULL and keep_bytes:
                if _room_left(KEY_BYTES, regions) < key_length:
                    full = as_long(KEY_BYTES)
                elif _room_left(VALUE_BYTES, regions) < value_length:
                    full = as_long(VALUE_BYTES)
            if full != _NOT_FULL:
                _pause(state, record, at_record, expected, full)
                return row

            codes[KIND, row] = kind
            codes[MARKER, row] = ABORTED + int16_at(source, key + 2) if kind == MARKER_KIND else 0
            codes[PROBLEM_OF, row] = problem
            codes[TRANSACTIONAL_FLAG, row] = 1 if attributes & TRANSACTIONAL != 0 else 0
            valid[V_TRANSACTIONAL, row] = 1
            longs[SOURCE_POSITION, row] = position
            longs[RECORD_OFFSET, row] = offset
            valid[V_RECORD_OFFSET, row] = 1
            if timestamp != -1 and problem != problems.TIME:
                longs[RECORDED_AT, row] = timestamp * 1000
                valid[V_RECORDED_AT, row] = 1
            if leader_epoch != -1:
                ints[BATCH_LEADER_EPOCH, row] = leader_epoch
                valid[V_BATCH_LEADER_EPOCH, row] = 1
            if producer_id != -1:
                longs[PRODUCER_ID, row] = producer_id
                valid[V_PRODUCER_ID, row] = 1
            if attributes & CONTROL == 0:
                codes[TOMBSTONE, row] = 1 if is_tombstone else 0
                valid[V_TOMBSTONE, row] = 1
                if key_length >= 4:
                    shorts[KEY_TYPE, row] = key_type
                    valid[V_KEY_TYPE, row] = 1
                if version >= 0:
                    shorts[VALUE_VERSION, row] = version
                    valid[V_VALUE_VERSION, row] = 1
            if named:
                _put(GROUP_ID, row, source, group, group_length, text, offsets, regions, valid)
                if second_name != NO_COLUMN:
                    _put(second_name, row, source, second, second_length, text, offsets, regions, valid)
            if kind == GROUP and not is_tombstone:
                _settle(VALUE_JSON, row, offsets, regions, valid)
                regions[VALUE_JSON, FILLED] = wrote_to
                offsets[VALUE_JSON, row + 1] = wrote_to - regions[VALUE_JSON, BEGIN]
            elif kind == COMMIT:
                ints[PARTITION_ID, row] = int32_at(source, second + second_length)
                valid[V_PARTITION_ID, row] = 1
                if not is_tombstone:
                    longs[COMMITTED_OFFSET, row] = int64_at(source, value + OFFSET)
                    valid[V_COMMITTED_OFFSET, row] = 1
                    if version >= WITH_EPOCH and int32_at(source, value + EPOCH) != -1:
                        ints[LEADER_EPOCH, row] = int32_at(source, value + EPOCH)
                        valid[V_LEADER_EPOCH, row] = 1
                    if commit_time != -1:
                        longs[COMMITTED_AT, row] = commit_time * 1000
                        valid[V_COMMITTED_AT, row] = 1
                    if expiry_time != -1:
                        longs[EXPIRES_AT, row] = expiry_time * 1000
                        valid[V_EXPIRES_AT, row] = 1
                    _put(METADATA, row, source, metadata, metadata_length, text, offsets, regions, valid)
                    if topic_id >= 0:
                        filled = regions[TOPIC_ID, FILLED]
                        _settle(TOPIC_ID, row, offsets, regions, valid)
                        regions[TOPIC_ID, FILLED] = write_uuid(source, topic_id, text, filled)
                        offsets[TOPIC_ID, row + 1] = filled + _TOPIC_ID_LETTERS - regions[TOPIC_ID, BEGIN]
            if keep_bytes:
                if key_length >= 0:
                    _put(KEY_BYTES, row, source, key, key_length, text, offsets, regions, valid)
                if not is_tombstone:
                    _put(VALUE_BYTES, row, source, value, value_length, text, offsets, regions, valid)

            state[KINDS + kind] += 1
            if offset > expected >= 0:
                state[HOLES] += 1
                state[MISSING] += offset - expected
            expected = offset + 1
            row += 1
            at_record = record_end

        if last_offset >= expected:
            if expected >= 0:
                state[HOLES] += 1
                state[MISSING] += last_offset + 1 - expected
            expected = last_offset + 1
    state[BATCH] = batches.shape[0]
    state[EXPECTED] = expected
    return row
