"""What tools told of some days and of the day before, log by log: samples of positions, and ends of logs."""

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

import schemas
from kafka_telemetry.lag import series as reading
from kafka_telemetry.spill import Spill, matches
from spark_jobs.lake.tables import TaskRows, Work
from spark_jobs.silver.inputs import row_by_row
from spark_jobs.silver.inputs.spilled_rows import Kept, in_parts, part_by, taken

READ = (
    *("cluster", "topic", "partition_id", "kind", "reporter", "sampled_at", "day", "group_id", "lag_meaning"),
    *reading.REPORTED_COLUMNS,
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


_PIECES = "kind string, rows binary"
_PIECES_SCHEMA = pa.schema([("kind", pa.string()), ("rows", pa.binary())])


@dataclass(frozen=True)
class LagSeries:
    """Kept, so that each reader of it is given what it asks for."""

    pieces: DataFrame
    samples: Kept
    log_ends: Kept


def lag_series(
    spark: SparkSession, readings: TaskRows, wanted: pc.Expression, changes: Changes, spill: Spill
) -> LagSeries:
    """One row per sample of a position on a `wanted` day, and one per end of a log. `readings` have the columns `READ` of rows
    that are `TELLING`, and reach back to the day before."""
    of_samples = f"{schemas.arrow_ddl('silver.lag_samples')}, copies bigint"
    types = row_by_row.kinds({"sample": of_samples, "log_end": schemas.arrow_ddl("silver.log_offsets")})
    schema = to_arrow_schema(types)
    # All that is told of a log goes to one task, which puts it in order by itself.
    tasks = int(spark.conf.get("spark.sql.shuffle.partitions") or 2)
    of_log = functools.partial(part_by, columns=("cluster", "topic", "partition_id"), number=tasks)

    def read_task(parts: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        given = (rows for _, part in taken(parts, spill) for rows in part.to_batches())
        for batch in reading.build_series(given, changes, schema):
            [kind] = [name for name in schema.names if not batch[name].null_count]
            told = pa.Table.from_batches([pa.RecordBatch.from_struct_array(batch[kind])])
            yield pa.RecordBatch.from_pylist([{"kind": kind, "rows": spill.write(told)}], schema=_PIECES_SCHEMA)

    marked_rows = TaskRows(readings.rows, functools.partial(_marked, readings.work, wanted))
    parts = in_parts(marked_rows, "reading", of_log, spill).repartitionById(tasks, "part")
    pieces = parts.mapInArrow(read_task, _PIECES).persist(StorageLevel.MEMORY_AND_DISK)
    samples, log_ends = (
        Kept(pieces.where(F.col("kind") == kind).select("rows"), cast(StructType, types[kind].dataType), spill)
        for kind in ("sample", "log_end")
    )
    return LagSeries(pieces, samples, log_ends)


def _marked(work: Work, wanted: pc.Expression, tasks: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    for batch in work(tasks):
        rows = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
        yield rows.append_column("requested", pa.array(matches(rows, wanted)))


def changes(rebalances: DataFrame, stories_before: DataFrame) -> Changes:
    """Asks for it: `rebalances` are rows of silver.rebalances, of which there are few, `stories_before` the stories that their
    days start from."""
    group = ("cluster", "group_id")
    told = rebalances.select(*group, F.unix_micros(F.coalesce("completed_at", "told_at")).alias("at"))
    before = F.nullif(F.get_json_object("story", "$.changed_at").cast("bigint"), F.lit(0))
    told = told.unionByName(stories_before.select(*group, before.alias("at")))
    rows = told.groupBy(*group).agg(F.sort_array(F.collect_list("at")).alias("at")).collect()
    return {(row.cluster, row.group_id): row["at"] for row in rows if row["at"]}
