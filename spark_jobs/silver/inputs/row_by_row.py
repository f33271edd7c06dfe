"""Rows that plain Python follows one after the other, in Spark's tasks, and rows of several tables that come back."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, cast

import pyarrow as pa
from pyspark.sql.types import StructType

_EPOCH = dt.date(1970, 1, 1)


def plain(batch: pa.RecordBatch, numbers: Mapping[str, pa.DataType]) -> list[dict[str, Any]]:
    """A batch row by row; days and times that a state is written with as `numbers`."""
    columns = [
        column.cast(numbers[name]) if name in numbers else column
        for name, column in zip(batch.schema.names, batch.columns, strict=True)
    ]
    rows: list[dict[str, Any]] = pa.RecordBatch.from_arrays(columns, names=batch.schema.names).to_pylist()
    return rows


def kinds(columns: Mapping[str, str]) -> StructType:
    """A column per kind of row, with the columns (as DDL) of its table."""
    told = ", ".join(f"{kind} struct<{of_kind}>" for kind, of_kind in columns.items())
    return cast(StructType, StructType.fromDDL(told))


def numbered(days: Iterable[tuple[str, dt.date]]) -> dict[str, list[int]]:
    """The days of each cluster in order, counted from 1970."""
    by_cluster: dict[str, list[int]] = defaultdict(list)
    for cluster, day in sorted(days):
        by_cluster[cluster].append(day_number(day))
    return dict(by_cluster)


def day_number(day: dt.date) -> int:
    return (day - _EPOCH).days
