"""Why positions were deleted: a tombstone does not say, but the broker logs what it removes."""

import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_telemetry.spill import RowFilter
from spark_jobs.silver.inputs.spilled_rows import SpilledRows

TOMBSTONE = RowFilter((pc.field("kind") == "commit") & pc.coalesce(pc.field("tombstone"), False), ("kind", "tombstone"))

_PLACE = ("cluster", "offsets_partition", "record_offset")
# Events of the broker's log, and the reason that each stands for. Where several match a tombstone the first of this list
# counts: an event that names the group before one that names none.
_REASON_OF_EVENT = {
    "group_deleted": "deleted",
    "offsets_deleted": "deleted",
    "partitions_gone": "topic_deleted",
    "offsets_expired": "expired",
}
_EVENT_COLUMNS = ("cluster", "group_id", "side", "event", "happened_at", "details")
_IS_REMOVAL = RowFilter((pc.field("side") == "broker") & pc.field("event").isin([*_REASON_OF_EVENT]), ("side", "event"))
# A tombstone is written shortly before the line, or shortly after it.
_TOLERANCE = "interval 1 second"


def with_deletion_reasons(commits: DataFrame, log: SpilledRows, events: SpilledRows | None) -> DataFrame:
    """Adds `ended_by` to tombstones that the brokers' logs explain; null elsewhere."""
    if events is not None:
        removed = removals(events.rows(*_EVENT_COLUMNS, where=_IS_REMOVAL)).localCheckpoint()
        if not removed.isEmpty():
            tombstones = log.rows(*_PLACE, "group_id", "topic", "recorded_at", where=TOMBSTONE)
            return commits.join(F.broadcast(deletion_reasons(tombstones, removed)), [*_PLACE], "left")
    return commits.withColumn("ended_by", F.lit(None).cast("string"))


def removals(events: DataFrame) -> DataFrame:
    """One row per event of a broker that removed positions: from when to when, of which groups and topics, and why."""
    duration = F.coalesce(F.expr("try_cast(details['duration_ms'] as bigint)"), F.lit(0))
    started_at = F.timestamp_millis(F.unix_millis("happened_at") - duration)
    reason = F.create_map(*(F.lit(text) for pair in _REASON_OF_EVENT.items() for text in pair))
    return (
        events.where((F.col("side") == "broker") & F.col("event").isin(*_REASON_OF_EVENT))
        .where(F.col("happened_at").isNotNull())
        .select(
            F.col("cluster").alias("of_cluster"),
            F.col("group_id").alias("of_group"),
            F.expr("details['deleted_groups']").alias("of_groups"),
            F.expr("coalesce(details['deleted_partitions'], details['deleted_topics'])").alias("of_topics"),
            (started_at - F.expr(_TOLERANCE)).alias("since"),
            (F.col("happened_at") + F.expr(_TOLERANCE)).alias("until"),
            F.array_position(F.array(*map(F.lit, _REASON_OF_EVENT)), F.col("event")).alias("rank"),
            reason[F.col("event")].alias("ended_by"),
        )
    )


def deletion_reasons(tombstones: DataFrame, removed: DataFrame) -> DataFrame:
    """One row per tombstone that a removal explains: its place in the log, and the reason."""
    explains = (
        (F.col("cluster") == F.col("of_cluster"))
        & F.coalesce(F.col("group_id") == F.col("of_group"), F.lit(True))
        & F.coalesce(F.contains(F.col("of_groups"), F.col("group_id")), F.lit(True))
        & F.coalesce(F.contains(F.col("of_topics"), F.col("topic")), F.lit(True))
        & F.col("recorded_at").between(F.col("since"), F.col("until"))
    )
    joined = tombstones.join(F.broadcast(removed), explains)
    return joined.groupBy(*_PLACE).agg(F.min_by("ended_by", "rank").alias("ended_by"))
