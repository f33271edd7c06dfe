"""What tools told of some days and of the day before, log by log: samples of positions, and ends of logs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

import schemas
from spark_jobs.lag_series import pieces, readings
from spark_jobs.silver.one_log import Log

_LOG = ("cluster", "topic", "partition_id")
_READ = (
    *(*_LOG, "kind", "reporter", "sampled_at", "day", "group_id", "lag_meaning", *readings.TOLD),
    *("delivered_on", "source_file", "source_position"),
)
_FOUND = {
    "sample": f"{schemas.arrow_ddl('silver.lag_samples')}, copies bigint",
    "log_end": schemas.arrow_ddl("silver.log_offsets"),
}
# When the generation of a group changed, in microseconds since 1970, by cluster and group.
Changes = Mapping[tuple[str, str], Sequence[int]]


@dataclass(frozen=True)
class LagSeries:
    """Samples of positions, each once, with `copies`; and ends of logs. Both in pieces, which are made together."""

    pieces: DataFrame
    samples: Log
    log_ends: Log


def lag_series(told: DataFrame, days: DataFrame, changes: Changes) -> LagSeries:
    """The samples of `days`, and the ends of logs. What was `told` reaches back to the day before."""
    spark = told.sparkSession
    types = {kind: cast(StructType, StructType.fromDDL(ddl)) for kind, ddl in _FOUND.items()}
    columns = {kind: of_kind.names for kind, of_kind in types.items()}
    # All that is told of a log goes to one task.
    tasks = int(spark.conf.get("spark.sql.shuffle.partitions") or 2)
    of_logs = F.col("sampled_at").isNotNull() & F.col("topic").isNotNull() & F.col("partition_id").isNotNull()
    rows = (
        told.where((F.col("kind") == "group_offset") | ((F.col("kind") == "log_offset") & of_logs))
        .select(*_READ, F.pmod(F.xxhash64(*_LOG), F.lit(tasks)).cast("int").alias("task"))
        .join(F.broadcast(days.withColumn("is_made", F.lit(True))), ["cluster", "day"], "left")
        .withColumn("wanted", F.coalesce("is_made", F.lit(False)))
        .drop("is_made")
    )

    def read_task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return pieces.read(batches, changes, columns)

    by_task = rows.mapInArrow(pieces.packed, pieces.PIECES).repartitionById(tasks, "task")
    found = by_task.mapInArrow(read_task, pieces.FOUND)
    of_kind = {kind: Log(found.where(F.col("kind") == kind).select("rows"), types[kind]) for kind in types}
    return LagSeries(found, of_kind["sample"], of_kind["log_end"])


def changes(rebalances: DataFrame) -> Changes:
    """Asks for it: `rebalances` are rows of silver.rebalances, of which there are few."""
    at = F.unix_micros(F.coalesce("completed_at", "told_at"))
    rows = rebalances.groupBy("cluster", "group_id").agg(F.sort_array(F.collect_list(at)).alias("at")).collect()
    return {(row.cluster, row.group_id): row["at"] for row in rows if row["at"]}
