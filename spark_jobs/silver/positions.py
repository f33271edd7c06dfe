"""silver.positions: where every group stands when a day ends. The next day starts from it."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import schemas
from spark_jobs.silver.end_of_day import LOG, standing

_KEY = ("cluster", "offsets_partition", "group_id", "topic", "partition_id")
_POSITION = ("committed_offset", "committed_at", "recorded_at", "record_offset", "holes", "whole")

# How long a deleted position is remembered, so that a commit after it is known as one.
_DELETED_DAYS = 30


def positions(lawful: DataFrame, before: DataFrame, logs: DataFrame, days: DataFrame) -> DataFrame:
    """One row per partition with a position at the end of each of `days` (cluster, days: an array).

    `lawful` are the accepted commits, with the holes of their log counted from the start of the days, `before` the state
    that the days start from, `logs` how far the logs were read when each day ended.
    """
    committed = lawful.where(F.col("transaction").isin("none", "committed")).select(
        *_KEY, "day", "topic_id", F.struct(*_POSITION[:-1], F.lit(True).alias("whole")).alias("position")
    )
    zero = F.lit(0).cast("bigint").alias("holes")
    carried = before.select(
        *_KEY, "day", "topic_id", F.struct(*_POSITION[:4], zero, F.col("complete").alias("whole")).alias("position")
    )
    standing_at = standing(days, committed.unionByName(carried), _KEY, "position", "topic_id")
    deleted = F.col("committed_offset").isNull()
    remembered = F.col("day") < F.date_add(F.col("recorded_at").cast("date"), _DELETED_DAYS)
    return (
        standing_at.select(*_KEY, "day", "topic_id", "position.*")
        .where(~deleted | F.coalesce(remembered, F.lit(False)))
        .join(F.broadcast(logs), [*LOG, "day"], "left")
        .withColumn("complete", F.col("whole") & (F.col("holes") == F.col("log_holes")))
        .select(*schemas.table("silver.positions").column_names)
    )
