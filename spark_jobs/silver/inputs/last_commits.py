"""The last commit of each reader that gave up its partition in an orderly way, and how far that reader had got."""

from typing import TYPE_CHECKING

import pyarrow.compute as pc
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from kafka_telemetry.spill import RowFilter
from spark_jobs.silver.inputs.effective_commits import EFFECTIVE

if TYPE_CHECKING:
    from spark_jobs.silver.inputs.day_inputs import DayInputs

_PARTITION = ("cluster", "group_id", "topic", "partition_id")
_PLACE = ("cluster", "offsets_partition", "record_offset")
_FAILS = RowFilter(pc.field("event") == "commit_failed", ("event",))
_MOVES_POSITION = RowFilter(pc.field("event").isin(["sought", "position_out_of_range", "offset_reset"]), ("event",))


def with_reached_by_reader(inputs: "DayInputs", commits: DataFrame) -> DataFrame:
    """Adds `reached_by_reader` to rows of silver.offset_commits: of the last commit before another reading of the partition
    starts, whose reader closed or revoked it before, the highest offset that this reader had committed, or had tried to if
    the client logged the offset of a commit that failed. Null elsewhere."""
    readings = orderly_readings(inputs.histories.read_starts, moved_positions(inputs)).localCheckpoint()
    if readings.isEmpty():
        return commits.withColumn("reached_by_reader", F.lit(None).cast("bigint"))
    positions = commits.where(EFFECTIVE).where("committed_offset is not null and record_offset is not null")
    last = last_commits(positions, failed_commits(inputs), readings)
    return commits.join(F.broadcast(last), [*_PLACE], "left")


def moved_positions(inputs: "DayInputs") -> DataFrame:
    """(partition, at): clients logged that they went on at another position."""
    return _logged_partitions(inputs, _MOVES_POSITION).select(*_PARTITION, "at")


def failed_commits(inputs: "DayInputs") -> DataFrame:
    """(partition, at, committed_offset): commits that clients logged as failed, of which they logged the offset."""
    offset = F.expr("try_cast(details['offset'] as bigint)").alias("committed_offset")
    return _logged_partitions(inputs, _FAILS).select(*_PARTITION, "at", offset).where("committed_offset is not null")


def _logged_partitions(inputs: "DayInputs", where: RowFilter) -> DataFrame:
    """Events that name a partition."""
    name, number = "details['topic_partition']", "substring_index(details['topic_partition'], '-', -1)"
    return (
        inputs.events.rows("cluster", "group_id", "details", "event", "happened_at", where=where)
        .select(
            *("cluster", "group_id"),
            F.expr(f"left({name}, length({name}) - length({number}) - 1)").alias("topic"),
            F.expr(f"try_cast({number} as int)").alias("partition_id"),
            F.col("happened_at").alias("at"),
            "details",
        )
        .where("group_id is not null and partition_id is not null and at is not null")
    )


def orderly_readings(read_starts: DataFrame, moved: DataFrame) -> DataFrame:
    """(partition, since, until): readings that ended as their reader closed or revoked the partition, until the next one
    starts. Where a reader moved its position itself, another reading begins."""
    is_orderly = F.expr("cause in ('assigned', 'kept') and ended_by in ('left', 'revoked')")
    points = read_starts.select(
        *_PARTITION, F.col("started_at").alias("at"), F.coalesce(is_orderly, F.lit(False)).alias("is_orderly")
    ).unionByName(moved.select(*_PARTITION, "at", F.lit(False).alias("is_orderly")))
    in_time = Window.partitionBy(*_PARTITION).orderBy("at")
    return (
        points.withColumn("since", F.lag("at").over(in_time))
        .where("is_orderly and since is not null")
        .select(*_PARTITION, "since", F.col("at").alias("until"))
    )


def last_commits(positions: DataFrame, failed: DataFrame, readings: DataFrame) -> DataFrame:
    """(place, reached_by_reader): the last of the effective commits of each reading, and the highest offset of these and of
    the commits that failed."""
    # A commit is of the reading that began last before it. To join all readings of a partition with all of its commits
    # would be quadratic, and a number sorts faster than four names.
    partitions = readings.select(*_PARTITION).distinct()
    numbers = F.broadcast(partitions.withColumn("number", F.monotonically_increasing_id()).localCheckpoint())
    begins = readings.join(numbers, [*_PARTITION]).select("number", F.col("since").alias("at"), "until")
    place = ("offsets_partition", "record_offset")
    commits = (
        positions.select(*_PARTITION, *place, F.col("committed_at").alias("at"), "committed_offset")
        .unionByName(failed, allowMissingColumns=True)
        .join(numbers, [*_PARTITION])
        .select("number", "at", *place, "committed_offset")
    )
    begins_first = Window.partitionBy("number").orderBy("at", F.col("until").isNull(), "until")
    until = F.last("until", ignorenulls=True).over(begins_first.rowsBetween(Window.unboundedPreceding, 0))
    return (
        commits.unionByName(begins, allowMissingColumns=True)
        .withColumn("until", until)
        .where("committed_offset is not null and at < until")
        .groupBy("number", "until")
        .agg(
            # Apart, because Spark would sort the rows to aggregate a struct.
            F.max_by("offsets_partition", "record_offset").alias("offsets_partition"),
            F.max("record_offset").alias("record_offset"),
            F.max("committed_offset").alias("reached_by_reader"),
        )
        .where("record_offset is not null")
        .join(numbers, "number")
        .select(*_PLACE, "reached_by_reader")
    )
