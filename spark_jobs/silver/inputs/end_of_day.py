"""What is current when a day ends: the newest value of each key, and how far each log was read."""

from collections.abc import Sequence

import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_telemetry.spill import RowFilter
from spark_jobs.silver.inputs.spilled_rows import SpilledRows

LOG = ("cluster", "offsets_partition")
# Among these rows is the last record of each log and day.
_FURTHEST = RowFilter(pc.field("furthest"), ("furthest",))


def newest_by_day(days: DataFrame, rows: DataFrame, key: Sequence[str], place: str, *values: str) -> DataFrame:
    """For each of `days` (cluster, days: an array) and each key the values furthest in the log by `place`, of rows of that day
    or earlier ones; of each value the last that is not null."""

    def newest(value: str) -> Column:
        order = F.struct(place, "day")
        return F.max_by(value, F.when(F.col(value).isNotNull(), order)).alias(value)

    aggregates = [F.max(place).alias(place), *(newest(value) for value in values)]
    by_day = rows.groupBy(*key, "day").agg(*aggregates).join(F.broadcast(days), "cluster")
    later = F.explode(F.filter("days", lambda day: day >= F.col("day"))).alias("ending")
    return (
        by_day.select(*key, "day", place, *values, later)
        .groupBy(*key, "ending")
        .agg(*(newest(value) for value in values))
        .withColumnRenamed("ending", "day")
    )


def logs_read(days: DataFrame, log: SpilledRows, read_before: DataFrame) -> DataFrame:
    """How far each log was read when each of the days ended, and its `holes` until there.

    `log` is the merged log with `holes` counted from the start of the days, `read_before` how far each log was read before.
    """
    zero = F.lit(0).cast("bigint").alias("holes")
    records = log.rows(*LOG, "day", "record_offset", "holes", where=_FURTHEST)
    # Holes increase along the log: the last record of a day has the most.
    last = records.where("record_offset is not null").groupBy(*LOG, "day")
    read = last.agg(F.max("record_offset").alias("record_offset"), F.max("holes").alias("holes")).select(
        *LOG, "day", "record_offset", F.struct("record_offset", "holes").alias("read_to")
    )
    before = read_before.where("log_read_to is not null").select(
        *(*LOG, "day"),
        F.col("log_read_to").alias("record_offset"),
        F.struct(F.col("log_read_to").alias("record_offset"), zero).alias("read_to"),
    )
    return newest_by_day(days, read.unionByName(before), LOG, "record_offset", "read_to").select(
        *LOG, "day", F.col("read_to.record_offset").alias("log_read_to"), F.col("read_to.holes").alias("log_holes")
    )
