"""Adds to each commit the generation in force and the owner of its partition, in the tasks that write the commits."""

import functools
from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame

from kafka_telemetry.offsets.ownership_timeline import CHANGE_COLUMNS, OwnershipTimeline
from kafka_telemetry.spill import Spill
from spark_jobs.lake.task_rows import ArrowTransform, TaskRows
from spark_jobs.silver.inputs.spilled_rows import tables_of


def spill_owner_changes(changes: DataFrame, spill: Spill) -> bytes:
    """`changes` are rows of silver.group_owners, of which there are few. Returns the reference of the spilled table."""
    return spill.write(changes.select(*CHANGE_COLUMNS).toArrow())


def with_owners(commits: TaskRows, changes: bytes, spill: Spill) -> TaskRows:
    return TaskRows(commits.source, functools.partial(_add_owners, commits.transform, changes, spill))


def _add_owners(
    transform: ArrowTransform, changes: bytes, spill: Spill, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.Table]:
    for commits in tables_of(transform(batches)):
        if len(commits):
            yield _timeline(changes, spill).with_ownership(commits)


# One worker runs many tasks, one after the other.
@functools.lru_cache(1)
def _timeline(changes: bytes, spill: Spill) -> OwnershipTimeline:
    return OwnershipTimeline(spill.read(changes))
