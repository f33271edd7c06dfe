"""silver.unfinished: what the days wait for, and which of them something new finishes."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import schemas


def unfinished(lawful: DataFrame) -> DataFrame:
    """What later deliveries may finish of these accepted commits: open transactions, and positions above a log end
    with no later end to compare them with."""
    markers = (
        lawful.where(F.col("transaction") == "open")
        .groupBy("cluster", "day", "offsets_partition", "producer_id")
        .agg(F.min("record_offset").alias("record_offset"))
        .withColumn("awaits", F.lit("transaction_marker"))
    )
    at = F.coalesce("committed_at", "recorded_at")
    near_midnight = at >= F.date_add("day", 1).cast("timestamp") - F.expr("interval 1 hour")
    ends = (
        lawful.where((F.col("committed_offset") > F.col("log_end_before")) & F.col("log_end_after").isNull())
        .where(near_midnight)
        .groupBy("cluster", "day", "topic", "partition_id")
        .agg(F.max(at).alias("since"))
        .withColumn("awaits", F.lit("later_log_end"))
    )
    return markers.unionByName(ends, allowMissingColumns=True).select(*schemas.table("silver.unfinished").column_names)


def finished_days(waiting: DataFrame, markers: DataFrame, log_ends: DataFrame) -> DataFrame:
    """(cluster, day) of what waits and is told by these markers or log ends."""
    by_marker = (
        waiting.where(F.col("awaits") == "transaction_marker")
        .alias("waits")
        .join(
            markers.alias("told"),
            (F.col("waits.cluster") == F.col("told.cluster"))
            & (F.col("waits.offsets_partition") == F.col("told.offsets_partition"))
            & (F.col("waits.producer_id") == F.col("told.producer_id"))
            & (F.col("told.record_offset") > F.col("waits.record_offset")),
            "left_semi",
        )
    )
    by_end = (
        waiting.where(F.col("awaits") == "later_log_end")
        .alias("waits")
        .join(
            log_ends.alias("told"),
            (F.col("waits.cluster") == F.col("told.cluster"))
            & (F.col("waits.topic") == F.col("told.topic"))
            & (F.col("waits.partition_id") == F.col("told.partition_id"))
            & (F.col("told.sampled_at") >= F.col("waits.since"))
            & (F.col("told.sampled_at") <= F.col("waits.since") + F.expr("interval 1 hour")),
            "left_semi",
        )
    )
    return by_marker.unionByName(by_end).select("cluster", "day").distinct()
