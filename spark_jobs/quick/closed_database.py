"""A database in memory that sees tables of the lake and nothing else: no other file, no network, no extension, no variable
of this process. Its settings are locked before the first query."""

import contextlib
import threading
from collections.abc import Iterator, Sequence

import duckdb

from spark_jobs.lake.layers import LAYERS
from spark_jobs.quick.column_types import quoted, text_in_duckdb
from spark_jobs.quick.delta_tables import DeltaTables
from spark_jobs.store.store_access import in_store

_LOCKED = {
    "TimeZone": "'UTC'",
    "default_null_order": "'nulls_first_on_asc_last_on_desc'",
    # A result that does not fit into memory is an error, never a file.
    "max_temp_directory_size": "'0KB'",
    "python_enable_replacements": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "enable_external_access": "false",
    "lock_configuration": "true",
}
# What Spark's functions do and DuckDB's don't. `error` ends the query, which then runs on Spark.
_MACROS = (
    "divided(a, b) AS CASE WHEN b = 0 THEN error('division by zero') ELSE a / b END",
    "element(a, i) AS CASE WHEN i < 0 OR i >= len(a) THEN error('no such element') ELSE a[i + 1] END",
    "only_ascii(a) AS CASE WHEN strlen(a) = length(a) THEN a ELSE error('letters beyond ASCII') END",
    "contained(a, x) AS CASE WHEN a IS NULL OR x IS NULL THEN NULL WHEN list_contains(a, x) THEN true"
    " WHEN len(list_filter(a, lambda y: y IS NULL)) > 0 THEN NULL ELSE false END",
    "joined(a, s) AS CASE WHEN a IS NULL OR s IS NULL THEN NULL"
    " ELSE coalesce(array_to_string(list_filter(a, lambda y: y IS NOT NULL), s), '') END",
    # Spark rounds the number as it is printed: 0.285 to 0.29. Numbers beyond 10^15 have no fraction to round.
    *(
        f"rounded_{digits}(a) AS CASE WHEN isnan(a) OR abs(a) >= 1e15 THEN a"
        f" ELSE CAST(CAST(CAST(CAST(a AS VARCHAR) AS DECIMAL(38, 20)) AS DECIMAL(38, {digits})) AS DOUBLE) END"
        for digits in range(7)
    ),
)


@contextlib.contextmanager
def open_database(
    tables: DeltaTables, names: Sequence[str], *, memory: str, seconds: float
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database with views of the named tables. What runs longer than `seconds` is interrupted."""
    with duckdb.connect(":memory:") as database:
        if in_store(tables.uri):
            # Only here: its import takes time.
            from spark_jobs.quick.store_filesystem import StoreFileSystem

            database.register_filesystem(StoreFileSystem(tables.uri, tables.access))
        database.execute(f"SET memory_limit = {text_in_duckdb(memory)}")
        files = ", ".join(text_in_duckdb(file) for name in names for file in tables.open(name).files)
        database.execute(f"SET allowed_paths = [{files}]")
        for macro in _MACROS:
            database.execute(f"CREATE MACRO {macro}")
        for layer in LAYERS:
            database.execute(f"CREATE SCHEMA {quoted(layer)}")
        for name in names:
            layer, _, short = name.partition(".")
            database.execute(f"CREATE VIEW {quoted(layer)}.{quoted(short)} AS {tables.open(name).select()}")
        for setting, value in _LOCKED.items():
            database.execute(f"SET {setting} = {value}")
        timer = threading.Timer(seconds, database.interrupt)
        timer.daemon = True
        timer.start()
        try:
            yield database
        finally:
            timer.cancel()
