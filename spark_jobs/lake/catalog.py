"""Opens a lake: registers its tables in the Spark session, creates the missing ones and adds new columns."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

from pyspark.sql import SparkSession

import schemas
from spark_jobs.errors import UserError
from spark_jobs.lake.grown_columns import grow_columns
from spark_jobs.lake.lake_version import LAKE_VERSION, VERSIONS, newest_version, refuse_newer
from spark_jobs.lake.layers import LAYERS
from spark_jobs.lake.location import absolute_uri
from spark_jobs.lake.sql_literals import text_literal
from spark_jobs.lake.tables import Lake
from spark_jobs.spark.delta_log import fence_commits
from spark_jobs.store.lease import Lease
from spark_jobs.store.store_access import DEFAULT_ACCESS, StoreAccess

_T = TypeVar("_T")


def open_to_read(spark: SparkSession, uri: str, access: StoreAccess = DEFAULT_ACCESS) -> Lake:
    """Registers the tables of the lake under their names."""
    lake = Lake(spark, absolute_uri(uri), access)
    refuse_newer(uri, _version_in_storage(lake))
    existing, _ = _tables_in_storage(lake)
    if not existing:
        raise UserError(f"there is no lake at {uri}", "Create one with `lagoon run`, or name another with --lake")
    _register(lake, existing)
    return lake


def register_new_tables(spark: SparkSession, uri: str, access: StoreAccess = DEFAULT_ACCESS) -> None:
    """Registers the tables that the session does not know yet. Names that clients gave to tables of theirs become part of no
    statement."""
    lake = Lake(spark, absolute_uri(uri), access)
    existing, _ = _tables_in_storage(lake)
    _create_external(lake, sorted(set(existing) - _registered(lake)))


def open_to_write(
    spark: SparkSession, uri: str, access: StoreAccess = DEFAULT_ACCESS, lease: Lease | None = None
) -> Lake:
    """As open_to_read; also creates missing tables, and adds the columns that a lake of an earlier version lacks."""
    lake = Lake(spark, absolute_uri(uri), access)
    if lease is not None:
        fence_commits(spark, lease)
        lake = replace(lake, require_lock=lease.require)
    version = _version_in_storage(lake)
    refuse_newer(uri, version)
    if version != LAKE_VERSION:
        # Before anything else, so that a program of before keeps away from what is changed from here on.
        _write_version(lake)
    existing, without_commit = _tables_in_storage(lake)
    for name in without_commit:
        _remove_unfinished(lake, name)
    _register(lake, existing)
    _in_parallel(lambda name: grow_columns(lake, schemas.table(name)), sorted(set(existing) & set(schemas.tables())))
    _in_parallel(
        lambda table: _create(lake, table), [table for name, table in schemas.tables().items() if name not in existing]
    )
    return lake


def _version_in_storage(lake: Lake) -> int | None:
    new_path, files = _storage(lake)
    folder = new_path(lake.uri, VERSIONS)
    return newest_version(
        status.getPath().getName() for status in (files.listStatus(folder) if files.exists(folder) else ())
    )


def _write_version(lake: Lake) -> None:
    new_path, files = _storage(lake)
    stream = files.create(new_path(lake.uri, f"{VERSIONS}/{LAKE_VERSION}"), True)
    # The name says it all, also if this process ends before the file is closed.
    stream.close()


def _tables_in_storage(lake: Lake) -> tuple[list[str], list[str]]:
    """Names of the folders whose Delta log has a commit, and of those without one."""
    new_path, files = _storage(lake)
    existing: list[str] = []
    without_commit: list[str] = []
    for layer in LAYERS:
        folder = new_path(lake.uri, layer)
        for status in files.listStatus(folder) if files.exists(folder) else ():
            name, log = f"{layer}.{status.getPath().getName()}", new_path(status.getPath(), "_delta_log")
            commits = files.listStatus(log) if files.exists(log) else ()
            is_table = any(commit.getPath().getName().endswith((".json", ".parquet")) for commit in commits)
            (existing if is_table else without_commit).append(name)
    return sorted(existing), sorted(without_commit)


def _remove_unfinished(lake: Lake, name: str) -> None:
    """A run that ended between creating a table and its first commit leaves a folder, in which no table can be created. The
    tables of gold are created with rows, the others without: there rows mean that the log was lost."""
    new_path, files = _storage(lake)
    is_table = name in schemas.tables()
    if is_table and any(
        not entry.getPath().getName().startswith("_") for entry in files.listStatus(new_path(lake.path(name)))
    ):
        raise UserError(
            f"{name} has files and no Delta log",
            f"Restore {lake.path(name)}/_delta_log from a copy, or delete {lake.path(name)} and run "
            "`lagoon run --from FIRST_DAY --to LAST_DAY` with the first and the last day of delivery",
        )
    if is_table or name.startswith("gold."):
        files.delete(new_path(lake.path(name)), True)


def _storage(lake: Lake) -> tuple[Any, Any]:
    """Hadoop's class of paths, and the file system of the lake."""
    jvm = lake.spark._jvm
    assert jvm is not None
    new_path = jvm.org.apache.hadoop.fs.Path
    return new_path, new_path(lake.uri).getFileSystem(lake.spark._jsc.hadoopConfiguration())


def _register(lake: Lake, names: Sequence[str]) -> None:
    """Replaces the session's tables by those of the lake. They are external: dropping one deletes no file."""
    for name in _registered(lake):
        lake.spark.sql(f"drop table {name}")
    _create_external(lake, names)


def _registered(lake: Lake) -> set[str]:
    """Names of the tables that the session knows."""
    names = set()
    for layer in LAYERS:
        lake.spark.sql(f"create schema if not exists {layer}")
        tables = lake.spark.sql(f"show tables in {layer}").where("not isTemporary").collect()
        names |= {f"{layer}.{table.tableName}" for table in tables}
    return names


def _create_external(lake: Lake, names: Sequence[str]) -> None:
    _in_parallel(
        lambda name: lake.spark.sql(f"create table {name} using delta location {text_literal(lake.path(name))}"), names
    )


def _create(lake: Lake, table: schemas.Table) -> None:
    columns = ", ".join(f"{column.ddl} {_comment(column)}" for column in table.columns)
    partitions = f"partitioned by ({', '.join(table.partitioned_by)})" if table.partitioned_by else ""
    properties = ", ".join(f"{text_literal(key)} = {text_literal(value)}" for key, value in table.properties.items())
    lake.spark.sql(
        f"create table if not exists {table.name} ({columns}) using delta {partitions} "
        f"location {text_literal(lake.path(table.name))} comment {text_literal(table.description)} "
        f"{f'tblproperties ({properties})' if properties else ''}"
    )


def _comment(column: schemas.Column) -> str:
    return f"comment {text_literal(column.description)}"


def _in_parallel(command: Callable[[_T], object], items: Sequence[_T]) -> None:
    """Delta's commands spend more time waiting than computing."""
    if items:
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(command, items))
