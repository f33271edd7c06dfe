"""The columns of a declared table in Arrow, without Spark."""

import pyarrow as pa

import schemas

_TYPES = {
    "string": pa.string(),
    "bigint": pa.int64(),
    "int": pa.int32(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
}


def arrow_schema(table: schemas.Table) -> pa.Schema:
    """With the descriptions of the columns, as Delta's log keeps them."""
    return pa.schema(
        pa.field(column.name, _arrow_type(column.type), column.nullable, {"comment": column.description})
        for column in table.columns
    )


def _arrow_type(declared: str) -> pa.DataType:
    """The type of a column as `schemas/` writes it: a name, array<…>, or struct<name:type,…> of plain types."""
    if declared.startswith("array<"):
        return pa.list_(_arrow_type(declared.removeprefix("array<").removesuffix(">")))
    if declared.startswith("struct<"):
        fields = declared.removeprefix("struct<").removesuffix(">").split(",")
        return pa.struct([(name, _arrow_type(kind)) for name, _, kind in (field.partition(":") for field in fields)])
    return _TYPES[declared]
