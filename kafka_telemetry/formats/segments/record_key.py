"""The key of a record: its type, the group, and what else it names."""

from kafka_telemetry.formats.compiled import as_long, compiled
from kafka_telemetry.formats.problems import KEY, KEY_TYPE, KEY_UTF8, NONE
from kafka_telemetry.formats.raw_memory import int16_at
from kafka_telemetry.formats.segments.compiled_schema import Octets
from kafka_telemetry.formats.segments.json_text import is_utf8
from kafka_telemetry.formats.segments.record_columns import MEMBER_ID, REGULAR_EXPRESSION, TOPIC

_LAST_OFFSET_TYPE, _REGULAR_EXPRESSION_TYPE, _LAST_TYPE = 1, 16, 23
# Type, and the length of the group.
_SMALLEST = 4
_PARTITION = 4
NO_COLUMN = -1


@compiled
def _second_column(key_type: int) -> int:
    """Where the name goes that follows the group, if one does."""
    if key_type <= _LAST_OFFSET_TYPE:
        return as_long(TOPIC)
    if key_type == _REGULAR_EXPRESSION_TYPE:
        return as_long(REGULAR_EXPRESSION)
    return as_long(MEMBER_ID if key_type in (5, 7, 8, 10, 13, 14, 19, 21, 22) else NO_COLUMN)


@compiled
def read_key(source: Octets, at: int, length: int) -> tuple[int, int, int, int, int, int, int, int]:
    """Problem, type, group and its length, column of the second name, that name and its length, and the key's end.

    What follows the second name of an offset's key is the partition.
    """
    nothing = as_long(0)
    if length < _SMALLEST:
        return as_long(KEY), as_long(-1), nothing, nothing, as_long(NO_COLUMN), nothing, nothing, nothing
    end = at + length
    problem = as_long(NONE)
    key_type = int16_at(source, at)
    group_length = int16_at(source, at + 2)
    group = at + _SMALLEST
    second = group + max(group_length, 0)
    second_length = nothing
    column = as_long(NO_COLUMN)
    rest = _PARTITION if key_type <= _LAST_OFFSET_TYPE else 0
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
    return problem, key_type, group, group_length, column, second, second_length, second + second_length + rest
