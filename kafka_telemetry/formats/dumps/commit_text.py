"""The texts that Kafka's tools print of an offset commit, as layouts, and the columns that they give."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.formats.dumps.line_patterns import Fitting, Flags, Is, Longs, Maybe, Number, Text
from kafka_telemetry.formats.offset_record import EARLIEST_TIME, LATEST_TIME, OFFSET_RECORD

JSON_KEY = (
    *('"data":{"group":"', Text("group_id"), '","topic":"', Text("topic")),
    *('","partition":', Number("partition_id"), "}}"),
)
JSON_VALUE = (
    *('"data":{"offset":', Number("committed_offset"), Maybe((',"leaderEpoch":', Number("leader_epoch")))),
    *(',"metadata":"', Text("metadata"), '","commitTimestamp":', Number("committed_at")),
    *(Maybe((',"expireTimestamp":', Number("expires_at"))), Maybe((',"topicId":"', Text("topic_id"), '"')), "}}"),
)
TOMBSTONE = Is("tombstone", 1)

_LARGEST_INT = (1 << 31) - 1
_NEWEST_VERSION = 4
_TOPIC_ID_LETTERS = 22
_TIMES = ("recorded_at", "committed_at", "expires_at")
_OR_MINUS_ONE = (*_TIMES, "leader_epoch")


def plausible(found: Fitting) -> Flags:
    """Which fit into their columns; of the others the bytes would say what is wrong with them."""
    checks = [
        _between(found.number("key_type"), 0, 1),
        _between(found.number("partition_id"), 0, _LARGEST_INT),
        _between(found.number("leader_epoch"), -1, _LARGEST_INT),
        _between(found.number("value_version"), 0, _NEWEST_VERSION),
        _between(pc.binary_length(found.text("topic_id")), _TOPIC_ID_LETTERS, _TOPIC_ID_LETTERS),
        *(in_time(found.number(name)) for name in _TIMES),
    ]
    return np.asarray(np.logical_and.reduce(checks), np.bool_)


def records(kind: str, found: Fitting, positions: Longs, more: dict[str, pa.Array]) -> pa.RecordBatch:
    """`more` are columns that the layout doesn't hold."""
    count = len(found.rows)
    tombstone = pc.fill_null(pc.equal(found.number("tombstone"), 1), False)
    columns = {
        "kind": pa.repeat(kind, count),
        "source_position": pa.array(positions, pa.int64()),
        "tombstone": tombstone,
        **more,
    }
    return pa.RecordBatch.from_arrays(
        [columns[field.name] if field.name in columns else _column(found, field) for field in OFFSET_RECORD],
        schema=OFFSET_RECORD,
    )


def in_time(milliseconds: pa.Array) -> Flags:
    return _between(milliseconds, EARLIEST_TIME, LATEST_TIME)


def time_column(milliseconds: pa.Array) -> pa.Array:
    """Null for the -1 of what has no time."""
    known = pc.if_else(pc.equal(milliseconds, -1), None, milliseconds)
    return known.cast(pa.timestamp("ms", tz="UTC")).cast(pa.timestamp("us", tz="UTC"))


def _column(found: Fitting, field: pa.Field) -> pa.Array:
    if field.name in found.texts:
        return found.texts[field.name]
    if field.name not in found.numbers:
        return pa.nulls(len(found.rows), field.type)
    numbers = found.numbers[field.name]
    if field.name in _TIMES:
        return time_column(numbers)
    if field.name in _OR_MINUS_ONE:
        numbers = pc.if_else(pc.equal(numbers, -1), None, numbers)
    return numbers.cast(field.type)


def _between(values: pa.Array, least: int, most: int) -> Flags:
    inside = pc.and_(pc.greater_equal(values, least), pc.less_equal(values, most))
    return np.asarray(pc.fill_null(inside, True).to_numpy(zero_copy_only=False), np.bool_)
