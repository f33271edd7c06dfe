"""The folder of a table on this machine: its columns, its partitions and the files of a slice."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast
from urllib.parse import unquote

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

import schemas
from spark_jobs.lake.location import local_path


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

    @property
    def columns_in_files(self) -> pa.Schema:
        """Partition columns are not stored in the files: the name of the folder holds their value."""
        return pa.schema([f.with_nullable(True) for f in self.columns if f.name not in self.partitioned_by])

    def any_exist(self, slices: Iterable[Sequence[object]]) -> bool:
        """Whether any of these slices has files, including files that Delta no longer uses. A slice is the values of
        the first partition columns."""
        return any(next(folder.iterdir(), None) for values in slices for folder in self._folders(values))

    def _folders(self, values: Sequence[object]) -> list[Path]:
        """Writers escape different characters in folder names, so names are compared unescaped."""
        folders = [Path(self.folder)]
        for name, value in zip(self.partitioned_by, values, strict=False):
            inner = (folder for outer in folders for folder in outer.glob(f"{name}=*"))
            folders = [folder for folder in inner if unquote(folder.name) == f"{name}={value}"]
        return folders


def files_of_table(table: str, uri: str) -> TableFiles | None:
    """The files of the table at `uri`, or None in an object store, which only Spark can reach."""
    folder, declared = local_path(uri), schemas.table(table)
    if folder is None:
        return None
    return TableFiles(
        table, str(folder), arrow_columns(declared), declared.partitioned_by, declared.columns_with_statistics
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
