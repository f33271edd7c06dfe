"""Decodes the key of a record: its type, the group, and the second name that most types have."""

from typing import NamedTuple

from kafka_telemetry.formats.compiled import UInt8Array, as_long, inlined
from kafka_telemetry.formats.problems import KEY, KEY_TYPE, KEY_UTF8, NONE
from kafka_telemetry.formats.raw_memory import int16_at
from kafka_telemetry.formats.segments.json_text import is_utf8
from kafka_telemetry.formats.segments.record_columns import MEMBER_ID, NO_COLUMN, REGULAR_EXPRESSION, TOPIC

LAST_OFFSET_TYPE = 1
_REGULAR_EXPRESSION_TYPE, _LAST_TYPE = 16, 23
# The type and the length of the group.
_SMALLEST_KEY = 4
_PARTITION_SIZE = 4


class RecordKey(NamedTuple):
    problem: int
    key_type: int
    # Names by position and length.
    group: int
    group_length: int
    # The column of the second name, or NO_COLUMN. In the key of an offset commit the partition follows it.
    second_column: int
    second: int
    second_length: int
    end: int


@inlined
def _second_column(key_type: int) -> int:
    if key_type <= LAST_OFFSET_TYPE:
        return as_long(TOPIC)
    if key_type == _REGULAR_EXPRESSION_TYPE:
        return as_long(REGULAR_EXPRESSION)
    return as_long(MEMBER_ID if key_type in (5, 7, 8, 10, 13, 14, 19, 21, 22) else NO_COLUMN)


@inlined
def unreadable_key(problem: int) -> RecordKey:
    nothing = as_long(0)
    no_column = as_long(NO_COLUMN)
    return RecordKey(as_long(problem), as_long(-1), nothing, nothing, no_column, nothing, nothing, nothing)


@inlined
def read_key(source: UInt8Array, at: int, length: int) -> RecordKey:
    if length < _SMALLEST_KEY:
        return unreadable_key(KEY)
    end = at + length
    problem = as_long(NONE)
    key_type = int16_at(source, at)
    group_length = int16_at(source, at + 2)
    group = at + _SMALLEST_KEY
    second = group + max(group_length, 0)
    second_length = as_long(0)
    column = as_long(NO_COLUMN)
    rest = _PARTITION_SIZE if key_type <= LAST_OFFSET_TYPE else 0
    if key_type < 0 or key_type > _LAST_TYPE:
        problem = as_long(KEY_TYPE)
    elif group_length < 0 or group_length > end - group:
        problem = as_long(KEY)
    else:
        column = _second_column(key_type)
        if column != NO_COLUMN:
            if end - second < 2:
                problem = as_long(KEY)
            else:
                second_length = int16_at(source, second)
                second += 2
                if second_length < 0 or second_length + rest > end - second:
                    problem = as_long(KEY)
    if problem == NONE and not (
        is_utf8(source, group, group + group_length) and is_utf8(source, second, second + second_length)
    ):
        problem = as_long(KEY_UTF8)
    key_end = second + second_length + rest
    return RecordKey(problem, key_type, group, group_length, column, second, second_length, key_end)
