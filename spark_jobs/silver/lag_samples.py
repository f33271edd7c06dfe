"""silver.lag_samples: what reporters told of groups' positions, and what it means."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

import schemas

_KEY = ("cluster", "reporter", "sampled_at", "group_id", "topic", "partition_id")
_TOLD = (
    *("committed_offset", "log_start_offset", "log_end_offset", "reported_lag", "reported_lag_ms"),
    *("owner_member_id", "client_id", "client_host"),
)


def offered(readings: DataFrame, days: DataFrame) -> DataFrame:
    """One row per sample of `days` with its lag, `copies` telling how many it stands for.

    `readings` reach back to the day before, for the log end that the reporter told the time before.
    """
    fullness = F.lit(0)
    for name in _TOLD:
        fullness = fullness + F.when(F.col(name).isNotNull(), 1).otherwise(0)
    same = Window.partitionBy(*_KEY)
    best = same.orderBy(F.desc(fullness), "delivered_on", "source_file", "source_position")
    series = Window.partitionBy("cluster", "reporter", "group_id", "topic", "partition_id").orderBy("sampled_at")
    before = F.struct("sampled_at", "log_end_offset")
    return (
        readings.where(F.col("kind") == "group_offset")
        .withColumn("rank", F.row_number().over(best))
        .withColumn("copies", F.count("*").over(same))
        .where(F.col("rank") == 1)
        .withColumn("before", F.lag(before).over(series))
        .join(F.broadcast(days), ["cluster", "day"], "left_semi")
        .withColumn(
            "previous_log_end_offset",
            F.when(
                F.col("before.sampled_at") >= F.col("sampled_at") - F.expr("interval 1 hour"),
                F.col("before.log_end_offset"),
            ),
        )
        .withColumn("lag", F.col("log_end_offset") - F.col("committed_offset"))
        .select(*schemas.table("silver.lag_samples").column_names, "copies")
    )
