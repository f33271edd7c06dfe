"""Commits told of the generation in force and of who held their partition, while they are written."""

import functools
from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame

from kafka_telemetry.offsets.ownership_timeline import ASKED, Owners
from kafka_telemetry.spill import Shelf
from spark_jobs.lake.tables import TaskRows, Work


def laid_down(owners: DataFrame, shelf: Shelf) -> bytes:
    """`owners` are rows of silver.group_owners, of which there are few."""
    return shelf.put(owners.select(*ASKED).toArrow())


def with_owners(commits: TaskRows, owners: bytes, shelf: Shelf) -> TaskRows:
    return TaskRows(commits.rows, functools.partial(_told, commits.work, owners, shelf))


def _told(work: Work, owners: bytes, shelf: Shelf, rows: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    for batch in work(rows):
        commits = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
        if len(commits):
            yield _owners(owners, shelf).told(commits)


# A worker does many tasks, one after the other.
@functools.lru_cache(1)
def _owners(owners: bytes, shelf: Shelf) -> Owners:
    return Owners(shelf.take(owners))
