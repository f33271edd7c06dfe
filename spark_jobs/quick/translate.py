"""From a query in Spark SQL to a statement for DuckDB that has the same answer, or OnlySparkError."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from spark_jobs.quick.column_types import ColumnType, OnlySparkError, quoted
from spark_jobs.quick.delta_tables import DeltaTables
from spark_jobs.quick.queries import QueryWriter
from spark_jobs.quick.scope import UnknownColumnError
from spark_jobs.sql.refusals import not_reading, require_text, unknown_column, unknown_table

_WRITING = (
    *(exp.Alter, exp.Create, exp.Delete, exp.Drop, exp.Insert, exp.Merge, exp.TruncateTable, exp.Update),
    *(exp.Copy, exp.Grant, exp.Analyze, exp.Cache, exp.Uncache, exp.Refresh, exp.LoadData, exp.Set, exp.Use),
)


@dataclass(frozen=True)
class Statement:
    """`tables` are the views that it reads."""

    text: str
    columns: Sequence[tuple[str, ColumnType]]
    tables: Sequence[str]


def translate(query: str, tables: DeltaTables, parameters: Mapping[str, ColumnType]) -> Statement:
    """Raises UsageError for a query that is wrong in any engine, OnlySparkError for one that only Spark can be trusted with."""
    require_text(query)
    read: dict[str, None] = {}

    def columns_of(parts: Sequence[str]) -> tuple[str, Sequence[tuple[str, ColumnType]]]:
        named = ".".join(parts)
        name = tables.find(named) if len(parts) == 2 else None
        if name is None:
            raise OnlySparkError("a catalog") if len(parts) > 2 else unknown_table(named, tables.names)
        read[name] = None
        return name, [(column.name, column.type) for column in tables.open(name).columns]

    try:
        text, columns = QueryWriter(columns_of, parameters, {}).write(_parse(query))
    except UnknownColumnError as error:
        import difflib

        similar = difflib.get_close_matches(error.name, error.known, n=3, cutoff=0.3) or error.known
        raise unknown_column(f"`{error.name}`", [f"`{each}`" for each in similar], error.tables) from error
    except RecursionError as error:
        raise OnlySparkError("a query nested this deep") from error
    return Statement(_for_python(text, columns), columns, tuple(read))


def _parse(query: str) -> Any:
    try:
        statements = [each for each in sqlglot.parse(query, read="spark") if each is not None]
    except SqlglotError as error:
        raise OnlySparkError("what sqlglot can't parse") from error
    if len(statements) != 1:
        raise OnlySparkError("what is not one query")
    if isinstance(statements[0], _WRITING):
        raise not_reading(type(statements[0]).__name__.lower())
    return statements[0]


def _for_python(text: str, columns: Sequence[tuple[str, ColumnType]]) -> str:
    """Times without a zone, since they are UTC. Positions instead of names, since two columns may have one name."""
    names = [quoted(f"c{number}") for number in range(len(columns))]
    shown = [
        f"({name} AT TIME ZONE 'UTC')" if of == "timestamp" else name
        for name, (_, of) in zip(names, columns, strict=True)
    ]
    if any("timestamp" in str(of) and isinstance(of, tuple) for _, of in columns):
        raise OnlySparkError("times in lists")
    return f"SELECT {', '.join(shown)} FROM ({text}) AS result({', '.join(names)})"
