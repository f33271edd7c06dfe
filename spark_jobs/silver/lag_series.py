"""What tools told of some days and of the day before, log by log: samples of positions, and ends of logs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema

import schemas
from spark_jobs.lag_series import readings as reading
from spark_jobs.silver import in_turn

_LOG = ("cluster", "topic", "partition_id")
_READ = (
    *(*_LOG, "kind", "reporter", "sampled_at", "day", "group_id", "lag_meaning", *reading.TOLD),
    *("delivered_on", "source_file", "source_position"),
)
# When the generation of a group changed, in microseconds since 1970, by cluster and group.
Changes = Mapping[tuple[str, str], Sequence[int]]


def lag_series(readings: DataFrame, days: DataFrame, changes: Changes) -> DataFrame:
    """One row per sample of a position on one of `days`, and per end of a log, each in a column of its own. `readings` reach
    back to the day before."""
    of_samples = f"{schemas.arrow_ddl('silver.lag_samples')}, copies bigint"
    types = in_turn.kinds({"sample": of_samples, "log_end": schemas.arrow_ddl("silver.log_offsets")})
    schema = to_arrow_schema(types)
    of_logs = F.col("sampled_at").isNotNull() & F.col("topic").isNotNull() & F.col("partition_id").isNotNull()
    rows = (
        readings.where((F.col("kind") == "group_offset") | ((F.col("kind") == "log_offset") & of_logs))
        .select(*_READ)
        .join(F.broadcast(days.withColumn("is_made", F.lit(True))), ["cluster", "day"], "left")
        .withColumn("wanted", F.coalesce("is_made", F.lit(False)))
    )
    # All that is told of a log goes to one task, which puts it in order by itself: Spark would compare long names.
    tasks = int(readings.sparkSession.conf.get("spark.sql.shuffle.partitions") or 2)

    def read_task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return reading.read(batches, changes, schema)

    return rows.drop("is_made").repartition(tasks, *_LOG).mapInArrow(read_task, types)


def rows_of(series: DataFrame, kind: str) -> DataFrame:
    return series.where(F.col(kind).isNotNull()).select(f"{kind}.*")


def changes(rebalances: DataFrame) -> Changes:
    """Asks for it: `rebalances` are rows of silver.rebalances, of which there are few."""
    at = F.unix_micros(F.coalesce("completed_at", "told_at"))
    rows = rebalances.groupBy("cluster", "group_id").agg(F.sort_array(F.collect_list(at)).alias("at")).collect()
    return {(row.cluster, row.group_id): row["at"] for row in rows if row["at"]}
