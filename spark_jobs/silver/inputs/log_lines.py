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
from kafka_telemetry.columns import combined_codes, integers, run_starts, sort_order, value_codes, value_ranks
from kafka_telemetry.spill import RowFilter, Spill
from spark_jobs.lake.tables import TaskRows
from spark_jobs.silver.inputs.spilled_rows import Kept, in_parts, part_by, taken

_EVENT = schemas.table("silver.group_events").column_names
READ = ("kind", *_EVENT, "settings")
# What silver takes.
TELLING = pc.field("kind").isin(["event", "config"])
EVENT = RowFilter(pc.field("kind") == "event", ("kind",))
CONFIG = RowFilter(pc.field("kind") == "config", ("kind",))

_PIECES = "rows binary"
_PIECES_SCHEMA = pa.schema([("rows", pa.binary())])
_ROWS_A_PIECE = 100_000


def log_lines(spark: SparkSession, lines: TaskRows, spill: Spill) -> Kept:
    """Each line once, with `copies`, how many equal lines it stands for. `lines` have the columns `READ`."""
    types = StructType([field for field in _types("bronze.log_lines") if field.name in READ]).add("copies", LongType())
    # Equal lines are of one time.
    tasks = int(spark.conf.get("spark.sql.shuffle.partitions") or 2)
    of_time = functools.partial(part_by, columns=("happened_at",), number=tasks)

    def unite_task(parts: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        given = [rows for _, rows in taken(parts, spill)]
        if not given:
            return
        rows = one_of_each(pa.concat_tables(given).combine_chunks())
        for start in range(0, len(rows), _ROWS_A_PIECE):
            piece = spill.write(rows.slice(start, _ROWS_A_PIECE))
            yield pa.RecordBatch.from_pylist([{"rows": piece}], schema=_PIECES_SCHEMA)

    parts = in_parts(lines, "line", of_time, spill).repartitionById(tasks, "part")
    pieces = parts.mapInArrow(unite_task, _PIECES).persist(StorageLevel.MEMORY_AND_DISK)
    return Kept(pieces, types, spill)


def one_of_each(lines: pa.Table) -> pa.Table:
    """Adds `copies`. A line without a time is equal to no other."""
    same = combined_codes(*(value_codes(lines[name]) for name in ("cluster", "happened_at", "origin", "text")))
    untimed = lines["happened_at"].is_null().to_numpy()
    same = np.where(untimed, len(lines) + np.arange(len(lines)), same)
    place = (
        integers(lines["delivered_on"]),
        value_ranks(lines["source_file"]),
        np.maximum(integers(lines["source_position"]), 0),
    )
    order = sort_order(same, *place)
    new = np.flatnonzero(run_starts(same[order]))
    copies = np.diff(new, append=len(order))
    # Mostly there is nothing to leave out.
    kept = lines if len(new) == len(order) else lines.take(pa.array(order[new]))
    return kept.append_column("copies", pa.array(copies))


def _types(table: str) -> StructType:
    return cast(StructType, StructType.fromDDL(schemas.arrow_ddl(table)))
