"""silver.log_offsets: the ends of logs as each reporter saw them."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import schemas
from spark_jobs.lake.task_rows import TaskRows
from spark_jobs.silver.inputs.lag_series import LagSeries

# Reporters whose log ends were read from the broker at that moment; exporters serve cached ones.
TRUSTED = ("get_offsets", "describe", "jmx_broker", "collect")


def made(series: LagSeries) -> TaskRows:
    """One row per reporter, time and partition. Several tellers of one moment agree on the furthest end."""
    return series.log_ends.made(schemas.table("silver.log_offsets").column_names)


def trusted_ends(readings: DataFrame) -> DataFrame:
    """Log ends that a commit can be judged by."""
    return (
        readings.where(F.col("reporter").isin(*TRUSTED) & F.col("log_end_offset").isNotNull())
        .groupBy("cluster", "topic", "partition_id", "sampled_at")
        .agg(F.max("log_end_offset").alias("log_end_offset"))
    )
