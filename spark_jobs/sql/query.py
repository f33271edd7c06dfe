"""`lagoon sql`: runs one query on the lake and prints its result."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from spark_jobs.errors import UsageError
from spark_jobs.settings import Settings
from spark_jobs.sql.output import FORMATS, print_rows, rows_to_print

ENGINES = ("auto", "duckdb", "spark")


def run_query(settings: Settings, query: str, output_format: str, engine: str = "auto") -> None:
    if output_format not in FORMATS:
        raise UsageError(f"there is no format {output_format!r}", f"Use one of {', '.join(FORMATS)}")
    if engine not in ENGINES:
        raise UsageError(f"there is no engine {engine!r}", f"Use one of {', '.join(ENGINES)}")
    if engine != "spark" and _answered_quickly(settings, query, output_format, or_fail=engine == "duckdb"):
        return
    _run_in_spark(settings, query, output_format)


def _answered_quickly(settings: Settings, query: str, output_format: str, *, or_fail: bool) -> bool:
    """Whether the quick engine printed the result. False if only Spark can be trusted with the query."""
    from spark_jobs.quick.column_types import OnlySparkError
    from spark_jobs.quick.open_engine import open_engine

    try:
        answer = open_engine(settings).answer(query)
    except OnlySparkError as difference:
        if or_fail:
            raise UsageError(
                f"the engine duckdb does not run {difference}", "Use --engine auto or spark"
            ) from difference
        return False
    with _unless_nobody_reads():
        try:
            print_rows(answer.columns, answer.rows, output_format)
        except OnlySparkError as failure:  # After the first rows, which are printed already.
            raise UsageError(f"the query failed after some rows: {failure}", "Use --engine spark") from failure
    return True


def _run_in_spark(settings: Settings, query: str, output_format: str) -> None:
    from spark_jobs.lake.catalog import open_to_read
    from spark_jobs.spark import session
    from spark_jobs.sql.failures import in_one_sentence
    from spark_jobs.sql.read_only import open_query, read_only_session
    from spark_jobs.sql.rows import stream_rows

    lake = open_to_read(read_only_session(session.start_spark(settings, small=True)), settings.lake, settings.store)
    frame = open_query(lake, query)
    with _unless_nobody_reads(), in_one_sentence():
        print_rows(frame.columns, stream_rows(frame, rows_to_print(output_format)), output_format)


@contextmanager
def _unless_nobody_reads() -> Iterator[Any]:
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough. Nothing may be written to the pipe again, at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
