"""Lag readings: what a tool reported about a group, a member or a partition, in the same columns for every tool."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa

LAG_READING = pa.schema(
    [
        # group_offset: a group's position on a partition. log_offset: the start or end of a log. member, group_state.
        # rejected_file: a file that can't be used, for the reason in `problem`. unknown: a line not understood.
        ("kind", pa.string()),
        ("reporter", pa.string()),
        # Line number from 1; in JSON the number of the series or partition, from 0.
        ("source_position", pa.int64()),
        ("sampled_at", pa.timestamp("us", tz="UTC")),
        ("group_id", pa.string()),
        ("topic", pa.string()),
        ("partition_id", pa.int32()),
        ("committed_offset", pa.int64()),
        ("log_start_offset", pa.int64()),
        ("log_end_offset", pa.int64()),
        ("reported_lag", pa.int64()),
        ("reported_lag_ms", pa.int64()),
        # signed: end - committed, may be negative. clamped: never below 0. unsigned: Burrow's, wraps below 0.
        # position: end - fetch position of a running client, independent of its commits.
        ("lag_meaning", pa.string()),
        ("owner_member_id", pa.string()),
        ("client_id", pa.string()),
        ("client_host", pa.string()),
        ("details", pa.map_(pa.string(), pa.string())),
        ("problem", pa.string()),
        ("text", pa.string()),
    ]
)

_BATCH_ROWS = 65_536


def reading_batches(rows: int, columns: Mapping[str, Any]) -> Iterator[pa.RecordBatch]:
    """Batches with `rows` rows in total. A column is a sequence or array of that length, or a single value for all rows;
    missing columns are null."""
    unknown = set(columns) - set(LAG_READING.names)
    if unknown:
        raise ValueError(f"no columns of LAG_READING: {sorted(unknown)}")
    if rows == 0:
        return
    table = pa.table([_array(columns.get(field.name), rows, field.type) for field in LAG_READING], schema=LAG_READING)
    yield from table.to_batches(max_chunksize=_BATCH_ROWS)


def details_column(details: Mapping[str, Sequence[str | None]], rows: int) -> pa.Array:
    """One map per row, from columns by key. Null values are left out; an empty map is null."""
    kind = LAG_READING.field("details").type
    if not details:
        return pa.nulls(rows, kind)
    by_row = list(zip(*details.values(), strict=True))
    keys = [key for values in by_row for key, value in zip(details, values, strict=True) if value is not None]
    items = [value for values in by_row for value in values if value is not None]
    sizes = np.array([len(values) - values.count(None) for values in by_row], np.int32)
    starts = np.concatenate(([0], np.cumsum(sizes, dtype=np.int32)))
    offsets = pa.array(starts, pa.int32(), mask=np.append(sizes == 0, False))
    return pa.MapArray.from_arrays(offsets, pa.array(keys, pa.string()), pa.array(items, pa.string()))


def rejected_file(problem: str, reporter: str | None) -> Iterator[pa.RecordBatch]:
    yield from reading_batches(1, {"kind": "rejected_file", "reporter": reporter, "problem": problem})


def unknown_lines(
    lines: Sequence[tuple[int, str]], reporter: str | None, sampled_at: datetime | None = None
) -> Iterator[pa.RecordBatch]:
    yield from reading_batches(
        len(lines),
        {
            "kind": "unknown",
            "reporter": reporter,
            "source_position": [number for number, _ in lines],
            "sampled_at": sampled_at,
            "text": [line for _, line in lines],
        },
    )


def _array(values: Any, rows: int, kind: pa.DataType) -> pa.Array:
    if values is None:
        return pa.nulls(rows, kind)
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values if values.type == kind else values.cast(kind)
    if isinstance(values, Sequence | np.ndarray) and not isinstance(values, str):
        return pa.array(values, kind)
    return pa.repeat(pa.scalar(values, kind), rows)
