"""The effective position before each commit: `previous_committed_offset` and the columns beside it.

Two ways, with equal results wherever the quick one applies:

- **Quick path**: in the pass that merges a log (kafka_telemetry/offsets/position_tracker.py) every commit gets the position
  before it, as if all commits were valid. Nothing is sorted or joined; nearly all commits of a normal day go this way.
- **Fallback**: `recompute`, a window in SQL over all commits of a key. It applies to the keys of `keys_to_recompute`, where
  the assumption of the quick path fails: a commit of the key was rejected; has no place in the log (printed by a console
  consumer, now or in the position that the days start from); or was read behind a transaction that was decided later
  (`previous_is_known` is false).
"""

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from kafka_telemetry.spill import RowFilter
from spark_jobs.silver.inputs.effective_commits import EFFECTIVE, POSITION_KEY

# The name under which offset_commits.py counts commits whose previous position the quick path could not know.
UNKNOWN_TALLY = "previous_unknown"

COLUMNS = (
    "previous_committed_offset",
    "previous_committed_at",
    "previous_record_offset",
    "after_tombstone",
    "complete",
)
_SEPARATOR = "\x1f"


def keys_to_recompute(commits: DataFrame | None, positions_before: DataFrame) -> DataFrame | None:
    """The keys for which the quick path does not hold; null if there are none.

    `commits` are the judged commits, or null if all of them are valid and have a known previous position.
    """
    has_place = F.col("record_offset").isNotNull() & F.col("offsets_partition").isNotNull()
    keys = positions_before.where(~has_place).select(*POSITION_KEY)
    if commits is not None:
        unknown = (F.size("rules") > 0) | ~F.coalesce("previous_is_known", F.lit(False))
        keys = keys.unionByName(commits.where(unknown).select(*POSITION_KEY))
    found = keys.distinct().toArrow()
    return keys.sparkSession.createDataFrame(found, keys.schema) if len(found) else None


def has_key(keys: DataFrame) -> RowFilter:
    """A filter for rows of these keys."""
    partition = pc.field("partition_id").cast(pa.string())
    key = pc.binary_join_element_wise(
        pc.field("cluster"), pc.field("group_id"), pc.field("topic"), partition, _SEPARATOR
    )
    known = keys.where(" and ".join(f"{name} is not null" for name in POSITION_KEY)).toArrow()
    joined = pc.binary_join_element_wise(*(known[name].cast(pa.string()) for name in POSITION_KEY), _SEPARATOR)
    return RowFilter(pc.coalesce(key.isin(joined.combine_chunks()), False), POSITION_KEY)


def recompute(commits: DataFrame, positions_before: DataFrame) -> DataFrame:
    """The fallback. `commits` are all valid commits of some keys, `positions_before` the positions they start from."""
    before = positions_before.select(
        *POSITION_KEY,
        *("record_offset", "committed_offset", "committed_at"),
        F.lit("none").alias("transaction"),
        F.lit(0).cast("bigint").alias("holes"),
        F.col("complete").alias("whole"),
        F.lit(True).alias("is_state"),
    )
    rows = commits.withColumns({"whole": F.col("record_offset").isNotNull(), "is_state": F.lit(False)})
    earlier = (
        Window.partitionBy(*POSITION_KEY)
        .orderBy(F.desc("is_state"), "place", F.desc(F.col("record_offset").isNotNull()), *_in_time())
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    position = F.struct("committed_offset", "committed_at", "record_offset", "holes", "whole")
    previous = F.last(F.when(F.expr(EFFECTIVE), position), ignorenulls=True).over(earlier)
    with_previous = rows.unionByName(before, allowMissingColumns=True).withColumn("previous", previous)
    exists = F.col("previous.committed_offset").isNotNull()
    whole_between = F.coalesce(F.col("previous.holes") == F.col("holes"), F.lit(False))
    return with_previous.where(~F.col("is_state")).withColumns(
        {
            "previous_committed_offset": F.col("previous.committed_offset"),
            "previous_committed_at": F.when(exists, F.col("previous.committed_at")),
            "previous_record_offset": F.when(exists, F.col("previous.record_offset")),
            "after_tombstone": F.col("previous").isNotNull() & ~exists,
            "complete": F.when(exists, F.col("previous.whole") & F.col("whole") & whole_between),
        }
    )


def _in_time() -> tuple[Column, Column]:
    """The order of commits that have no place in the log: by commit time, then by place in the file."""
    return F.coalesce("committed_at", "recorded_at"), F.col("source_position")
