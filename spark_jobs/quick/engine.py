"""The quick engine: answers a query on the lake with DuckDB, or raises OnlySparkError where only Spark can be trusted."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import duckdb

from spark_jobs.errors import UserError
from spark_jobs.quick.closed_database import open_database
from spark_jobs.quick.column_types import ColumnType, OnlySparkError
from spark_jobs.quick.delta_tables import DeltaTables
from spark_jobs.quick.statement_check import check_statement
from spark_jobs.quick.table_descriptions import description
from spark_jobs.quick.translate import translate

_ROWS_AT_ONCE = 10_000

Parameters = Mapping[str, str | int | dt.date | dt.datetime]


class Cancellation:
    """Ends a running query from another thread."""

    def __init__(self) -> None:
        self._database: duckdb.DuckDBPyConnection | None = None
        self._is_cancelled = False

    def cancel(self) -> None:
        self._is_cancelled = True
        if self._database is not None:
            # The query may have ended by itself.
            with suppress(duckdb.ConnectionException):
                self._database.interrupt()

    def watch(self, database: duckdb.DuckDBPyConnection) -> None:
        self._database = database
        if self._is_cancelled:
            database.interrupt()


class Answer(NamedTuple):
    """`types` are the types of the columns in Spark."""

    columns: Sequence[str]
    types: Sequence[ColumnType]
    rows: Iterator[tuple[Any, ...]]


@dataclass(frozen=True)
class QuickEngine:
    """`memory` and `seconds` limit each query."""

    tables: DeltaTables
    memory: str = "1GB"
    seconds: float = 300

    def answer(
        self, query: str, parameters: Parameters | None = None, cancellation: Cancellation | None = None
    ) -> Answer:
        """The rows as they come. The first of them are computed before this returns."""
        bound = dict(parameters or {})
        if described := description(query, self.tables):
            return Answer(described.columns, ["string"] * len(described.columns), iter(described.rows))
        statement = translate(query, self.tables, {name: _type_of(value) for name, value in bound.items()})
        rows = self._rows(statement.text, statement.tables, bound, cancellation or Cancellation())
        columns, types = [name for name, _ in statement.columns], [of for _, of in statement.columns]
        first = next(rows, [])
        return Answer(columns, types, _chained(first, rows))

    def _rows(
        self, text: str, names: Sequence[str], parameters: Parameters, cancellation: Cancellation
    ) -> Iterator[list[tuple[Any, ...]]]:
        with ExitStack() as stack:
            try:
                opened = open_database(self.tables, names, memory=self.memory, seconds=self.seconds)
                database = stack.enter_context(opened)
                cancellation.watch(database)
                check_statement(database, text, names)
                used = {name: value for name, value in parameters.items() if f"${name}" in text}
                # In a thread, because Python hears Ctrl-C only between two instructions of the main thread.
                thread = stack.enter_context(ThreadPoolExecutor(1))
                thread.submit(database.execute, text, used).result()
                while batch := thread.submit(database.fetchmany, _ROWS_AT_ONCE).result():
                    yield batch
            except duckdb.InterruptException as error:
                raise UserError(
                    f"the query took longer than {self.seconds:g} s",
                    "Select fewer days or columns, or raise sql.seconds",
                ) from error
            except duckdb.Error as error:
                raise OnlySparkError(f"it failed: {str(error).splitlines()[0][:200]}") from error


def _chained(first: list[tuple[Any, ...]], others: Iterator[list[tuple[Any, ...]]]) -> Iterator[tuple[Any, ...]]:
    yield from first
    for batch in others:
        yield from batch


def _type_of(value: object) -> ColumnType:
    match value:
        case str():
            return "string"
        case int():
            return "bigint"
        case dt.datetime():
            return "timestamp"
        case dt.date():
            return "date"
    raise TypeError(f"no parameter can be {value!r}")
