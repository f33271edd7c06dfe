"""Tables of a few thousand rows at most, which are read and replaced as a whole: on this machine without Spark."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import schemas
from spark_jobs.errors import UserError
from spark_jobs.lake.lake_version import require_known_version
from spark_jobs.lake.location import absolute_uri, local_path
from spark_jobs.settings import Settings

Rows = Sequence[Mapping[str, Any]]


class SmallTables(Protocol):
    def read(self, table: str) -> list[dict[str, Any]]:
        """All rows; none if there is no table yet."""

    def replace(self, table: str, rows: Rows) -> None:
        """Replaces all rows in one commit. Fails if somebody else wrote the table since it was read."""


def open_small_tables(settings: Settings) -> SmallTables:
    folder = local_path(settings.lake)
    if folder is None:
        return SparkTables(settings)
    require_known_version(folder)
    return LocalTables(absolute_uri(settings.lake))


class LocalTables:
    def __init__(self, lake: str) -> None:
        self._lake = lake
        self._opened: dict[str, Any] = {}

    def read(self, table: str) -> list[dict[str, Any]]:
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError, TableNotFoundError

        try:
            opened = DeltaTable(self._path(table))
            self._opened[table] = opened
            return _read_files(opened)
        except TableNotFoundError:
            return []
        except DeltaError as error:
            raise UserError(
                f"{table} has a Delta log that is damaged or incomplete",
                f"Restore {self._path(table)} from a copy, or delete it: the next run starts without a history of alerts",
            ) from error

    def replace(self, table: str, rows: Rows) -> None:
        import pyarrow as pa
        from deltalake import DeltaTable, write_deltalake
        from deltalake.exceptions import CommitFailedError

        from spark_jobs.lake.arrow_types import arrow_schema

        declared = schemas.table(table)
        columns = arrow_schema(declared)
        if table not in self._opened:
            self._opened[table] = DeltaTable.create(
                self._path(table), schema=columns, mode="ignore", description=declared.description
            )
        try:
            # A table of an earlier version gets the columns of this one.
            write_deltalake(
                self._opened[table],
                pa.Table.from_pylist(list(rows), columns),
                mode="overwrite",
                schema_mode="overwrite",
            )
        except CommitFailedError as error:
            raise UserError(f"another process wrote {table} at the same time", "Run this again") from error

    def _path(self, table: str) -> str:
        return f"{self._lake}/{table.replace('.', '/')}"


class SparkTables:
    """For a lake in an object store, which only Spark can reach."""

    def __init__(self, settings: Settings) -> None:
        from spark_jobs.lake.catalog import open_to_write
        from spark_jobs.spark import session

        self._lake = open_to_write(session.start_spark(settings, small=True), settings.lake)

    def read(self, table: str) -> list[dict[str, Any]]:
        return [row.asDict(recursive=True) for row in self._lake.read(table).collect()]

    def replace(self, table: str, rows: Rows) -> None:
        frame = self._lake.spark.createDataFrame([dict(row) for row in rows], schemas.table(table).ddl).coalesce(1)
        frame.write.format("delta").mode("overwrite").save(self._lake.path(table))


def _read_files(opened: Any) -> list[dict[str, Any]]:
    """Without pyarrow, whose conversion of times imports pandas."""
    from deltalake import QueryBuilder

    rows = QueryBuilder().register("rows", opened).execute("select * from rows").read_all()
    columns = [rows.column(name).to_pylist() for name in rows.column_names]
    return [dict(zip(rows.column_names, values, strict=True)) for values in zip(*columns, strict=True)]
