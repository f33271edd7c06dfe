"""The tables of a lake as their Delta logs describe them: one version of each, read without Java."""

import functools
import json
from dataclasses import dataclass
from typing import Any

from spark_jobs.errors import UserError
from spark_jobs.lake.lake_version import require_known_version
from spark_jobs.lake.layers import LAYERS
from spark_jobs.lake.location import absolute_uri, has_lake, local_path
from spark_jobs.quick.column_types import ColumnType, OnlySparkError, from_delta, in_duckdb, quoted, text_in_duckdb
from spark_jobs.store.delta_options import delta_options
from spark_jobs.store.object_folder import ObjectFolder
from spark_jobs.store.store_access import DEFAULT_ACCESS, StoreAccess, in_store
from spark_jobs.store.store_errors import store_errors

_READER_VERSION = 1
# How the names of files in an object store begin.
FILES_OF_STORE = "lagoonstore"


@dataclass(frozen=True)
class TableColumn:
    name: str
    type: ColumnType
    comment: str


@dataclass(frozen=True)
class DeltaFiles:
    """One version of a table: its columns and its files."""

    folder: str
    columns: tuple[TableColumn, ...]
    partitioned_by: tuple[str, ...]
    files: tuple[str, ...]

    def select(self) -> str:
        """A DuckDB query of its rows. Each column has the type of the log, and is null where a file does not hold it."""
        if not self.files:
            nulls = ", ".join(f"CAST(NULL AS {in_duckdb(each.type)}) AS {quoted(each.name)}" for each in self.columns)
            return f"SELECT {nulls} WHERE false"
        files = ", ".join(map(text_in_duckdb, self.files))
        types = {each.name: in_duckdb(each.type) for each in self.columns}
        hive = ", ".join(f"{text_in_duckdb(name)}: {types[name]}" for name in self.partitioned_by)
        options = f", hive_partitioning = true, hive_types = {{{hive}}}" if hive else ", hive_partitioning = false"
        # A row without values but with all columns: a column that no file holds yet is null.
        empty = ", ".join(f"CAST(NULL AS {types[name]}) AS {quoted(name)}" for name in types)
        return (
            f"SELECT {', '.join(map(quoted, types))} FROM (SELECT {empty} WHERE false) "
            f"UNION ALL BY NAME FROM read_parquet([{files}], union_by_name = true{options})"
        )


class DeltaTables:
    """The tables of one lake, on this machine or in an object store."""

    def __init__(self, uri: str, access: StoreAccess = DEFAULT_ACCESS) -> None:
        self.uri, self.access = absolute_uri(uri), access
        require_known_version(uri, access)
        self.names = sorted(_names_on_this_machine(self.uri) if not in_store(self.uri) else self._names_in_store())
        # A folder that was prepared for the first run is an empty lake.
        if not self.names and not has_lake(self.uri, access):
            raise UserError(f"there is no lake at {uri}", "Create one with `lagoon run`, or name another with --lake")
        self._by_folded_name = {name.casefold(): name for name in self.names}
        self.open = functools.cache(self._open)

    def find(self, name: str) -> str | None:
        """The table of this name, whatever its case."""
        return self._by_folded_name.get(name.casefold())

    def _names_in_store(self) -> list[str]:
        lake = ObjectFolder(self.uri, self.access)
        return [f"{layer}.{name}" for layer in LAYERS for name in lake.folders(f"{layer}/")]

    def _as_path(self, uri: str) -> str:
        """As DuckDB opens it: in a store by a file system of this process."""
        if in_store(self.uri):
            return f"{FILES_OF_STORE}://{uri.partition('://')[2]}"
        path = local_path(uri)
        assert path is not None
        return str(path)

    def _open(self, name: str) -> DeltaFiles:
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError

        folder = f"{self.uri}/{name.replace('.', '/')}"
        try:
            with store_errors(self.uri, self.access):
                table = DeltaTable(folder, storage_options=delta_options(self.uri, self.access))
            if table.protocol().min_reader_version > _READER_VERSION:
                raise OnlySparkError("tables with deletion vectors or renamed columns")
            files = tuple(sorted(map(self._as_path, table.file_uris())))
            partitioned_by = tuple(table.metadata().partition_columns)
            fields: list[dict[str, Any]] = json.loads(table.schema().to_json())["fields"]
        except DeltaError as error:
            raise OnlySparkError("a table whose log it can't read") from error
        columns = tuple(
            TableColumn(field["name"], from_delta(field["type"]), field["metadata"].get("comment", ""))
            for field in fields
        )
        return DeltaFiles(folder, columns, partitioned_by, files)


def _names_on_this_machine(uri: str) -> list[str]:
    root = local_path(uri)
    assert root is not None
    return [f"{layer}.{log.parent.name}" for layer in LAYERS for log in (root / layer).glob("*/_delta_log")]
