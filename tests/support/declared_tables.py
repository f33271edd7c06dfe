"""The public tables as their files declare them, without a lake."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import yaml

import schemas
from spark_jobs.quick.column_types import ColumnType
from spark_jobs.quick.delta_tables import TableColumn

_MODELS = Path(__file__).parents[2] / "dbt_project" / "models" / "gold"


@dataclass(frozen=True)
class DeclaredTable:
    columns: tuple[TableColumn, ...]


@dataclass(frozen=True)
class DeclaredTables:
    """Looks like the tables of a lake to whoever only asks for columns."""

    tables: dict[str, DeclaredTable] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        return sorted(self.tables)

    def find(self, name: str) -> str | None:
        return name if name in self.tables else None

    def open(self, name: str) -> DeclaredTable:
        return self.tables[name]


def declared_tables() -> DeclaredTables:
    tables = {
        name: [(column.name, column.type) for column in table.columns] for name, table in schemas.tables().items()
    }
    for file in sorted(_MODELS.glob("*.yml")):
        for model in yaml.safe_load(file.read_text("utf-8"))["models"]:
            tables[f"gold.{model['name']}"] = [(each["name"], each["data_type"]) for each in model["columns"]]
    return DeclaredTables(
        {
            name: DeclaredTable(tuple(TableColumn(column, parsed_type(of), "") for column, of in columns))
            for name, columns in tables.items()
        }
    )


def parsed_type(declared: str) -> ColumnType:
    """A type in Spark's DDL."""
    declared = declared.replace(" ", "").lower()
    if declared.startswith("array<"):
        return ("array", parsed_type(declared[6:-1]))
    if declared.startswith("map<"):
        key, value = _split(declared[4:-1])
        return ("map", parsed_type(key), parsed_type(value))
    if declared.startswith("struct<"):
        fields = [each.partition(":") for each in _split(declared[7:-1])]
        return ("struct", tuple((name, parsed_type(of)) for name, _, of in fields))
    return {"integer": "int", "smallint": "short", "tinyint": "byte", "long": "bigint"}.get(declared, declared)


def _split(fields: str) -> list[str]:
    parts, depth = [""], 0
    for char in re.findall(r".", fields):
        depth += (char == "<") - (char == ">")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts
