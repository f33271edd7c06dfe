"""Rows that plain Python reads one by one in Spark's tasks, and the rows of several tables that such a task returns."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, cast

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

_EPOCH = dt.date(1970, 1, 1)


def plain_rows(batch: pa.RecordBatch, as_integers: Mapping[str, pa.DataType]) -> list[dict[str, Any]]:
    """A batch as dicts; the named date and time columns as integers, which can be written into a state."""
    columns = [
        column.cast(as_integers[name]) if name in as_integers else column
        for name, column in zip(batch.schema.names, batch.columns, strict=True)
    ]
    rows: list[dict[str, Any]] = pa.RecordBatch.from_arrays(columns, names=batch.schema.names).to_pylist()
    return rows


def struct_per_kind(columns: Mapping[str, str]) -> StructType:
    """A schema with a struct column per kind of row, given the columns of each kind as DDL. A row fills one of them."""
    structs = ", ".join(f"{kind} struct<{ddl}>" for kind, ddl in columns.items())
    return cast(StructType, StructType.fromDDL(structs))


def rows_of_kind(rows: DataFrame, kind: str) -> DataFrame:
    return rows.where(F.col(kind).isNotNull()).select(f"{kind}.*")


def day_numbers(days: Iterable[tuple[str, dt.date]]) -> dict[str, list[int]]:
    """The days of each cluster in order, counted from 1970."""
    by_cluster: dict[str, list[int]] = defaultdict(list)
    for cluster, day in sorted(days):
        by_cluster[cluster].append(day_number(day))
    return dict(by_cluster)


def day_number(day: dt.date) -> int:
    return (day - _EPOCH).days
