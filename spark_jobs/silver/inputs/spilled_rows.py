"""Rows that many ask for, kept as pieces of Arrow, and rows gathered from all tasks by what they tell of."""

import functools
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from kafka_telemetry.columns import Integers, integers
from kafka_telemetry.spill import RowFilter, Spill, read_filtered
from spark_jobs.lake.tables import TaskRows, Work

_ODD = np.uint64(0x9E3779B97F4A7C15)
PARTS = "part int, kind string, rows binary"
_PARTS_SCHEMA = pa.schema([("part", pa.int32()), ("kind", pa.string()), ("rows", pa.binary())])


@dataclass(frozen=True)
class Kept:
    """Rows in pieces of Arrow: few bytes a row, and each reader is given only what it asks for."""

    pieces: DataFrame
    types: StructType
    spill: Spill

    def rows(self, *columns: str, where: RowFilter | None = None) -> DataFrame:
        """Those columns, all if none are named, of the rows that are wanted."""
        names = list(columns) or self.types.names
        types = StructType([self.types[name] for name in names])
        return self.pieces.mapInArrow(self._work(names, where), types)

    def made(self, columns: Sequence[str], where: RowFilter | None = None) -> TaskRows:
        """The same for tasks that work on Arrow, or for a table that has these columns: they need not pass through Spark."""
        names = [name for name in columns if name in self.types.names]
        return TaskRows(self.pieces, self._work(names, where))

    def _work(self, columns: list[str], where: RowFilter | None) -> functools.partial[Iterator[pa.RecordBatch]]:
        return functools.partial(read_filtered, columns=columns, where=where, spill=self.spill)


# Which part each row belongs to.
PartOf = Callable[[pa.Table], Integers]


def in_parts(rows: TaskRows, kind: str, part_of: PartOf, spill: Spill) -> DataFrame:
    """Rows laid down part by part, `kind` telling them from other rows of the same parts."""
    return rows.rows.mapInArrow(functools.partial(_laid_down, rows.work, kind, part_of, spill), PARTS)


def _laid_down(
    work: Work, kind: str, part_of: PartOf, spill: Spill, rows: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    for batch in work(rows):
        table = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
        part = part_of(table)
        told = [
            {"part": one, "kind": kind, "rows": spill.write(table.filter(pa.array(part == one)))}
            for one in np.unique(part).tolist()
        ]
        yield pa.RecordBatch.from_pylist(told, schema=_PARTS_SCHEMA)


def taken(parts: Iterable[pa.RecordBatch], spill: Spill) -> Iterator[tuple[str, pa.Table]]:
    """What lies in the parts of one task, with its kind."""
    for batch in parts:
        for part in batch.to_pylist():
            yield part["kind"], spill.read(part["rows"])


def part_by(rows: pa.Table, columns: Sequence[str], number: int) -> Integers:
    """One of so many parts, the same for equal values in whatever process."""
    part = np.zeros(len(rows), np.int64)
    for name in columns:
        column = rows[name]
        if pa.types.is_string(column.type):
            coded = column.combine_chunks().dictionary_encode()
            known = [zlib.crc32(str(text).encode()) for text in [*coded.dictionary.to_pylist(), None]]
            value = np.array(known, np.int64)[pc.fill_null(coded.indices, -1).to_numpy()]
        else:
            value = integers(column)
        part = part * 31 + value
    # Times are whole milliseconds, and many numbers even: the upper digits of a product tell them apart.
    return (part.astype(np.uint64) * _ODD >> np.uint64(33)).astype(np.int64) % number
