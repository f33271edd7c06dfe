"""silver.log_offsets: the ends of logs as each reporter saw them."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import schemas

# Reporters whose log ends were read from the broker at that moment; exporters serve cached ones.
TRUSTED = ("get_offsets", "describe", "jmx_broker", "collect")


def log_offsets(readings: DataFrame) -> DataFrame:
    """One row per reporter, time and partition. Several tellers of one moment agree on the furthest end."""
    return (
        readings.where(F.col("kind").isin("log_offset", "group_offset"))
        .where(F.col("sampled_at").isNotNull() & F.col("topic").isNotNull() & F.col("partition_id").isNotNull())
        .where(F.coalesce("log_start_offset", "log_end_offset").isNotNull())
        .groupBy("cluster", "day", "reporter", "sampled_at", "topic", "partition_id")
        .agg(F.max("log_start_offset").alias("log_start_offset"), F.max("log_end_offset").alias("log_end_offset"))
        .select(*schemas.table("silver.log_offsets").column_names)
    )


def trusted_ends(readings: DataFrame) -> DataFrame:
    """Log ends that a commit can be judged by."""
    return (
        readings.where(F.col("reporter").isin(*TRUSTED) & F.col("log_end_offset").isNotNull())
        .groupBy("cluster", "topic", "partition_id", "sampled_at")
        .agg(F.max("log_end_offset").alias("log_end_offset"))
    )
