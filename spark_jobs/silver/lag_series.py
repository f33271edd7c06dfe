"""What tools told of some days and of the day before, log by log: samples of positions, and ends of logs."""

import functools
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

import schemas
from spark_jobs.lag_series import readings as reading
from spark_jobs.lag_series.order import Numbers
from spark_jobs.lake import TaskRows, Work
from spark_jobs.offsets_log.pieces import Shelf, marked
from spark_jobs.silver import in_turn
from spark_jobs.silver.one_log import Log

READ = (
    *("cluster", "topic", "partition_id", "kind", "reporter", "sampled_at", "day", "group_id", "lag_meaning"),
    *reading.TOLD,
    *("delivered_on", "source_file", "source_position"),
)
# What tells of a log or of a position in it.
TELLING = (pc.field("kind") == "group_offset") | (
    (pc.field("kind") == "log_offset")
    & pc.field("sampled_at").is_valid()
    & pc.field("topic").is_valid()
    & pc.field("partition_id").is_valid()
)
# When the generation of a group changed, in microseconds since 1970, by cluster and group.
Changes = Mapping[tuple[str, str], Sequence[int]]


_PARTS = "part bigint, rows binary"
_PARTS_SCHEMA = pa.schema([("part", pa.int64()), ("rows", pa.binary())])
_PIECES = "kind string, rows binary"
_PIECES_SCHEMA = pa.schema([("kind", pa.string()), ("rows", pa.binary())])


@dataclass(frozen=True)
class LagSeries:
    """Kept, so that each reader of it is given what it asks for."""

    pieces: DataFrame
    samples: Log
    log_ends: Log


def lag_series(
    spark: SparkSession, readings: TaskRows, wanted: pc.Expression, changes: Changes, shelf: Shelf
) -> LagSeries:
    """One row per sample of a position on a `wanted` day, and one per end of a log. `readings` have the columns `READ` of rows
    that are `TELLING`, and reach back to the day before."""
    of_samples = f"{schemas.arrow_ddl('silver.lag_samples')}, copies bigint"
    types = in_turn.kinds({"sample": of_samples, "log_end": schemas.arrow_ddl("silver.log_offsets")})
    schema = to_arrow_schema(types)
    # All that is told of a log goes to one task, which puts it in order by itself.
    tasks = int(spark.conf.get("spark.sql.shuffle.partitions") or 2)
    pack = functools.partial(_pack, readings.work, wanted, tasks, shelf)

    def read_task(parts: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        given = (
            rows for part in parts for piece in part["rows"].to_pylist() for rows in shelf.take(piece).to_batches()
        )
        for batch in reading.read(given, changes, schema):
            [kind] = [name for name in schema.names if not batch[name].null_count]
            told = pa.Table.from_batches([pa.RecordBatch.from_struct_array(batch[kind])])
            yield pa.RecordBatch.from_pylist([{"kind": kind, "rows": shelf.put(told)}], schema=_PIECES_SCHEMA)

    parts = readings.rows.mapInArrow(pack, _PARTS).repartition(tasks, "part")
    pieces = parts.mapInArrow(read_task, _PIECES).persist(StorageLevel.MEMORY_AND_DISK)
    samples, log_ends = (
        Log(pieces.where(F.col("kind") == kind).select("rows"), cast(StructType, types[kind].dataType), shelf)
        for kind in ("sample", "log_end")
    )
    return LagSeries(pieces, samples, log_ends)


def _pack(
    work: Work, wanted: pc.Expression, number: int, shelf: Shelf, tasks: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Rows in parts: all of a log, wherever they were read, are in the parts of one number."""
    for batch in work(tasks):
        rows = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
        rows = rows.append_column("wanted", pa.array(marked(rows, wanted)))
        part = _part_of(rows, number)
        told = [
            {"part": one, "rows": shelf.put(rows.filter(pa.array(part == one)))} for one in np.unique(part).tolist()
        ]
        yield pa.RecordBatch.from_pylist(told, schema=_PARTS_SCHEMA)


def _part_of(rows: pa.Table, number: int) -> Numbers:
    """The same for the same log in whatever process."""
    part = pc.fill_null(rows["partition_id"], -1).to_numpy().astype(np.int64)
    for name in ("cluster", "topic"):
        coded = rows[name].combine_chunks().dictionary_encode()
        known = [zlib.crc32(str(text).encode()) for text in [*coded.dictionary.to_pylist(), None]]
        part = part * 31 + np.array(known, np.int64)[pc.fill_null(coded.indices, -1).to_numpy()]
    return cast(Numbers, part % number)


def changes(rebalances: DataFrame) -> Changes:
    """Asks for it: `rebalances` are rows of silver.rebalances, of which there are few."""
    at = F.unix_micros(F.coalesce("completed_at", "told_at"))
    rows = rebalances.groupBy("cluster", "group_id").agg(F.sort_array(F.collect_list(at)).alias("at")).collect()
    return {(row.cluster, row.group_id): row["at"] for row in rows if row["at"]}
