"""silver.positions: where every group stands when a day ends. The next day starts from it."""

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import schemas

_KEY = ("cluster", "offsets_partition", "group_id", "topic", "partition_id")
_LOG = ("cluster", "offsets_partition")
_POSITION = ("committed_offset", "committed_at", "recorded_at", "record_offset", "holes", "whole")

# How long a deleted position is remembered, so that a commit after it is known as one.
_DELETED_DAYS = 30


def positions(log: DataFrame, lawful: DataFrame, before: DataFrame, days: DataFrame) -> DataFrame:
    """One row per partition with a position at the end of each of `days` (cluster, days: an array).

    `log` is one log with `holes` counted from the start of the days, `lawful` its accepted commits, `before` the state
    that the days start from.
    """
    committed = lawful.where(F.col("transaction").isin("none", "committed")).select(
        *_KEY, "day", F.struct(*_POSITION[:-1], F.lit(True).alias("whole")).alias("position")
    )
    carried = before.select(
        *_KEY,
        "day",
        F.struct(*_POSITION[:4], F.lit(0).cast("bigint").alias("holes"), F.col("complete").alias("whole")).alias(
            "position"
        ),
    )
    standing = _at_the_end_of(days, committed.unionByName(carried), _KEY, "position").select(*_KEY, "day", "position.*")
    read = log.select(*_LOG, "day", F.struct("record_offset", "holes").alias("read_to"))
    read_before = before.select(
        *_LOG,
        "day",
        F.struct(F.col("log_read_to").alias("record_offset"), F.lit(0).cast("bigint").alias("holes")).alias("read_to"),
    )
    logs = _at_the_end_of(days, read.unionByName(read_before), _LOG, "read_to").select(
        *_LOG, "day", F.col("read_to.record_offset").alias("log_read_to"), F.col("read_to.holes").alias("log_holes")
    )
    deleted = F.col("committed_offset").isNull()
    remembered = F.col("day") < F.date_add(F.col("recorded_at").cast("date"), _DELETED_DAYS)
    return (
        standing.where(~deleted | F.coalesce(remembered, F.lit(False)))
        .join(F.broadcast(logs), [*_LOG, "day"], "left")
        .withColumn("complete", F.col("whole") & (F.col("holes") == F.col("log_holes")))
        .select(*schemas.table("silver.positions").column_names)
    )


def _at_the_end_of(days: DataFrame, rows: DataFrame, key: Sequence[str], value: str) -> DataFrame:
    """For each day the newest row of each key that is not younger than it: the furthest in the log."""
    newest = F.max_by(value, F.struct(f"{value}.record_offset", "day")).alias(value)
    by_day = rows.groupBy(*key, "day").agg(newest).join(F.broadcast(days), "cluster")
    later = F.explode(F.filter("days", lambda day: day >= F.col("day"))).alias("ending")
    return (
        by_day.select(*key, "day", value, later).groupBy(*key, "ending").agg(newest).withColumnRenamed("ending", "day")
    )
