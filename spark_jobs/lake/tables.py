"""The lake: reads and writes its tables, a slice at a time."""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

import schemas
from spark_jobs.lake.delta_commits import SliceReplacement, append_files, current_files
from spark_jobs.lake.file_reader import read_parts, split_into_parts
from spark_jobs.lake.file_writer import WRITTEN_FILES, write_files
from spark_jobs.lake.ledger_clock import LedgerClock
from spark_jobs.lake.table_files import TableFiles, files_of_table
from spark_jobs.lake.task_rows import ArrowTransform, TaskRows, empty_frame
from spark_jobs.lake.write_lock import without_lock
from spark_jobs.store.store_access import DEFAULT_ACCESS, StoreAccess


@dataclass(frozen=True)
class Lake:
    spark: SparkSession
    uri: str
    # How the tasks reach its files, if they are in an object store.
    access: StoreAccess = DEFAULT_ACCESS
    # Raises UserError if this process has lost the lock under which it writes.
    require_lock: Callable[[], None] = field(default=without_lock, compare=False)
    clock: LedgerClock = field(default_factory=LedgerClock, compare=False)

    def path(self, table: str) -> str:
        return f"{self.uri}/{table.replace('.', '/')}"

    def read(self, table: str) -> DataFrame:
        return self.spark.read.format("delta").load(self.path(table))

    def read_nothing(self, table: str) -> DataFrame:
        """A DataFrame with the columns of the table and no rows."""
        return empty_frame(self.spark, cast(StructType, StructType.fromDDL(schemas.arrow_ddl(table))))

    def read_in_tasks(self, table: str, columns: Sequence[str], where: str, row_filter: pc.Expression) -> TaskRows:
        """Rows for tasks that work on Arrow. `where` selects a slice by partition columns, `row_filter` rows in it."""
        files = self._files(table)
        parts = split_into_parts(current_files(self.spark, self.path(table), where))
        tasks = self.spark.range(0, len(parts), numPartitions=max(1, len(parts)))
        return TaskRows(
            tasks,
            functools.partial(read_parts, parts=parts, files=files, columns=list(columns), row_filter=row_filter),
        )

    def may_contain(self, table: str, slices: Iterable[Sequence[object]]) -> bool:
        """Whether any of the slices may have rows: false if none has a file on disk, which is faster to find out than
        to read Delta's log. A slice is the values of the first partition columns."""
        layer, _, name = table.partition(".")
        if layer == "gold":
            # Declared in dbt_project/.
            return TableFiles(name, self.path(table), pa.schema([]), ("day",), (), self.access).any_exist(slices)
        return self._files(table).any_exist(slices)

    def replace(self, table: str, rows: DataFrame, where: str) -> int:
        """Replaces a slice by these rows in one commit: readers see the old slice or the new one. `where` selects the
        slice by partition columns. Returns the number of rows."""
        return self.replace_by_tasks(table, [TaskRows(rows.select(*schemas.table(table).column_names))], where)

    def replace_by_tasks(self, table: str, inputs: Sequence[TaskRows], where: str) -> int:
        """As replace, with rows that tasks produce and write to files themselves."""
        files = self._files(table)
        replacement = SliceReplacement(self.spark, self.path(table), where)
        written = [
            file
            for rows in inputs
            for file in rows.source.mapInArrow(
                functools.partial(_transform_to_files, rows.transform, files), WRITTEN_FILES
            ).collect()
        ]
        self.require_lock()
        replacement.commit([file.file for file in written])
        return sum(file.rows for file in written)

    def append(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Appends a few rows, each a mapping from column names to values."""
        files = self._files(table)
        written = write_files([pa.Table.from_pylist(list(rows), files.columns)], files)
        self.require_lock()
        append_files(self.spark, self.path(table), [file for batch in written for file in batch["file"].to_pylist()])

    def _files(self, table: str) -> TableFiles:
        return files_of_table(table, self.path(table), self.access)


def _transform_to_files(
    transform: ArrowTransform, files: TableFiles, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    return write_files(transform(batches), files)
