"""`lagoon sql`: a question in, the answer out, and nothing changed."""

import csv
import datetime as dt
import decimal
import json
import sys
from collections.abc import Sequence
from typing import Any

from spark_jobs.errors import UsageError
from spark_jobs.settings import Settings

FORMATS = ("table", "json", "csv")
_READING_COMMANDS = ("Show", "Describe", "Explain")


def answer(settings: Settings, query: str, output: str) -> None:
    if output not in FORMATS:
        raise UsageError(f"there is no format {output!r}", f"Use one of {', '.join(FORMATS)}")
    from pyspark.errors import PySparkException

    from spark_jobs.lake.catalog import open_to_read
    from spark_jobs.spark import session

    opened = open_to_read(session.start(settings, small=True), settings.lake)
    try:
        _refuse_to_write(opened.spark, query)
        frame = opened.spark.sql(query)
        rows = [tuple(row) for row in frame.collect()]
    except PySparkException as error:
        told = (error.getMessage() or str(error)).split("\n")[0]
        raise UsageError(
            f"the question can't be answered: {told}", "Correct it; `show tables in gold` lists what there is"
        ) from error
    {"table": _table, "json": _json, "csv": _csv}[output](frame.columns, rows)


def _refuse_to_write(spark: Any, query: str) -> None:
    """A statement that writes may hide behind `with …`, so the parser is asked and not the first word."""
    loader = spark._jvm.java.lang.Thread.currentThread().getContextClassLoader()
    logical = "org.apache.spark.sql.catalyst.plans.logical."
    writing = [loader.loadClass(logical + name) for name in ("Command", "ParsedStatement")]

    def visit(plan: Any) -> None:
        name = plan.getClass().getSimpleName()
        if any(kind.isInstance(plan) for kind in writing) and not name.startswith(_READING_COMMANDS):
            raise UsageError(
                "`lagoon sql` only reads, and this statement writes", "Ask with select, with, show or describe"
            )
        children = plan.children()
        for number in range(children.size()):
            visit(children.apply(number))

    visit(spark._jsparkSession.sessionState().sqlParser().parsePlan(query))


def _table(columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(*columns, box=box.SIMPLE_HEAD, header_style="bold")
    for row in rows:
        table.add_row(*("" if value is None else _text(value) for value in row))
    console = Console()
    # Piped, a table is as wide as its content: cutting it would lose what was asked for.
    Console(width=None if console.is_terminal else 10_000).print(table)


def _json(columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    json.dump(
        [dict(zip(columns, map(_plain, row), strict=True)) for row in rows], sys.stdout, ensure_ascii=False, indent=1
    )
    print()


def _csv(columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if value is None else _text(value) for value in row] for row in rows)


def _text(value: Any) -> str:
    plain = _plain(value)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)


def _plain(value: Any) -> Any:
    """As JSON has it: times in ISO 8601 and UTC, bytes in hexadecimal."""
    match value:
        case dt.datetime():
            return (value if value.tzinfo else value.replace(tzinfo=dt.UTC)).isoformat().replace("+00:00", "Z")
        case dt.date():
            return value.isoformat()
        case dict():
            return {str(key): _plain(item) for key, item in value.items()}
        case tuple() if hasattr(value, "asDict"):
            return {key: _plain(item) for key, item in value.asDict().items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case bytes() | bytearray():
            return value.hex()
        case decimal.Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case float() if value != value or value in (float("inf"), float("-inf")):
            return None
        case None | bool() | int() | float() | str():
            return value
    return str(value)
