"""Why positions ended: a tombstone does not say, but the broker's log tells of what it removes."""

import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_telemetry.spill import RowFilter
from spark_jobs.silver.inputs.log_lines import EVENT
from spark_jobs.silver.inputs.spilled_rows import Kept

TOMBSTONE = RowFilter((pc.field("kind") == "commit") & pc.coalesce(pc.field("tombstone"), False), ("kind", "tombstone"))

_PLACE = ("cluster", "offsets_partition", "record_offset")
# What the log says, and what it means. The first one that tells of a tombstone counts: a line that names the group before
# one that names none.
_ENDED_BY = {
    "group_deleted": "deleted",
    "offsets_deleted": "deleted",
    "partitions_gone": "topic_deleted",
    "offsets_expired": "expired",
}
_TELLING = ("cluster", "group_id", "side", "event", "happened_at", "details")
_REMOVAL = EVENT.and_(
    RowFilter((pc.field("side") == "broker") & pc.field("event").isin([*_ENDED_BY]), ("side", "event"))
)
# Records are written just before the line or just after it.
_NEAR = "interval 1 second"


def with_ends(commits: DataFrame, log: Kept, lines: Kept | None) -> DataFrame:
    """Adds to the tombstones of a log what brokers' logs tell of them, if there are any."""
    removed = None if lines is None else removals(lines.rows(*_TELLING, where=_REMOVAL)).localCheckpoint()
    if removed is None or removed.isEmpty():
        return commits.withColumn("ended_by", F.lit(None).cast("string"))
    deleted = log.rows(*_PLACE, "group_id", "topic", "recorded_at", where=TOMBSTONE)
    return commits.join(F.broadcast(ended_by(deleted, removed)), [*_PLACE], "left")


def removals(events: DataFrame) -> DataFrame:
    """What brokers' logs tell of removed positions: when it began and ended, and whose they were if the line says so."""
    took = F.coalesce(F.expr("try_cast(details['duration_ms'] as bigint)"), F.lit(0))
    began = F.timestamp_millis(F.unix_millis("happened_at") - took)
    meaning = F.create_map(*(F.lit(word) for pair in _ENDED_BY.items() for word in pair))
    return (
        events.where((F.col("side") == "broker") & F.col("event").isin(*_ENDED_BY))
        .where(F.col("happened_at").isNotNull())
        .select(
            F.col("cluster").alias("of_cluster"),
            F.col("group_id").alias("of_group"),
            F.expr("details['deleted_groups']").alias("of_groups"),
            F.expr("coalesce(details['deleted_partitions'], details['deleted_topics'])").alias("of_topics"),
            (began - F.expr(_NEAR)).alias("since"),
            (F.col("happened_at") + F.expr(_NEAR)).alias("until"),
            F.array_position(F.array(*map(F.lit, _ENDED_BY)), F.col("event")).alias("rank"),
            meaning[F.col("event")].alias("ended_by"),
        )
    )


def ended_by(tombstones: DataFrame, removed: DataFrame) -> DataFrame:
    """One row per tombstone that the log tells of: its place, and what ended the position."""
    told = (
        (F.col("cluster") == F.col("of_cluster"))
        & F.coalesce(F.col("group_id") == F.col("of_group"), F.lit(True))
        & F.coalesce(F.contains(F.col("of_groups"), F.col("group_id")), F.lit(True))
        & F.coalesce(F.contains(F.col("of_topics"), F.col("topic")), F.lit(True))
        & F.col("recorded_at").between(F.col("since"), F.col("until"))
    )
    joined = tombstones.join(F.broadcast(removed), told)
    return joined.groupBy(*_PLACE).agg(F.min_by("ended_by", "rank").alias("ended_by"))
