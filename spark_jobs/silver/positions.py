"""silver.positions: where every group stands when a day ends. The next day starts from it."""

from collections.abc import Sequence

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

import schemas

_KEY = ("cluster", "group_id", "topic", "partition_id")
_LOG = ("cluster", "offsets_partition")

# How long a deleted position is remembered, so that a commit after it is known as one.
_DELETED_DAYS = 30


def positions(log: DataFrame, lawful: DataFrame, before: DataFrame, days: DataFrame) -> DataFrame:
    """One row per partition with a position at the end of each of `days` (cluster, day).

    `log` is one log with `holes` counted from the start of the days, `lawful` its accepted commits, `before` the state
    that the days start from.
    """
    latest = (
        lawful.where(F.col("transaction").isin("none", "committed"))
        .groupBy(*_KEY, "offsets_partition", "day")
        .agg(F.max_by(F.struct(*_POSITION), "record_offset").alias("position"))
        .select(*_KEY, "offsets_partition", "day", "position.*", F.lit(True).alias("whole"))
    )
    carried = before.select(
        *_KEY,
        *("offsets_partition", "day", "committed_offset", "committed_at", "recorded_at", "record_offset"),
        F.lit(0).cast("bigint").alias("holes"),
        F.col("complete").alias("whole"),
    )
    standing = _at_the_end_of(days, latest.unionByName(carried), _KEY)
    deleted = F.col("committed_offset").isNull()
    remembered = F.col("day") < F.date_add(F.col("recorded_at").cast("date"), _DELETED_DAYS)
    return (
        standing.where(~deleted | F.coalesce(remembered, F.lit(False)))
        .join(_log_ends(log, before, days), [*_LOG, "day"], "left")
        .withColumn("complete", F.col("whole") & (F.col("holes") == F.col("log_holes")))
        .select(*schemas.table("silver.positions").column_names)
    )


_POSITION = ("committed_offset", "committed_at", "recorded_at", "record_offset", "holes")


def _log_ends(log: DataFrame, before: DataFrame, days: DataFrame) -> DataFrame:
    """How far each log was read by the end of each day, and over how many holes since the start of the days."""
    read = log.groupBy(*_LOG, "day").agg(
        F.max("holes").alias("log_holes"), F.max("record_offset").alias("log_read_to")
    )
    carried = before.groupBy(*_LOG, "day").agg(
        F.lit(0).cast("bigint").alias("log_holes"), F.max("log_read_to").alias("log_read_to")
    )
    return _at_the_end_of(days, read.unionByName(carried), _LOG)


def _at_the_end_of(days: DataFrame, known: DataFrame, key: Sequence[str]) -> DataFrame:
    """For each day the newest row of each key that is not younger than the day."""
    until = F.lead("day").over(Window.partitionBy(*key).orderBy("day"))
    rows = known.withColumn("until", until).withColumnRenamed("day", "since").alias("known")
    ends = F.broadcast(days.select("cluster", "day")).alias("ends")
    stands = (
        (F.col("known.cluster") == F.col("ends.cluster"))
        & (F.col("ends.day") >= F.col("since"))
        & (F.col("until").isNull() | (F.col("ends.day") < F.col("until")))
    )
    return rows.join(ends, stands).drop(F.col("ends.cluster")).drop("since", "until")
