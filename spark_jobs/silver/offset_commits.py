"""silver.offset_commits: every offset commit once, in the order of the log, with the position before it."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

import schemas
from spark_jobs.silver.effective import EFFECTIVE
from spark_jobs.silver.one_log import one_log
from spark_jobs.silver.unplaced import found, placed

_KEY = ("cluster", "group_id", "topic", "partition_id")
# kafka-dump-log prints no commit time up to 3.7: what is left is when the record was written, some milliseconds later.
_TIMES = ("committed_at", "recorded_at")


def offered(
    records: DataFrame,
    later_markers: DataFrame,
    read_before: DataFrame,
    log_ends: DataFrame | None,
    partitions: DataFrame,
    unplaced: DataFrame | None = None,
) -> DataFrame:
    """The log with all that a reject rule asks of a commit: transactions resolved, holes counted, log ends beside it.

    `records` are bronze rows of the days to make, `later_markers` those of days after, `read_before` how far each log was
    read on the day before, `log_ends` what trustworthy reporters saw of the logs if any did, `partitions` how many
    partitions each cluster's offsets topic has on each day, `unplaced` copies of records without a position in the log.
    """
    log = one_log(records, later_markers, read_before)
    log = placed(log) if unplaced is None else found(log, unplaced)
    log = log.withColumn("committed_at", F.when(F.col("committed_offset").isNotNull(), F.coalesce(*_TIMES)))
    log = log.join(F.broadcast(partitions), ["cluster", "day"], "left")
    if log_ends is None:
        unknown = F.lit(None).cast("bigint")
        return log.withColumns({"log_end_before": unknown, "log_end_after": unknown})
    return _with_log_ends(log, log_ends)


def accepted(lawful: DataFrame, positions_before: DataFrame) -> DataFrame:
    """Lawful commits with the effective position before each: from these days, or from the state they start from."""
    before = positions_before.select(
        *_KEY,
        *("record_offset", "committed_offset", "committed_at"),
        F.lit("none").alias("transaction"),
        F.lit(0).cast("bigint").alias("holes"),
        F.col("complete").alias("whole"),
        F.lit(True).alias("is_state"),
    )
    rows = lawful.withColumns({"whole": F.col("record_offset").isNotNull(), "is_state": F.lit(False)})
    history = (
        Window.partitionBy(*_KEY)
        .orderBy(F.desc("is_state"), "place", F.desc(F.col("record_offset").isNotNull()), *in_time())
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    position = F.struct("committed_offset", "committed_at", "record_offset", "holes", "whole")
    previous = F.last(F.when(F.expr(EFFECTIVE), position), ignorenulls=True).over(history)
    with_previous = rows.unionByName(before, allowMissingColumns=True).withColumn("previous", previous)
    stands = F.col("previous.committed_offset").isNotNull()
    whole_between = F.coalesce(F.col("previous.holes") == F.col("holes"), F.lit(False))
    return (
        with_previous.where(~F.col("is_state"))
        .withColumns(
            {
                "previous_committed_offset": F.col("previous.committed_offset"),
                "previous_committed_at": F.when(stands, F.col("previous.committed_at")),
                "previous_record_offset": F.when(stands, F.col("previous.record_offset")),
                "after_tombstone": F.col("previous").isNotNull() & ~stands,
                "complete": F.when(stands, F.col("previous.whole") & F.col("whole") & whole_between),
            }
        )
        .select(*schemas.table("silver.offset_commits").column_names)
    )


def in_time() -> tuple[Column, Column]:
    """The order of copies that have no position in the log: by commit time, then by place in the file."""
    return F.coalesce("committed_at", "recorded_at"), F.col("source_position")


def _with_log_ends(log: DataFrame, log_ends: DataFrame) -> DataFrame:
    """Adds the log ends read nearest before and after the commit, an hour away at most."""
    of_partition = Window.partitionBy("cluster", "topic", "partition_id")
    so_far = of_partition.orderBy("at").rangeBetween(Window.unboundedPreceding, Window.currentRow)
    at = F.coalesce("committed_at", "recorded_at")
    an_hour = F.expr("interval 1 hour")
    seen = F.last("seen", ignorenulls=True).over(so_far)
    same_time = F.col("seen.before.sampled_at") == F.col("at")
    after = F.when(same_time, F.col("seen.before")).otherwise(F.col("seen.after"))
    return (
        log.withColumn("at", at)
        .unionByName(_in_pairs(log_ends), allowMissingColumns=True)
        .withColumns({"is_commit": F.col("seen").isNull(), "seen": seen})
        .where("is_commit")
        .withColumn("after", after)
        .withColumns(
            {
                "log_end_before": F.when(
                    F.col("seen.before.sampled_at") >= F.col("at") - an_hour, F.col("seen.before.log_end_offset")
                ),
                "log_end_after": F.when(
                    F.col("after.sampled_at") <= F.col("at") + an_hour, F.col("after.log_end_offset")
                ),
            }
        )
        .drop("at", "is_commit", "seen", "after")
    )


def _in_pairs(log_ends: DataFrame) -> DataFrame:
    """At the time of each log end that one and the next, and before all times the first: one pass then tells a commit
    what was seen on either side of it."""
    in_order = Window.partitionBy("cluster", "topic", "partition_id").orderBy("sampled_at")
    end = F.struct("sampled_at", "log_end_offset")
    numbered = log_ends.withColumns(
        {"end": end, "next": F.lead(end).over(in_order), "number": F.row_number().over(in_order)}
    )
    pair = F.struct(F.col("sampled_at").alias("at"), F.col("end").alias("before"), F.col("next").alias("after"))
    first = F.struct(
        F.lit(None).cast("timestamp").alias("at"),
        F.lit(None).cast("struct<sampled_at:timestamp,log_end_offset:bigint>").alias("before"),
        F.col("end").alias("after"),
    )
    pairs = F.when(F.col("number") == 1, F.array(first, pair)).otherwise(F.array(pair))
    return numbered.select("cluster", "topic", "partition_id", F.explode(pairs).alias("pair")).select(
        *("cluster", "topic", "partition_id", "pair.at"), F.struct("pair.before", "pair.after").alias("seen")
    )
