"""Arrow's types for the types that `schemas/` declares, without Spark."""

import pyarrow as pa

import schemas

_SIMPLE = {
    "string": pa.string(),
    "bigint": pa.int64(),
    "int": pa.int32(),
    "smallint": pa.int16(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "binary": pa.binary(),
}


def columns_of(table: str) -> pa.Schema:
    declared = schemas.table(table)
    return pa.schema([pa.field(c.name, arrow_type(c.type), nullable=c.nullable) for c in declared.columns])


def arrow_type(declared: str) -> pa.DataType:
    kind, _, inside = declared.strip().removesuffix(" not null").partition("<")
    if not inside:
        return _SIMPLE[kind.strip()]
    parts = _split(inside[: inside.rindex(">")])
    if kind == "array":
        return pa.list_(arrow_type(parts[0]))
    if kind == "map":
        return pa.map_(*map(arrow_type, parts))
    return pa.struct([(name.strip(), arrow_type(of)) for name, _, of in (part.partition(":") for part in parts)])


def _split(text: str) -> list[str]:
    """At the commas that are in no brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "<") - (character == ">")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return parts
