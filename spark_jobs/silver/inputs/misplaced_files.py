"""Files of `__consumer_offsets` that lie in the folder of another partition.

Their records are no part of that partition's log: they are kept out of it, and the rules reject them.
"""

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_jobs.lake.table_files import with_columns_of
from spark_jobs.lake.task_rows import ArrowTransform

# Most groups of the file belong to another partition. One that does is an invalid record, and no reason to move the file.
_SHARE_NEEDED = 0.5


class MisplacedFile(NamedTuple):
    cluster: str
    source_file: str
    # The partition of its folder, and those that its groups belong to.
    folder: int
    right: tuple[int, ...]
    # The number of partitions of `__consumer_offsets`.
    offsets_partitions: int


def find_misplaced_files(commits: DataFrame, days: DataFrame) -> list[MisplacedFile]:
    """`commits` are parsed offset commits; `days` (cluster, day) have the number of partitions, if it is known."""
    right = F.col("group_hash") % F.col("offsets_partitions")
    is_elsewhere = right != F.col("offsets_partition")
    by_file = (
        commits.join(F.broadcast(days), ["cluster", "day"])
        .where("group_hash is not null and offsets_partition is not null and offsets_partitions is not null")
        .groupBy("cluster", "source_file", "offsets_partition")
        .agg(
            F.count_distinct("group_hash").alias("groups"),
            F.count_distinct(F.when(is_elsewhere, F.col("group_hash"))).alias("elsewhere"),
            F.sort_array(F.collect_set(F.when(is_elsewhere, right))).alias("right"),
            F.max("offsets_partitions").alias("offsets_partitions"),
        )
    )
    return sorted(
        MisplacedFile(row.cluster, row.source_file, row.offsets_partition, tuple(row.right), row.offsets_partitions)
        for row in by_file.where(F.col("elsewhere") > _SHARE_NEEDED * F.col("groups")).collect()
    )


def apart_from_logs(transform: ArrowTransform, files: Sequence[MisplacedFile]) -> ArrowTransform:
    """Moves the records of these files to logs of their own. Their partition is counted down from -1 until `with_partitions`
    brings it back."""
    return functools.partial(_apart, transform, frozenset(file.source_file for file in files)) if files else transform


def _apart(
    transform: ArrowTransform, files: frozenset[str], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch | pa.Table]:
    misplaced = pa.array(sorted(files))
    for rows in transform(batches):
        is_misplaced = pc.is_in(rows["source_file"], misplaced)
        partition = pc.if_else(is_misplaced, pc.subtract(-1, rows["offsets_partition"]), rows["offsets_partition"])
        yield with_columns_of(_replaced(rows, "offsets_partition", partition.cast(pa.int32())), rows.schema)


def with_partitions(rows: pa.Table) -> pa.Table:
    """The rows of one merged log. Of a misplaced one no group record counts, and none is the last that was read of a day."""
    partition = rows["offsets_partition"]
    if not len(rows) or (partition[0].as_py() or 0) >= 0:
        return rows
    nothing = pa.array([False] * len(rows))
    rows = _replaced(rows, "offsets_partition", pc.subtract(-1, partition).cast(pa.int32()))
    rows = _replaced(rows, "furthest", nothing)
    return _replaced(rows, "contradicted", pc.or_(rows["contradicted"], pc.equal(rows["kind"], "group")))


def _replaced(rows: pa.RecordBatch | pa.Table, name: str, values: pa.Array | pa.ChunkedArray) -> pa.Table:
    table = pa.Table.from_batches([rows]) if isinstance(rows, pa.RecordBatch) else rows
    return table.set_column(table.column_names.index(name), name, values)
