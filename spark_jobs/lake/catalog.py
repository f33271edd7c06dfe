"""Opens a lake: registers its tables in the Spark session, creates the missing ones and adds new columns."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from pyspark.sql import SparkSession

import schemas
from spark_jobs.errors import UserError
from spark_jobs.lake.location import absolute_uri
from spark_jobs.lake.sql_literals import text_literal
from spark_jobs.lake.tables import Lake

LAYERS = ("bronze", "silver", "gold", "quality")

_T = TypeVar("_T")


def open_to_read(spark: SparkSession, uri: str) -> Lake:
    """Registers the tables of the lake under their names."""
    lake = Lake(spark, absolute_uri(uri))
    existing = _existing_tables(lake)
    if not existing:
        raise UserError(f"there is no lake at {uri}", "Create one with `lagoon run`, or name another with --lake")
    _register(lake, existing)
    return lake


def open_to_write(spark: SparkSession, uri: str) -> Lake:
    """As open_to_read; also creates missing tables and adds the columns that a lake of an older version lacks."""
    lake = Lake(spark, absolute_uri(uri))
    existing = _existing_tables(lake)
    _register(lake, existing)
    missing = [table for name, table in schemas.tables().items() if name not in existing]
    _in_parallel(lambda table: _create(lake, table), missing)
    _in_parallel(lambda name: _migrate(lake, schemas.table(name)), sorted(set(existing) & set(schemas.tables())))
    return lake


def _existing_tables(lake: Lake) -> list[str]:
    """Names of the folders that hold a Delta log."""
    jvm = lake.spark._jvm
    assert jvm is not None
    root = jvm.org.apache.hadoop.fs.Path(lake.uri)
    files = root.getFileSystem(lake.spark._jsc.hadoopConfiguration())
    names = []
    for layer in LAYERS:
        folder = jvm.org.apache.hadoop.fs.Path(root, layer)
        if not files.exists(folder):
            continue
        for status in files.listStatus(folder):
            name = status.getPath().getName()
            if files.exists(jvm.org.apache.hadoop.fs.Path(status.getPath(), "_delta_log")):
                names.append(f"{layer}.{name}")
    return sorted(names)


def _register(lake: Lake, names: Sequence[str]) -> None:
    """Replaces the session's tables by those of the lake. They are external: dropping one deletes no file."""
    for layer in LAYERS:
        lake.spark.sql(f"create schema if not exists {layer}")
        for table in lake.spark.sql(f"show tables in {layer}").where("not isTemporary").collect():
            lake.spark.sql(f"drop table {layer}.{table.tableName}")
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


def _migrate(lake: Lake, table: schemas.Table) -> None:
    """Adds new columns, and drops `not null` where the declaration no longer has it."""
    existing = {field.name: field for field in lake.spark.table(table.name).schema}
    new = [f"`{c.name}` {c.type} {_comment(c)}" for c in table.columns if c.name not in existing]
    if new:
        lake.spark.sql(f"alter table {table.name} add columns ({', '.join(new)})")
    for column in table.columns:
        if column.nullable and column.name in existing and not existing[column.name].nullable:
            lake.spark.sql(f"alter table {table.name} alter column `{column.name}` drop not null")


def _comment(column: schemas.Column) -> str:
    return f"comment {text_literal(column.description)}"


def _in_parallel(command: Callable[[_T], object], items: Sequence[_T]) -> None:
    """Delta's commands spend more time waiting than computing."""
    if items:
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(command, items))
