"""silver.positions: where every group stands when a day ends. The next day starts from it."""

from collections.abc import Callable

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import schemas
from spark_jobs.silver.inputs.effective_commits import EFFECTIVE, POSITION
from spark_jobs.silver.inputs.end_of_day import LOG, standing

_KEY = ("cluster", "group_id", "topic", "partition_id")

# How long a deleted position is remembered, so that a commit after it is known as one.
_DELETED_DAYS = 30


def positions(
    lawful: DataFrame,
    before: DataFrame,
    logs: DataFrame,
    days: DataFrame,
    ended: Callable[[DataFrame], DataFrame] | None = None,
) -> DataFrame:
    """One row per partition with a position at the end of each of `days` (cluster, days: an array).

    `lawful` are the accepted commits, with the holes of their log counted from the start of the days, `before` the state
    that the days start from, `logs` how far the logs were read when each day ended, `ended` says which of the positions
    that stand were deleted although no record tells so.
    """
    at = F.coalesce("committed_at", "recorded_at").alias("at")
    is_placed = F.col("record_offset").isNotNull()
    committed = lawful.where(EFFECTIVE).select(
        *(*_KEY, "day", "topic_id"),
        F.struct(*POSITION, "holes", is_placed.alias("whole")).alias("position"),
        F.struct("place", (~is_placed).alias("unplaced"), at, "source_position").alias("place"),
    )
    carried_at = F.coalesce("record_offset", F.lit(-1)).alias("place")
    carried = before.select(
        *(*_KEY, "day", "topic_id"),
        F.struct(*POSITION, F.lit(0).cast("bigint").alias("holes"), F.col("complete").alias("whole")).alias("position"),
        F.struct(
            carried_at, F.lit(False).alias("unplaced"), at, F.lit(None).cast("bigint").alias("source_position")
        ).alias("place"),
    )
    stands = standing(days, committed.unionByName(carried), _KEY, "place", "position", "topic_id")
    stands = stands.select(*_KEY, "day", "topic_id", "position.*")
    if ended is not None:
        gone = ended(stands).select(*_KEY, "day", F.lit(True).alias("gone"))
        stands = stands.join(gone, [*_KEY, "day"], "left").withColumns(
            {name: F.when(F.col("gone").isNull(), F.col(name)) for name in ("committed_offset", "committed_at")}
        )
    deleted = F.col("committed_offset").isNull()
    remembered = F.col("day") < F.date_add(F.col("recorded_at").cast("date"), _DELETED_DAYS)
    return (
        stands.where(~deleted | F.coalesce(remembered, F.lit(False)))
        .join(F.broadcast(logs), [*LOG, "day"], "left")
        .withColumn("complete", F.col("whole") & F.coalesce(F.col("holes") == F.col("log_holes"), F.lit(False)))
        .select(*schemas.table("silver.positions").column_names)
    )
