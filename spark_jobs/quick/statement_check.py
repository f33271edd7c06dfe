"""Judges a statement once more as DuckDB parses it: only views of the lake and listed functions, whatever the text says."""

import json
import re
from collections.abc import Collection, Iterator
from typing import Any

import duckdb

from spark_jobs.quick.column_types import OnlySparkError

# The writer numbers CTEs.
_WRITTEN_CTE = re.compile(r"cte\d+")
# Macros of closed_database.py.
_MACROS = ("divided", "element", "only_ascii", "contained", "joined", "rounded_")
_MOST_MACROS_DEEP = 4
_OTHER_RELATIONS = frozenset(("TABLE_FUNCTION", "SHOW_REF", "PIVOT", "COLUMN_DATA", "DELIM_GET", "BOUND_TABLE_REF"))
# Operators are functions too.
FUNCTIONS = frozenset(
    [
        "+",
        "-",
        "*",
        "/",
        "//",
        "%",
        "||",
        "~~",
        "~~*",
        "!~~",
        "!~~*",
        "abs",
        "arg_max_null",
        "arg_min_null",
        "avg",
        "bool_and",
        "bool_or",
        "cardinality",
        "ceil",
        "coalesce",
        "contained",
        "contains",
        "count",
        "count_star",
        "date_diff",
        "date_part",
        "date_sub",
        "date_trunc",
        "dense_rank",
        "divided",
        "element",
        "ends_with",
        "epoch_ms",
        "floor",
        "greatest",
        "joined",
        "lag",
        "lead",
        "least",
        "len",
        "length",
        "lower",
        "map_keys",
        "map_values",
        "max",
        "median",
        "min",
        "nullif",
        "only_ascii",
        "quantile_cont",
        "rank",
        "regexp_matches",
        "replace",
        "rounded_0",
        "rounded_1",
        "rounded_2",
        "rounded_3",
        "rounded_4",
        "rounded_5",
        "rounded_6",
        "row_number",
        "sqrt",
        "starts_with",
        "stddev_pop",
        "stddev_samp",
        "strftime",
        "struct_extract",
        "array_extract",
        "substring",
        "sum",
        "timezone",
        "trim",
        "trunc",
        "unnest",
        "upper",
        "to_seconds",
        "to_minutes",
        "to_hours",
        "to_days",
        "to_weeks",
        "to_months",
        "to_years",
        "list_value",
        "row",
        "first_value",
        "last_value",
        "suffix",
    ]
)


def check_statement(database: duckdb.DuckDBPyConnection, statement: str, tables: Collection[str]) -> None:
    """Raises OnlySparkError unless the statement is one query of these views and of functions of this list."""
    found = database.execute("SELECT json_serialize_sql(CAST($text AS VARCHAR))", {"text": statement}).fetchone()
    parsed = json.loads(found[0]) if found else {"error": True}
    if parsed["error"] or len(parsed["statements"]) != 1:
        raise OnlySparkError("what is not one query")
    parts = list(_parts(parsed))
    ctes = {entry["key"] for part in parts for entry in part.get("cte_map", {}).get("map", ())}
    if not all(_WRITTEN_CTE.fullmatch(name) for name in ctes):
        raise OnlySparkError("a CTE with a name of its own")
    _check_depth_of_macros(parsed)
    for part in parts:
        kind = part.get("type")
        if part.get("class") in ("FUNCTION", "WINDOW") or "function_name" in part:
            _check_function(part)
        elif kind == "BASE_TABLE":
            schema, name = part["schema_name"], part["table_name"]
            if part["catalog_name"] or (f"{schema}.{name}" not in tables if schema else name not in ctes):
                raise OnlySparkError(f"the table {schema}.{name}")
        elif kind in _OTHER_RELATIONS:
            raise OnlySparkError(f"{kind} in from")


def _check_depth_of_macros(parsed: Any) -> None:
    """A macro repeats its arguments where it is expanded, so that each level may double the query."""
    waiting = [(parsed, 0)]
    while waiting:
        part, depth = waiting.pop()
        if isinstance(part, dict):
            depth += str(part.get("function_name", "")).lower().startswith(_MACROS)
            if depth > _MOST_MACROS_DEEP:
                raise OnlySparkError("functions nested this deep")
            waiting.extend((inner, depth) for inner in part.values())
        elif isinstance(part, list):
            waiting.extend((inner, depth) for inner in part)


def _check_function(part: dict[str, Any]) -> None:
    name = part.get("function_name", "")
    if name.lower() not in FUNCTIONS or part.get("catalog") or part.get("schema"):
        raise OnlySparkError(f"the function {name}")


def _parts(node: Any) -> Iterator[dict[str, Any]]:
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
