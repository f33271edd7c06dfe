"""silver.unfinished: what the days still wait for. A later delivery that brings it has the day rebuilt."""

import datetime as dt
from collections.abc import Mapping, Set

import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import schemas
from kafka_telemetry.spill import RowFilter
from spark_jobs.lake.tables import Lake
from spark_jobs.silver.inputs.bronze_kinds import COMMIT_KINDS
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.inputs.slices import where_delivered
from spark_jobs.silver.inputs.trusted_log_ends import trusted_log_ends
from spark_jobs.silver.silver_table import SilverTable

_NAME = "silver.unfinished"
# Commits of open transactions, and positions above a log end with no later log end to compare them with.
_WAITING = RowFilter(
    (pc.field("transaction") == "open")
    | ((pc.field("committed_offset") > pc.field("log_end_before")) & pc.field("log_end_after").is_null()),
    ("transaction", "committed_offset", "log_end_before", "log_end_after"),
)
_COLUMNS = (
    *("day", "topic", "partition_id", "offsets_partition", "producer_id", "record_offset", "transaction"),
    *("committed_offset", "committed_at", "recorded_at", "log_end_before", "log_end_after"),
)


def build(inputs: DayInputs) -> DataFrame:
    return waiting(inputs.valid("silver.offset_commits", *_COLUMNS, where=_WAITING))


def waiting(commits: DataFrame) -> DataFrame:
    markers = (
        commits.where(F.col("transaction") == "open")
        .groupBy("cluster", "day", "offsets_partition", "producer_id")
        .agg(F.min("record_offset").alias("record_offset"))
        .withColumn("awaits", F.lit("transaction_marker"))
    )
    at = F.coalesce("committed_at", "recorded_at")
    near_midnight = at >= F.date_add("day", 1).cast("timestamp") - F.expr("interval 1 hour")
    ends = (
        commits.where((F.col("committed_offset") > F.col("log_end_before")) & F.col("log_end_after").isNull())
        .where(near_midnight)
        .groupBy("cluster", "day", "topic", "partition_id")
        .agg(F.max(at).alias("since"))
        .withColumn("awaits", F.lit("later_log_end"))
    )
    return markers.unionByName(ends, allowMissingColumns=True).select(*schemas.table(_NAME).column_names)


def finished_days(lake: Lake, deliveries: Mapping[str, Set[dt.date]]) -> set[tuple[str, dt.date]]:
    """The days that wait for something which these deliveries (days by cluster) bring."""
    if not lake.may_contain(_NAME, ((cluster,) for cluster in deliveries)):
        return set()
    markers = lake.read("bronze.offset_records").where(where_delivered(deliveries)).where("kind = 'marker'")
    readings = lake.read("bronze.lag_readings").where(where_delivered(deliveries))
    rows = days_finished_by(lake.read(_NAME), markers, trusted_log_ends(readings)).collect()
    return {(row.cluster, row.day) for row in rows}


def days_finished_by(unfinished: DataFrame, markers: DataFrame, log_ends: DataFrame) -> DataFrame:
    """(cluster, day) of the unfinished rows that one of these markers or log ends finishes."""
    by_marker = (
        unfinished.where(F.col("awaits") == "transaction_marker")
        .alias("waits")
        .join(
            markers.alias("marker"),
            (F.col("waits.cluster") == F.col("marker.cluster"))
            & (F.col("waits.offsets_partition") == F.col("marker.offsets_partition"))
            & (F.col("waits.producer_id") == F.col("marker.producer_id"))
            & (F.col("marker.record_offset") > F.col("waits.record_offset")),
            "left_semi",
        )
    )
    by_end = (
        unfinished.where(F.col("awaits") == "later_log_end")
        .alias("waits")
        .join(
            log_ends.alias("log_end"),
            (F.col("waits.cluster") == F.col("log_end.cluster"))
            & (F.col("waits.topic") == F.col("log_end.topic"))
            & (F.col("waits.partition_id") == F.col("log_end.partition_id"))
            & (F.col("log_end.sampled_at") >= F.col("waits.since"))
            & (F.col("log_end.sampled_at") <= F.col("waits.since") + F.expr("interval 1 hour")),
            "left_semi",
        )
    )
    return by_marker.unionByName(by_end).select("cluster", "day").distinct()


TABLE = SilverTable(name=_NAME, build=build, bronze_kinds=COMMIT_KINDS, finished_days=finished_days)
