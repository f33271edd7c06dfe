"""silver.offset_commits: every offset commit once, in log order, with the position before it and the owner of its partition.

How a commit becomes a row:
1. The merged log holds it once, with its transaction, the position before it and the log ends around it
   (inputs/merged_log.py).
2. The rules reject invalid commits (pipeline/validate.py).
3. Where the position before it can't be known in one pass, it is recomputed (inputs/previous_positions.py).
4. A tombstone gets the reason that the broker logged (inputs/deletion_reasons.py).
5. The generation in force, the owner of the partition and its commit interval are added while files are written
   (inputs/commit_owners.py, inputs/auto_commit_intervals.py).
"""

import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import schemas
from kafka_telemetry.offsets.auto_commits import AutoCommits
from kafka_telemetry.offsets.ownership_timeline import OWNERSHIP_COLUMNS
from kafka_telemetry.spill import RowFilter
from spark_jobs.lake.task_rows import TaskRows
from spark_jobs.silver.inputs import previous_positions
from spark_jobs.silver.inputs.auto_commit_intervals import collect_auto_commits, with_auto_commits
from spark_jobs.silver.inputs.bronze_kinds import COMMIT_KINDS
from spark_jobs.silver.inputs.commit_owners import spill_owner_changes, with_owners
from spark_jobs.silver.inputs.console_copies import has_recorded_time
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.inputs.deletion_reasons import TOMBSTONE, with_deletion_reasons
from spark_jobs.silver.inputs.effective_commits import POSITION_KEY
from spark_jobs.silver.inputs.last_commits import with_reached_by_reader
from spark_jobs.silver.inputs.owner_changes import owner_changes
from spark_jobs.silver.silver_table import SilverTable

_NAME = "silver.offset_commits"
_WITHOUT_PARTITION = RowFilter(
    pc.field("group_id").is_null() | pc.field("topic").is_null() | pc.field("partition_id").is_null(), POSITION_KEY
)


def build(inputs: DayInputs) -> list[TaskRows]:
    keys = inputs.keys_to_recompute()
    # Most commits go from the merged log to files as they are. The others pass through Spark: tombstones, commits that may
    # be rejected, and those whose previous position is recomputed.
    through_spark = TOMBSTONE.or_(_WITHOUT_PARTITION)
    if keys is not None:
        through_spark = through_spark.or_(previous_positions.has_key(keys))
    unchanged = inputs.commits.only(through_spark.negated()).task_rows(schemas.table(_NAME).column_names)
    valid = inputs.valid(_NAME, where=through_spark)
    events = inputs.events if inputs.bronze.has(("event",)) else None
    completed = with_previous_positions(with_deletion_reasons(valid, inputs.log, events), inputs.positions_before, keys)
    changes = spill_owner_changes(owner_changes(inputs), inputs.spill)
    auto_commits = collect_auto_commits(inputs.configs) if inputs.bronze.has(("config",)) else AutoCommits({})
    return [
        with_auto_commits(with_owners(rows, changes, inputs.spill), auto_commits)
        for rows in (unchanged, TaskRows(completed))
    ]


def with_previous_positions(valid: DataFrame, positions_before: DataFrame, keys: DataFrame | None) -> DataFrame:
    """Valid commits with the columns of the table, except those of owners; previous positions of `keys` are recomputed."""
    added_later = (*OWNERSHIP_COLUMNS, "auto_commit_interval_ms")
    columns = [name for name in schemas.table(_NAME).column_names if name not in added_later]
    if keys is None:
        return valid.select(*columns)
    of_keys = F.broadcast(keys)
    recomputed = previous_positions.recompute(
        valid.join(of_keys, [*POSITION_KEY], "left_semi"), positions_before.join(of_keys, [*POSITION_KEY], "left_semi")
    )
    # A time that was only derived, to order tombstones that a console consumer printed, is not stored.
    recomputed = recomputed.withColumn("recorded_at", F.when(has_recorded_time(), F.col("recorded_at")))
    others = valid.join(of_keys, [*POSITION_KEY], "left_anti")
    return others.select(*columns).unionByName(recomputed.select(*columns))


TABLE = SilverTable(
    name=_NAME,
    build=build,
    bronze_kinds=COMMIT_KINDS,
    parsed=lambda inputs: inputs.commits,
    judged_with=with_reached_by_reader,
    accepted_columns=previous_positions.COLUMNS,
    tallies={previous_positions.UNKNOWN_TALLY: "count_if(not coalesce(previous_is_known, false))"},
    tally_columns=("previous_is_known",),
    takes_long=True,
)
