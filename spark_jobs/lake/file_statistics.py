"""Statistics of a Parquet file as Delta's log stores them: row count, nulls, smallest and largest values."""

import contextlib
import datetime as dt
from collections.abc import Iterable
from typing import Any

import pyarrow.parquet as pq

# Delta's own limit: of a longer text the log stores a prefix.
_PREFIX_LENGTH = 32
_LARGEST_CHARACTER = "\U0010ffff"


def file_statistics(footer: pq.FileMetaData, columns: Iterable[str]) -> dict[str, Any]:
    """The statistics of the named columns, from the row groups that the footer describes."""
    statistics: dict[str, Any] = {"numRecords": footer.num_rows, "minValues": {}, "maxValues": {}, "nullCount": {}}
    places = {footer.schema.column(place).path: place for place in range(footer.num_columns)}
    for name in columns:
        if name not in places:
            continue
        groups = [footer.row_group(number).column(places[name]).statistics for number in range(footer.num_row_groups)]
        if not all(group is not None and group.has_null_count for group in groups):
            continue
        statistics["nullCount"][name] = sum(group.null_count for group in groups)
        with_values = [group for group in groups if group.num_values]
        if with_values and all(group.has_min_max for group in with_values):
            # A damaged record may hold a time outside of Python's calendar: such a column gets no smallest and largest.
            with contextlib.suppress(OverflowError, ValueError):
                least, greatest = min(group.min for group in with_values), max(group.max for group in with_values)
                if not isinstance(least, bool | bytes):
                    bounds = _lower_bound(least), _upper_bound(greatest)
                    statistics["minValues"][name], statistics["maxValues"][name] = bounds
    return statistics


def _lower_bound(value: Any) -> Any:
    if isinstance(value, str):
        return value[:_PREFIX_LENGTH]
    return _in_milliseconds(value) if isinstance(value, dt.datetime) else _as_json(value)


def _upper_bound(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= _PREFIX_LENGTH else value[:_PREFIX_LENGTH] + _LARGEST_CHARACTER
    if isinstance(value, dt.datetime):
        return _in_milliseconds(value + dt.timedelta(microseconds=999))
    return _as_json(value)


def _as_json(value: Any) -> Any:
    return value.isoformat() if isinstance(value, dt.date) else value


def _in_milliseconds(time: dt.datetime) -> str:
    return time.astimezone(dt.UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
