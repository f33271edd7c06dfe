"""Commits told of the generation in force and of who held their partition, while they are written."""

import functools
from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame

from kafka_telemetry.offsets.ownership_timeline import CHANGE_COLUMNS, OwnershipTimeline
from kafka_telemetry.spill import Spill
from spark_jobs.lake.task_rows import ArrowTransform, TaskRows


def laid_down(owners: DataFrame, spill: Spill) -> bytes:
    """`owners` are rows of silver.group_owners, of which there are few."""
    return spill.write(owners.select(*CHANGE_COLUMNS).toArrow())


def with_owners(commits: TaskRows, owners: bytes, spill: Spill) -> TaskRows:
    return TaskRows(commits.source, functools.partial(_told, commits.transform, owners, spill))


def _told(work: ArrowTransform, owners: bytes, spill: Spill, rows: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    for batch in work(rows):
        commits = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
        if len(commits):
            yield _owners(owners, spill).with_ownership(commits)


# A worker does many tasks, one after the other.
@functools.lru_cache(1)
def _owners(owners: bytes, spill: Spill) -> OwnershipTimeline:
    return OwnershipTimeline(spill.read(owners))
