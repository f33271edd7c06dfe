"""The log lines of some days: a line is one by cluster, origin, time and text, however often it was delivered."""

import functools
from collections.abc import Iterable, Iterator
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import StorageLevel
from pyspark.sql import SparkSession
from pyspark.sql.types import LongType, StructType

import schemas
from kafka_telemetry.columns import begins, codes, in_order, numbers, ranks, together
from kafka_telemetry.spill import Shelf, Wanted
from spark_jobs.lake.tables import TaskRows
from spark_jobs.silver.inputs.spilled_rows import Kept, in_parts, part_by, taken

_EVENT = schemas.table("silver.group_events").column_names
READ = ("kind", *_EVENT, "settings")
# What silver takes.
TELLING = pc.field("kind").isin(["event", "config"])
EVENT = Wanted(pc.field("kind") == "event", ("kind",))
CONFIG = Wanted(pc.field("kind") == "config", ("kind",))

_PIECES = "rows binary"
_PIECES_SCHEMA = pa.schema([("rows", pa.binary())])
_ROWS_A_PIECE = 100_000


def log_lines(spark: SparkSession, lines: TaskRows, shelf: Shelf) -> Kept:
    """Each line once, with `copies`, how many equal lines it stands for. `lines` have the columns `READ`."""
    types = StructType([field for field in _types("bronze.log_lines") if field.name in READ]).add("copies", LongType())
    # Equal lines are of one time.
    tasks = int(spark.conf.get("spark.sql.shuffle.partitions") or 2)
    of_time = functools.partial(part_by, columns=("happened_at",), number=tasks)

    def unite_task(parts: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        given = [rows for _, rows in taken(parts, shelf)]
        if not given:
            return
        rows = one_of_each(pa.concat_tables(given).combine_chunks())
        for start in range(0, len(rows), _ROWS_A_PIECE):
            piece = shelf.put(rows.slice(start, _ROWS_A_PIECE))
            yield pa.RecordBatch.from_pylist([{"rows": piece}], schema=_PIECES_SCHEMA)

    parts = in_parts(lines, "line", of_time, shelf).repartitionById(tasks, "part")
    pieces = parts.mapInArrow(unite_task, _PIECES).persist(StorageLevel.MEMORY_AND_DISK)
    return Kept(pieces, types, shelf)


def one_of_each(lines: pa.Table) -> pa.Table:
    """Adds `copies`. A line without a time is equal to no other."""
    same = together(*(codes(lines[name]) for name in ("cluster", "happened_at", "origin", "text")))
    untimed = lines["happened_at"].is_null().to_numpy()
    same = np.where(untimed, len(lines) + np.arange(len(lines)), same)
    place = (
        numbers(lines["delivered_on"]),
        ranks(lines["source_file"]),
        np.maximum(numbers(lines["source_position"]), 0),
    )
    order = in_order(same, *place)
    new = np.flatnonzero(begins(same[order]))
    copies = np.diff(new, append=len(order))
    # Mostly there is nothing to leave out.
    kept = lines if len(new) == len(order) else lines.take(pa.array(order[new]))
    return kept.append_column("copies", pa.array(copies))


def _types(table: str) -> StructType:
    return cast(StructType, StructType.fromDDL(schemas.arrow_ddl(table)))
