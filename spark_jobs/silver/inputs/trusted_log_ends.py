"""Log ends that a commit can be judged by: those that a reporter read from the broker at that moment."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_telemetry.offsets.log_ends import LogEnds
from spark_jobs.silver.inputs.bronze_kinds import LAG_KINDS
from spark_jobs.silver.inputs.bronze_rows import BronzeRows

# Exporters serve cached log ends, and are not trusted.
TRUSTED_REPORTERS = ("get_offsets", "describe", "jmx_broker", "collect")


def trusted_log_ends(readings: DataFrame) -> DataFrame:
    return (
        readings.where(F.col("reporter").isin(*TRUSTED_REPORTERS) & F.col("log_end_offset").isNotNull())
        .groupBy("cluster", "topic", "partition_id", "sampled_at")
        .agg(F.max("log_end_offset").alias("log_end_offset"))
    )


def log_ends_around(bronze: BronzeRows) -> LogEnds:
    """Log ends of the days and of the days before and after: a commit near midnight is compared with both."""
    if not bronze.contents.deliveries(bronze.slices, LAG_KINDS, since=1, until=1):
        return LogEnds()
    readings = bronze.of_days("bronze.lag_readings", LAG_KINDS, since=1, until=1)
    return LogEnds(trusted_log_ends(readings).toArrow())
