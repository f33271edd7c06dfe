"""Types of columns and expressions as Spark names them, and what DuckDB calls them.

A type is a name, such as `int`, or a tuple: ("array", element), ("map", key, value), ("struct", ((name, type), …)).
"""

import json
from typing import Any, TypeAlias

ColumnType: TypeAlias = str | tuple[Any, ...]

_DUCKDB_NAMES = {
    "boolean": "BOOLEAN",
    "byte": "TINYINT",
    "short": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "VARCHAR",
    "binary": "BLOB",
    "date": "DATE",
    "timestamp": "TIMESTAMPTZ",
}
_DELTA_NAMES = {"integer": "int", "long": "bigint"}
_SPARK_NAMES = {"byte": "tinyint", "short": "smallint"}
INTEGERS = ("byte", "short", "int", "bigint")
# A literal such as 0.5. Spark's decimals have digits of their own, so it only counts where it becomes a double.
DECIMAL_LITERAL = "decimal literal"


class OnlySparkError(Exception):
    """The quick engine can't run this part of a query, or could answer it differently from Spark. The message names it."""


def from_delta(delta_type: Any) -> ColumnType:
    """The type of a column in a Delta log."""
    if isinstance(delta_type, str):
        name = _DELTA_NAMES.get(delta_type, delta_type)
        if name not in _DUCKDB_NAMES:
            raise OnlySparkError(f"columns of type {name}")
        return name
    match delta_type["type"]:
        case "array":
            return ("array", from_delta(delta_type["elementType"]))
        case "map":
            return ("map", from_delta(delta_type["keyType"]), from_delta(delta_type["valueType"]))
        case "struct":
            return ("struct", tuple((field["name"], from_delta(field["type"])) for field in delta_type["fields"]))
    raise OnlySparkError(f"columns of type {json.dumps(delta_type)}")


def in_duckdb(column_type: ColumnType) -> str:
    match column_type:
        case str():
            if column_type == "null":
                return "INTEGER"
            return _DUCKDB_NAMES[column_type]
        case ("array", element):
            return f"{in_duckdb(element)}[]"
        case ("map", key, value):
            return f"MAP({in_duckdb(key)}, {in_duckdb(value)})"
        case ("struct", fields):
            return f"STRUCT({', '.join(f'{quoted(name)} {in_duckdb(of)}' for name, of in fields)})"
    raise OnlySparkError(f"columns of type {column_type}")


def in_spark(column_type: ColumnType) -> str:
    """The name that `describe` prints."""
    match column_type:
        case str():
            return _SPARK_NAMES.get(column_type, column_type)
        case ("array", element):
            return f"array<{in_spark(element)}>"
        case ("map", key, value):
            return f"map<{in_spark(key)},{in_spark(value)}>"
        case ("struct", fields):
            return f"struct<{','.join(f'{name}:{in_spark(of)}' for name, of in fields)}>"
    raise OnlySparkError(f"columns of type {column_type}")


def is_numeric(column_type: ColumnType) -> bool:
    return column_type in INTEGERS or column_type in ("double", DECIMAL_LITERAL)


def common(*types: ColumnType) -> ColumnType:
    """The type that Spark gives to a value that is one of several."""
    known = list(dict.fromkeys(each for each in types if each != "null"))
    if not known:
        return "null"
    if len(known) == 1 and known[0] != DECIMAL_LITERAL:
        return known[0]
    if all(each in INTEGERS for each in known):
        return max(known, key=lambda each: INTEGERS.index(str(each)))
    if "double" in known and all(is_numeric(each) for each in known):
        return "double"
    if set(known) == {"date", "timestamp"}:
        return "timestamp"
    raise OnlySparkError(f"values of the types {' and '.join(map(str, known))} together")


def quoted(name: str) -> str:
    """A name as DuckDB writes it."""
    _refuse_nul(name)
    return '"' + name.replace('"', '""') + '"'


def text_in_duckdb(text: str) -> str:
    _refuse_nul(text)
    return "'" + text.replace("'", "''") + "'"


def _refuse_nul(text: str) -> None:
    if "\0" in text:
        raise OnlySparkError("NUL characters")
