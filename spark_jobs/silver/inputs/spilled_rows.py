"""Rows that several readers ask for, spilled as Arrow tables, and rows redistributed over tasks by key as such tables."""

import functools
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from kafka_telemetry.columns import Integers, integers
from kafka_telemetry.spill import RowFilter, Spill, read_filtered
from spark_jobs.lake.task_rows import ArrowTransform, TaskRows

_GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7C15)
SPILLED = "rows binary"
SPILLED_SCHEMA = pa.schema([("rows", pa.binary())])
_PARTS = "part int, kind string, rows binary"
_PARTS_SCHEMA = pa.schema([("part", pa.int32()), ("kind", pa.string()), ("rows", pa.binary())])


class ParsedRows(Protocol):
    """Rows from which a reader selects the columns and rows that it needs."""

    @property
    def columns(self) -> Sequence[str]: ...

    def rows(self, *columns: str, where: RowFilter | None = None) -> DataFrame: ...


@dataclass(frozen=True)
class SparkRows:
    """ParsedRows in a DataFrame."""

    frame: DataFrame

    @property
    def columns(self) -> Sequence[str]:
        return self.frame.columns

    def rows(self, *columns: str, where: RowFilter | None = None) -> DataFrame:
        if where is not None:
            raise ValueError("rows in a DataFrame are filtered by Spark, not by a RowFilter")
        return self.frame.select(*columns) if columns else self.frame


@dataclass(frozen=True)
class SpilledRows:
    """ParsedRows in Arrow tables: few bytes a row, of which each reader decompresses only what it needs."""

    # One reference to a spilled table per row.
    references: DataFrame
    schema: StructType
    spill: Spill
    condition: RowFilter | None = None

    @property
    def columns(self) -> Sequence[str]:
        return cast(Sequence[str], self.schema.names)

    def only(self, condition: RowFilter) -> "SpilledRows":
        """The rows that meet a condition."""
        return replace(self, condition=self._both(condition))

    def rows(self, *columns: str, where: RowFilter | None = None) -> DataFrame:
        """These columns, or all, of the rows that meet the condition."""
        names = columns or self.columns
        selected = StructType([self.schema[name] for name in names])
        return self.references.mapInArrow(self._reader(names, where), selected)

    def task_rows(self, columns: Sequence[str], where: RowFilter | None = None) -> TaskRows:
        """The same for tasks that write a table's files themselves. Columns that the rows don't have are left out."""
        return TaskRows(self.references, self._reader([name for name in columns if name in self.columns], where))

    def _reader(self, columns: Sequence[str], where: RowFilter | None) -> functools.partial[Iterator[pa.RecordBatch]]:
        return functools.partial(read_filtered, columns=list(columns), where=self._both(where), spill=self.spill)

    def _both(self, condition: RowFilter | None) -> RowFilter | None:
        if self.condition is None or condition is None:
            return self.condition or condition
        return self.condition.and_(condition)


# The number of the part that each row belongs to.
PartOf = Callable[[pa.Table], Integers]


def spill_parts(rows: TaskRows, kind: str, part_of: PartOf, spill: Spill) -> DataFrame:
    """Spills rows part by part. `kind` distinguishes them from other rows of the same parts."""
    return rows.source.mapInArrow(functools.partial(_spill_parts, rows.transform, kind, part_of, spill), _PARTS)


def _spill_parts(
    transform: ArrowTransform, kind: str, part_of: PartOf, spill: Spill, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    for table in tables_of(transform(batches)):
        parts = part_of(table)
        spilled = [
            {"part": part, "kind": kind, "rows": spill.write(table.filter(pa.array(parts == part)))}
            for part in np.unique(parts).tolist()
        ]
        yield pa.RecordBatch.from_pylist(spilled, schema=_PARTS_SCHEMA)


def read_parts(parts: Iterable[pa.RecordBatch], spill: Spill) -> Iterator[tuple[str, pa.Table]]:
    """The tables of the parts that one task received, each with its kind."""
    for batch in parts:
        for part in batch.to_pylist():
            yield part["kind"], spill.read(part["rows"])


def part_by_hash(rows: pa.Table, columns: Sequence[str], number: int) -> Integers:
    """One of `number` parts for each row: the same for equal values, in every process."""
    part = np.zeros(len(rows), np.int64)
    for name in columns:
        column = rows[name]
        if pa.types.is_string(column.type):
            coded = column.combine_chunks().dictionary_encode()
            hashes = [zlib.crc32(str(text).encode()) for text in [*coded.dictionary.to_pylist(), None]]
            value = np.array(hashes, np.int64)[pc.fill_null(coded.indices, -1).to_numpy()]
        else:
            value = integers(column)
        part = part * 31 + value
    # Times are whole milliseconds and many numbers are even: only the upper digits of the product are evenly spread.
    return (part.astype(np.uint64) * _GOLDEN_RATIO >> np.uint64(33)).astype(np.int64) % number


def tables_of(batches: Iterable[pa.RecordBatch | pa.Table]) -> Iterator[pa.Table]:
    for batch in batches:
        yield pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
