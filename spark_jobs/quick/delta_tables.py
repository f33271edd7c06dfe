"""The tables of a lake as their Delta logs describe them: one version of each, read without Java."""

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spark_jobs.errors import UserError
from spark_jobs.lake.layers import LAYERS
from spark_jobs.lake.location import absolute_uri, local_path
from spark_jobs.quick.column_types import ColumnType, OnlySparkError, from_delta, in_duckdb, quoted, text_in_duckdb

_READER_VERSION = 1


@dataclass(frozen=True)
class TableColumn:
    name: str
    type: ColumnType
    comment: str


@dataclass(frozen=True)
class DeltaFiles:
    """One version of a table: its columns and its files."""

    folder: Path
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
    """The tables of one lake on this machine."""

    def __init__(self, uri: str) -> None:
        root = local_path(absolute_uri(uri))
        if root is None:
            raise OnlySparkError("lakes in an object store")
        self.root = root
        self.names = sorted(
            f"{layer}.{log.parent.name}" for layer in LAYERS for log in (root / layer).glob("*/_delta_log")
        )
        # A folder that was prepared for the first run is an empty lake.
        if not self.names and not (root / "quality").is_dir():
            raise UserError(f"there is no lake at {uri}", "Create one with `lagoon run`, or name another with --lake")
        self._by_folded_name = {name.casefold(): name for name in self.names}
        self.open = functools.cache(self._open)

    def find(self, name: str) -> str | None:
        """The table of this name, whatever its case."""
        return self._by_folded_name.get(name.casefold())

    def _open(self, name: str) -> DeltaFiles:
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError

        folder = self.root / name.replace(".", "/")
        try:
            table = DeltaTable(str(folder))
            if table.protocol().min_reader_version > _READER_VERSION:
                raise OnlySparkError("tables with deletion vectors or renamed columns")
            files = tuple(sorted(map(_as_path, table.file_uris())))
            partitioned_by = tuple(table.metadata().partition_columns)
            fields: list[dict[str, Any]] = json.loads(table.schema().to_json())["fields"]
        except DeltaError as error:
            raise OnlySparkError("a table whose log it can't read") from error
        columns = tuple(
            TableColumn(field["name"], from_delta(field["type"]), field["metadata"].get("comment", ""))
            for field in fields
        )
        return DeltaFiles(folder, columns, partitioned_by, files)


def _as_path(uri: str) -> str:
    path = local_path(uri)
    assert path is not None
    return str(path)
