"""Offset commits as Kafka's tools print them: patterns of their JSON, and columns of the lines that match."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Flags, Integers
from kafka_telemetry.formats.dumps.line_patterns import Constant, MatchedLines, NumberField, OptionalPart, TextField
from kafka_telemetry.formats.offset_record import OFFSET_RECORD
from kafka_telemetry.formats.time_range import EARLIEST_TIME, LATEST_TIME

JSON_KEY = (
    *('"data":{"group":"', TextField("group_id"), '","topic":"', TextField("topic")),
    *('","partition":', NumberField("partition_id"), "}}"),
)
JSON_VALUE = (
    *('"data":{"offset":', NumberField("committed_offset")),
    *(OptionalPart((',"leaderEpoch":', NumberField("leader_epoch"))),),
    *(',"metadata":"', TextField("metadata"), '","commitTimestamp":', NumberField("committed_at")),
    *(OptionalPart((',"expireTimestamp":', NumberField("expires_at"))),),
    *(OptionalPart((',"topicId":"', TextField("topic_id"), '"')), "}}"),
)
TOMBSTONE = Constant("tombstone", 1)

_LARGEST_INT = (1 << 31) - 1
_NEWEST_VERSION = 4
_TOPIC_ID_LETTERS = 22
_TIMES = ("recorded_at", "committed_at", "expires_at")
# Kafka prints -1 for none.
_MINUS_ONE_IS_NULL = (*_TIMES, "leader_epoch")


def fit_columns(matched: MatchedLines) -> Flags:
    """Marks the lines all of whose values fit into their columns. The others are parsed one by one."""
    checks = [
        _between(matched.number("key_type"), 0, 1),
        _between(matched.number("partition_id"), 0, _LARGEST_INT),
        _between(matched.number("leader_epoch"), -1, _LARGEST_INT),
        _between(matched.number("value_version"), 0, _NEWEST_VERSION),
        _between(pc.binary_length(matched.text("topic_id")), _TOPIC_ID_LETTERS, _TOPIC_ID_LETTERS),
        *(are_storable_times(matched.number(name)) for name in _TIMES),
    ]
    return np.asarray(np.logical_and.reduce(checks), np.bool_)


def matched_batch(
    kind: str, matched: MatchedLines, positions: Integers, other_columns: dict[str, pa.Array]
) -> pa.RecordBatch:
    """Builds a batch of OFFSET_RECORD from the fields of a pattern and from columns that the pattern doesn't have."""
    count = len(matched.lines)
    tombstone = pc.fill_null(pc.equal(matched.number("tombstone"), 1), False)
    columns = {
        "kind": pa.repeat(kind, count),
        "source_position": pa.array(positions, pa.int64()),
        "tombstone": tombstone,
        **other_columns,
    }
    return pa.RecordBatch.from_arrays(
        [columns[field.name] if field.name in columns else _column(matched, field) for field in OFFSET_RECORD],
        schema=OFFSET_RECORD,
    )


def are_storable_times(milliseconds: pa.Array) -> Flags:
    return _between(milliseconds, EARLIEST_TIME, LATEST_TIME)


def time_column(milliseconds: pa.Array) -> pa.Array:
    """Converts to timestamps. -1 means no time and becomes null."""
    known = pc.if_else(pc.equal(milliseconds, -1), None, milliseconds)
    return known.cast(pa.timestamp("ms", tz="UTC")).cast(pa.timestamp("us", tz="UTC"))


def _column(matched: MatchedLines, field: pa.Field) -> pa.Array:
    if field.name in matched.texts:
        return matched.texts[field.name]
    if field.name not in matched.numbers:
        return pa.nulls(len(matched.lines), field.type)
    numbers = matched.numbers[field.name]
    if field.name in _TIMES:
        return time_column(numbers)
    if field.name in _MINUS_ONE_IS_NULL:
        numbers = pc.if_else(pc.equal(numbers, -1), None, numbers)
    return numbers.cast(field.type)


def _between(values: pa.Array, least: int, most: int) -> Flags:
    """Marks values in the range, and nulls."""
    inside = pc.and_(pc.greater_equal(values, least), pc.less_equal(values, most))
    return np.asarray(pc.fill_null(inside, True).to_numpy(zero_copy_only=False), np.bool_)
