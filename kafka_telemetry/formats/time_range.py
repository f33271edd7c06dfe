"""The times that a table can hold: hardly any reader of tables can represent a time outside the years 1 to 9999."""

import pyarrow as pa
import pyarrow.compute as pc

# In milliseconds since 1970.
EARLIEST_TIME, LATEST_TIME = -62135596800000, 253402300799999

_MICROSECONDS = 1000


def is_storable(microseconds: int) -> bool:
    return EARLIEST_TIME * _MICROSECONDS <= microseconds < (LATEST_TIME + 1) * _MICROSECONDS


def null_unless_storable(times: pa.Array) -> pa.Array:
    """Replaces the times that no table can hold by null. Expects timestamps in microseconds."""
    bounds = pc.min_max(times.cast(pa.int64())).as_py()
    if bounds["min"] is None or (is_storable(bounds["min"]) and is_storable(bounds["max"])):
        return times
    numbers = times.cast(pa.int64())
    earliest, latest = EARLIEST_TIME * _MICROSECONDS, LATEST_TIME * _MICROSECONDS + _MICROSECONDS - 1
    inside = pc.and_(pc.greater_equal(numbers, earliest), pc.less_equal(numbers, latest))
    return pc.if_else(inside, times, None)
