"""The folder of a table: its columns, its partitions and the files of a slice."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import cast
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.fs as fs
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

import schemas
from spark_jobs.store.arrow_filesystem import arrow_filesystem
from spark_jobs.store.store_access import DEFAULT_ACCESS, StoreAccess


@dataclass(frozen=True)
class TableFiles:
    """What tasks must know to write and read the files of one table."""

    table: str
    folder: str
    # A column is nullable here exactly if the table says so.
    columns: pa.Schema
    partitioned_by: tuple[str, ...]
    # Delta's log keeps the smallest and largest value of these columns, so that readers can skip files.
    columns_with_statistics: tuple[str, ...]
    # How the folder is reached, if it is in an object store.
    access: StoreAccess = DEFAULT_ACCESS

    def open_folder(self) -> tuple[fs.FileSystem, str]:
        """The file system of the folder, and its path there."""
        return arrow_filesystem(self.folder, self.access)

    @property
    def columns_in_files(self) -> pa.Schema:
        """Partition columns are not stored in the files: the name of the folder holds their value."""
        return pa.schema([f.with_nullable(True) for f in self.columns if f.name not in self.partitioned_by])

    def any_exist(self, slices: Iterable[Sequence[object]]) -> bool:
        """Whether any of these slices has files, including files that Delta no longer uses. A slice is the values of
        the first partition columns."""
        filesystem, root = self.open_folder()
        return any(
            _entries(filesystem, folder) for values in slices for folder in self._folders(values, filesystem, root)
        )

    def _folders(self, values: Sequence[object], filesystem: fs.FileSystem, root: str) -> list[str]:
        """Writers escape different characters in folder names, so names are compared unescaped."""
        folders = [root]
        for name, value in zip(self.partitioned_by, values, strict=False):
            inner = (entry for folder in folders for entry in _entries(filesystem, folder))
            folders = [entry for entry in inner if unquote(PurePosixPath(entry).name) == f"{name}={value}"]
        return folders


def _entries(filesystem: fs.FileSystem, folder: str) -> list[str]:
    return [entry.path for entry in filesystem.get_file_info(fs.FileSelector(folder, allow_not_found=True))]


def files_of_table(table: str, uri: str, access: StoreAccess = DEFAULT_ACCESS) -> TableFiles:
    declared = schemas.table(table)
    return TableFiles(
        *(table, uri, arrow_columns(declared), declared.partitioned_by),
        *(declared.columns_with_statistics, access),
    )


def arrow_columns(table: schemas.Table) -> pa.Schema:
    types = to_arrow_schema(cast(StructType, StructType.fromDDL(schemas.arrow_ddl(table.name))))
    return pa.schema(field.with_nullable(column.nullable) for field, column in zip(types, table.columns, strict=True))


def with_columns_of(rows: pa.RecordBatch | pa.Table, columns: pa.Schema) -> pa.Table:
    """The rows with exactly these columns, in this order and of these types. Missing columns become null."""
    table = pa.Table.from_batches([rows]) if isinstance(rows, pa.RecordBatch) else rows
    for field in columns:
        if field.name not in table.column_names:
            table = table.append_column(field, pa.nulls(len(table), field.type))
    return table.select(columns.names).cast(pa.schema([field.with_nullable(True) for field in columns]))
