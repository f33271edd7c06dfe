"""Tables of a few thousand rows at most, which are read and replaced as a whole, without Spark."""

from collections.abc import Mapping, Sequence
from typing import Any

import schemas
from spark_jobs.errors import UserError
from spark_jobs.lake.lake_version import require_known_version
from spark_jobs.lake.location import absolute_uri
from spark_jobs.settings import Settings
from spark_jobs.store.delta_options import delta_options

Rows = Sequence[Mapping[str, Any]]


def open_small_tables(settings: Settings) -> "SmallTables":
    require_known_version(settings.lake, settings.store)
    return SmallTables(absolute_uri(settings.lake), delta_options(settings.lake, settings.store))


class SmallTables:
    def __init__(self, lake: str, options: Mapping[str, str]) -> None:
        """`options` are those with which the deltalake package reaches the lake."""
        self._lake = lake
        self._options = dict(options)
        self._opened: dict[str, Any] = {}

    def read(self, table: str) -> list[dict[str, Any]]:
        """All rows; none if there is no table yet."""
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError, TableNotFoundError

        try:
            opened = DeltaTable(self._path(table), storage_options=self._options)
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
        """Replaces all rows in one commit. Fails if somebody else wrote the table since it was read."""
        import pyarrow as pa
        from deltalake import DeltaTable, write_deltalake
        from deltalake.exceptions import CommitFailedError

        from spark_jobs.lake.arrow_types import arrow_schema

        declared = schemas.table(table)
        columns = arrow_schema(declared)
        if table not in self._opened:
            self._opened[table] = DeltaTable.create(
                self._path(table),
                schema=columns,
                mode="ignore",
                description=declared.description,
                storage_options=self._options,
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


def _read_files(opened: Any) -> list[dict[str, Any]]:
    """Without pyarrow, whose conversion of times imports pandas."""
    from deltalake import QueryBuilder

    rows = QueryBuilder().register("rows", opened).execute("select * from rows").read_all()
    columns = [rows.column(name).to_pylist() for name in rows.column_names]
    return [dict(zip(rows.column_names, values, strict=True)) for values in zip(*columns, strict=True)]
