"""The declarations of the Spark tables. The YAML files in `schemas/tables` are dbt's sources too."""

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

_FOLDER = Path(__file__).parent / "tables"
# Delta's own default.
_COLUMNS_WITH_STATISTICS = 32


@dataclass(frozen=True)
class Column:
    name: str
    type: str
    nullable: bool
    description: str

    @property
    def ddl(self) -> str:
        return f"`{self.name}` {self.type}{'' if self.nullable else ' not null'}"


@dataclass(frozen=True)
class Table:
    name: str
    description: str
    columns: tuple[Column, ...]
    partitioned_by: tuple[str, ...]
    key: tuple[str, ...]
    properties: dict[str, str]

    @property
    def layer(self) -> str:
        return self.name.partition(".")[0]

    @property
    def ddl(self) -> str:
        return ", ".join(column.ddl for column in self.columns)

    @property
    def columns_with_statistics(self) -> tuple[str, ...]:
        """The columns whose smallest and largest value Delta's log keeps for each file."""
        named = self.properties.get("delta.dataSkippingStatsColumns")
        return tuple(named.split(",")) if named else tuple(self.column_names[:_COLUMNS_WITH_STATISTICS])

    @property
    def column_names(self) -> list[str]:
        return [column.name for column in self.columns]


@functools.cache
def tables() -> dict[str, Table]:
    """All Spark tables by name, such as `silver.offset_commits`."""
    return {
        f"{source['name']}.{table['name']}": _table(source["name"], table)
        for file in sorted(_FOLDER.glob("*.yml"))
        for source in yaml.safe_load(file.read_text("utf-8"))["sources"]
        for table in source["tables"]
    }


def table(name: str) -> Table:
    return tables()[name]


def arrow_ddl(name: str) -> str:
    """The columns of the Arrow batches that Python workers return to Spark: names and types only."""
    return ", ".join(f"`{column.name}` {column.type}" for column in table(name).columns)


def _table(layer: str, document: dict[str, Any]) -> Table:
    meta = document["config"]["meta"]
    return Table(
        name=f"{layer}.{document['name']}",
        description=" ".join(document["description"].split()),
        columns=tuple(_column(column) for column in document["columns"]),
        partitioned_by=tuple(meta.get("partitioned_by", ())),
        key=tuple(meta["key"]),
        properties={str(key): str(value) for key, value in meta.get("properties", {}).items()},
    )


def _column(document: dict[str, Any]) -> Column:
    declared = document["data_type"]
    kind = declared.removesuffix(" not null")
    return Column(document["name"], kind, kind == declared, " ".join(document["description"].split()))
