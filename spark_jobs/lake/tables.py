"""The lake: its folders are the catalog. The one module that reads and writes tables."""

import contextlib
import fcntl
import functools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

import schemas
from spark_jobs.errors import UserError
from spark_jobs.lake.delta_commits import Replacement, add, files_of
from spark_jobs.lake.table_files import FILES, Layout, any_of_slices, fitted, parts_of, read, written

_T = TypeVar("_T")
# What a task does: rows in, rows of a table out.
Work = Callable[[Iterable[pa.RecordBatch]], Iterable[pa.RecordBatch | pa.Table]]

LAYERS = ("bronze", "silver", "gold", "quality")


def _as_they_are(rows: Iterable[pa.RecordBatch]) -> Iterable[pa.RecordBatch]:
    return rows


@dataclass(frozen=True)
class TaskRows:
    """Rows of a table, as tasks make them of other rows."""

    rows: DataFrame
    work: Work = _as_they_are


@dataclass(frozen=True)
class Lake:
    spark: SparkSession
    uri: str

    def path(self, table: str) -> str:
        return f"{self.uri}/{table.replace('.', '/')}"

    def read(self, table: str) -> DataFrame:
        return self.spark.read.format("delta").load(self.path(table))

    def nothing(self, table: str) -> DataFrame:
        """As read, of a table in which nothing is to be found."""
        return no_rows(self.spark, cast(StructType, StructType.fromDDL(schemas.arrow_ddl(table))))

    def may_hold(self, table: str, slices: Iterable[Sequence[object]]) -> bool:
        """Whether rows of these slices may stand: of those without files on the disk there are none, and to know that
        costs less than to have Delta's log read. A slice is told by the values of the first columns that the table is
        partitioned by, or of all."""
        layout = layout_of(table, self.path(table))
        return layout is None or any_of_slices(layout, slices)

    def batches(self, table: str, columns: Sequence[str], where: str, wanted: pc.Expression) -> TaskRows:
        """Rows of a table for tasks that work on Arrow: of the slice `where`, which asks for columns that the table is
        partitioned by, those that are wanted."""
        layout = layout_of(table, self.path(table))
        if layout is None:
            rows = self.read(table).where(where)
            return TaskRows(rows, functools.partial(_wanted, columns=list(columns), wanted=wanted))
        parts = parts_of(files_of(self.spark, self.path(table), where))
        tasks = self.spark.range(0, len(parts), numPartitions=max(1, len(parts)))
        return TaskRows(
            tasks, functools.partial(read, parts=parts, layout=layout, columns=list(columns), wanted=wanted)
        )

    def replace(self, table: str, rows: DataFrame, where: str) -> int:
        """The slice of the table becomes these rows, in one commit: a reader sees the old slice or the new one. `where`
        asks for columns that the table is partitioned by. Returns how many rows they are."""
        return self.replace_by_tasks(table, [TaskRows(rows.select(*schemas.table(table).column_names))], where)

    def replace_by_tasks(self, table: str, parts: Sequence[TaskRows], where: str) -> int:
        """As replace, with rows that tasks make of others: they go to files from where they are made."""
        layout = layout_of(table, self.path(table))
        if layout is None:
            return self._replace_by_spark(schemas.table(table), parts, where)
        replacement = Replacement(self.spark, self.path(table), where)
        told = [
            file
            for part in parts
            for file in part.rows.mapInArrow(functools.partial(_write, part.work, layout), FILES).collect()
        ]
        replacement.commit([file.file for file in told])
        return sum(file.rows for file in told)

    def _replace_by_spark(self, table: schemas.Table, parts: Sequence[TaskRows], where: str) -> int:
        """Where tasks can't write files themselves."""
        ddl = schemas.arrow_ddl(table.name)
        hand_over = functools.partial(_hand_over, columns=_arrow(table))
        made = [part.rows.mapInArrow(functools.partial(hand_over, part.work), ddl) for part in parts]
        written = Observation("written")
        rows = functools.reduce(DataFrame.unionByName, made).observe(written, F.count("*").alias("rows"))
        rows.write.format("delta").mode("overwrite").option("replaceWhere", where).save(self.path(table.name))
        return int(written.get["rows"])

    def append(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """A few rows, told by the names of their columns."""
        layout = layout_of(table, self.path(table))
        if layout is None:
            frame = self.spark.createDataFrame(list(rows), schemas.table(table).ddl).coalesce(1)
            frame.write.format("delta").mode("append").save(self.path(table))
            return
        made = pa.Table.from_pylist(list(rows), layout.columns)
        add(
            self.spark,
            self.path(table),
            [file for told in written([made], layout) for file in told["file"].to_pylist()],
        )


def no_rows(spark: SparkSession, types: StructType) -> DataFrame:
    """What is known to be empty before it is asked for leaves little to be planned."""
    return spark.createDataFrame(to_arrow_schema(types).empty_table(), types)


def _wanted(rows: Iterable[pa.RecordBatch], columns: list[str], wanted: pc.Expression) -> Iterator[pa.RecordBatch]:
    for batch in rows:
        yield from pa.Table.from_batches([batch]).filter(wanted).select(columns).to_batches()


def layout_of(table: str, uri: str) -> Layout | None:
    """How tasks find the files of a table; null if they stand where only Spark can reach them."""
    folder, declared = local_path(uri), schemas.table(table)
    if folder is None:
        return None
    return Layout(table, str(folder), _arrow(declared), declared.partitioned_by, declared.described)


def _write(work: Work, layout: Layout, rows: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return written(work(rows), layout)


def _hand_over(work: Work, rows: Iterable[pa.RecordBatch], columns: pa.Schema) -> Iterator[pa.RecordBatch]:
    for made in work(rows):
        yield from fitted(made, columns).to_batches()


def _arrow(table: schemas.Table) -> pa.Schema:
    types = to_arrow_schema(cast(StructType, StructType.fromDDL(schemas.arrow_ddl(table.name))))
    return pa.schema(field.with_nullable(column.nullable) for field, column in zip(types, table.columns, strict=True))


def local_path(uri: str) -> Path | None:
    """Where a URI lies on this machine, or None if it lies in an object store."""
    if uri.startswith("file:"):
        return Path(uri.removeprefix("file://").removeprefix("file:"))
    return None if "://" in uri else Path(uri)


def absolute(uri: str) -> str:
    path = local_path(uri)
    return uri.rstrip("/") if path is None else str(path.absolute())


def is_default(uri: str) -> bool:
    return absolute(uri) == absolute("./lake")


def open_to_read(spark: SparkSession, uri: str) -> Lake:
    """Registers what stands in the lake, so that tables are known by their names."""
    lake = Lake(spark, absolute(uri))
    found = _tables_that_stand(lake)
    if not found:
        raise UserError(f"there is no lake at {uri}", "Make one with `lagoon run`, or name another with --lake")
    _register(lake, found)
    return lake


def open_to_write(spark: SparkSession, uri: str) -> Lake:
    """As open_to_read, and makes the tables that are missing; a lake of an older version is brought up to date."""
    lake = Lake(spark, absolute(uri))
    found = _tables_that_stand(lake)
    _register(lake, found)
    # What is missing is made in the catalog too.
    missing = [table for name, table in schemas.tables().items() if name not in found]
    _at_once(lambda table: _create(lake, table), missing)
    _at_once(lambda name: _bring_up_to_date(lake, schemas.table(name)), sorted(set(found) & set(schemas.tables())))
    return lake


@contextlib.contextmanager
def written_by_one(uri: str) -> Iterator[None]:
    """One process at a time writes a lake. The kernel drops the lock when the process dies, however it dies."""
    folder = local_path(uri)
    if folder is None:  # Delta's own conflict check stands in an object store.
        yield
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise UserError(
            f"the lake {folder} can't be written ({error.strerror})",
            "Correct the folder's rights or choose another --lake",
        ) from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(handle, 200).decode() or "another process"
            raise UserError(
                f"the lake {folder} is being written by {holder}", "Wait until it ends, then run this again"
            ) from None
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"process {os.getpid()}".encode(), 0)
        yield
    finally:
        os.close(handle)


def _tables_that_stand(lake: Lake) -> list[str]:
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
    """Names in the session for folders in the lake. The tables are external: forgetting a name deletes nothing."""
    for layer in LAYERS:
        lake.spark.sql(f"create schema if not exists {layer}")
        for table in lake.spark.sql(f"show tables in {layer}").where("not isTemporary").collect():
            lake.spark.sql(f"drop table {layer}.{table.tableName}")
    _at_once(lambda name: lake.spark.sql(f"create table {name} using delta location '{lake.path(name)}'"), names)


def _create(lake: Lake, table: schemas.Table) -> None:
    partitions = f"partitioned by ({', '.join(table.partitioned_by)})" if table.partitioned_by else ""
    properties = ", ".join(f"'{key}' = '{value}'" for key, value in table.properties.items())
    comment = table.description.replace("'", "\\'")
    lake.spark.sql(
        f"create table if not exists {table.name} ({table.ddl}) using delta {partitions} "
        f"location '{lake.path(table.name)}' comment '{comment}' {f'tblproperties ({properties})' if properties else ''}"
    )


def _bring_up_to_date(lake: Lake, table: schemas.Table) -> None:
    """New columns are added, and what may be null by now may be so in the lake."""
    standing = {field.name: field for field in lake.spark.table(table.name).schema}
    new = [column.ddl.replace(" NOT NULL", "") for column in table.columns if column.name not in standing]
    if new:
        lake.spark.sql(f"alter table {table.name} add columns ({', '.join(new)})")
    for column in table.columns:
        if column.nullable and column.name in standing and not standing[column.name].nullable:
            lake.spark.sql(f"alter table {table.name} alter column `{column.name}` drop not null")


def _at_once(work: Callable[[_T], object], items: Sequence[_T]) -> None:
    """Delta's commands wait more than they work."""
    if items:
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(work, items))
