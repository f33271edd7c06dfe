"""The columns of a table that an earlier version of Lagoon created, brought to what is declared now: new columns and fields are
added, descriptions corrected, `not null` dropped. Rows stay as they are; what is new is null in them.
"""

import json
from collections.abc import Mapping
from typing import Any, cast

from pyspark.sql.types import ArrayType, DataType, MapType, StructType

import schemas
from spark_jobs.errors import UserError
from spark_jobs.lake.delta_commits import MetadataChange
from spark_jobs.lake.tables import Lake


def grow_columns(lake: Lake, table: schemas.Table) -> None:
    """One commit, or none if nothing has changed."""
    change = MetadataChange(lake.spark, lake.path(table.name))
    columns = json.loads(change.metadata["schemaString"])["fields"]
    change.commit(
        {
            "schemaString": json.dumps({"type": "struct", "fields": _grown(lake, table, columns)}),
            "description": table.description,
            "configuration": {**change.metadata["configuration"], **table.properties},
        }
    )


def change_descriptions(lake: Lake, table: str, description: str, columns: Mapping[str, str]) -> None:
    """Of a table and of those of its columns that are named; other columns keep theirs."""
    change = MetadataChange(lake.spark, lake.path(table))
    schema = json.loads(change.metadata["schemaString"])
    for field in schema["fields"]:
        if field["name"] in columns:
            field["metadata"] = {**field["metadata"], "comment": columns[field["name"]]}
    change.commit({"schemaString": json.dumps(schema), "description": description})


def _grown(lake: Lake, table: schemas.Table, columns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The declared columns in their order, then those that are declared no more."""
    existing = {field["name"]: field for field in columns}
    types = cast(StructType, StructType.fromDDL(schemas.arrow_ddl(table.name)))
    grown = []
    for column, declared in zip(table.columns, types, strict=True):
        before = existing.pop(column.name, None)
        kind, nullable = declared.dataType.jsonValue(), True
        if before is not None:
            nullable = column.nullable or before["nullable"]
            type_before = StructType.fromJson({"fields": [before]})[0].dataType
            if type_before.simpleString() == declared.dataType.simpleString():
                kind = before["type"]
            elif not _contains(declared.dataType, type_before):
                raise _other_type(lake, table.name, column.name, type_before, declared.dataType)
        grown.append(
            {
                "name": column.name,
                "type": kind,
                "nullable": nullable,
                "metadata": {**(before or {}).get("metadata", {}), "comment": column.description},
            }
        )
    return grown + [{**field, "nullable": True} for field in existing.values()]


def _contains(declared: DataType, before: DataType) -> bool:
    """Whether values of the type of before are values of the declared one, with null for the fields that are new in it."""
    match declared, before:
        case StructType(), StructType():
            fields = {field.name: field.dataType for field in declared}
            return all(field.name in fields and _contains(fields[field.name], field.dataType) for field in before)
        case ArrayType(), ArrayType():
            return _contains(declared.elementType, before.elementType)
        case MapType(), MapType():
            return declared.keyType == before.keyType and _contains(declared.valueType, before.valueType)
    return declared == before


def _other_type(lake: Lake, table: str, column: str, before: DataType, declared: DataType) -> UserError:
    return UserError(
        f"{table} has a column {column} of the type {before.simpleString()}, and this version of Lagoon writes "
        f"{declared.simpleString()}",
        f"Restore {lake.path(table)} from a copy, or delete it and run `lagoon run --from FIRST_DAY --to LAST_DAY` with the "
        "first and the last day of delivery",
    )
