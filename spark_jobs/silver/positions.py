"""silver.positions: the committed position of each partition at the end of a day. The next day starts from it."""

import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import schemas
from kafka_telemetry.spill import RowFilter
from spark_jobs.silver.inputs import previous_positions
from spark_jobs.silver.inputs.bronze_kinds import COMMIT_KINDS
from spark_jobs.silver.inputs.cleaned_tombstones import cleaned_positions
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.inputs.effective_commits import EFFECTIVE, POSITION, POSITION_KEY
from spark_jobs.silver.inputs.end_of_day import LOG, newest_by_day
from spark_jobs.silver.silver_table import SilverTable

_NAME = "silver.positions"
# How long a deleted position is kept, so that a commit after it is known as one.
_DELETED_DAYS = 30
# Among these rows is the newest effective commit of each key and day, as far as the log was read in one pass.
_NEWEST = RowFilter(pc.field("newest"), ("newest",))
_COLUMNS = (*POSITION, "topic_id", "transaction", "holes", "place", "source_position")


def build(inputs: DayInputs) -> DataFrame:
    keys = inputs.keys_to_recompute()
    newest = _NEWEST if keys is None else _NEWEST.or_(previous_positions.has_key(keys))
    commits = inputs.valid("silver.offset_commits", *_COLUMNS, where=newest)
    current = newest_positions(commits, inputs.positions_before, inputs.days_by_cluster())
    return end_of_day_positions(
        current, cleaned_positions(inputs.bronze, current, inputs.misplaced), inputs.logs_read()
    )


def newest_positions(commits: DataFrame, before: DataFrame, days: DataFrame) -> DataFrame:
    """The position of each key at the end of each of `days` (cluster, days: an array): the newest effective commit, or the
    position `before` the days."""
    at = F.coalesce("committed_at", "recorded_at").alias("at")
    is_placed = F.col("record_offset").isNotNull()
    committed = commits.where(EFFECTIVE).select(
        *(*POSITION_KEY, "day", "topic_id"),
        F.struct(*POSITION, "holes", is_placed.alias("whole")).alias("position"),
        F.struct("place", (~is_placed).alias("unplaced"), at, "source_position").alias("place"),
    )
    carried_place = F.coalesce("record_offset", F.lit(-1)).alias("place")
    carried = before.select(
        *(*POSITION_KEY, "day", "topic_id"),
        F.struct(*POSITION, F.lit(0).cast("bigint").alias("holes"), F.col("complete").alias("whole")).alias("position"),
        F.struct(
            carried_place, F.lit(False).alias("unplaced"), at, F.lit(None).cast("bigint").alias("source_position")
        ).alias("place"),
    )
    newest = newest_by_day(days, committed.unionByName(carried), POSITION_KEY, "place", "position", "topic_id")
    return newest.select(*POSITION_KEY, "day", "topic_id", "position.*")


def end_of_day_positions(current: DataFrame, cleaned: DataFrame | None, logs_read: DataFrame) -> DataFrame:
    """Ends the positions whose tombstone was `cleaned` away, forgets old deletions, and adds how far the logs were read."""
    if cleaned is not None:
        ended = cleaned.select(*POSITION_KEY, "day", F.lit(True).alias("ended"))
        current = current.join(ended, [*POSITION_KEY, "day"], "left").withColumns(
            {name: F.when(F.col("ended").isNull(), F.col(name)) for name in ("committed_offset", "committed_at")}
        )
    is_deleted = F.col("committed_offset").isNull()
    is_recent = F.col("day") < F.date_add(F.col("recorded_at").cast("date"), _DELETED_DAYS)
    return (
        current.where(~is_deleted | F.coalesce(is_recent, F.lit(False)))
        .join(F.broadcast(logs_read), [*LOG, "day"], "left")
        .withColumn("complete", F.col("whole") & F.coalesce(F.col("holes") == F.col("log_holes"), F.lit(False)))
        .select(*schemas.table(_NAME).column_names)
    )


TABLE = SilverTable(name=_NAME, build=build, bronze_kinds=COMMIT_KINDS, states=(_NAME,), is_state=True)
