"""Writes rows to Parquet files from inside a task, one file per slice."""

import functools
import json
import operator
import time
import uuid
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs as fs
import pyarrow.parquet as pq

from spark_jobs.lake.file_statistics import file_statistics
from spark_jobs.lake.location import partition_folder
from spark_jobs.lake.table_files import TableFiles, with_columns_of

# What `write_files` returns, as Spark's DDL: Delta's `add` action in JSON, and the number of rows in the file.
WRITTEN_FILES = "file string, rows bigint"
_WRITTEN_FILES = pa.schema([("file", pa.string()), ("rows", pa.int64())])
# Enough rows that dictionaries pay, few enough to hold in memory for each slice.
ROWS_PER_GROUP = 100_000
_BYTES_PER_GROUP = 64 << 20


def write_files(batches: Iterable[pa.RecordBatch | pa.Table], files: TableFiles) -> Iterator[pa.RecordBatch]:
    """Writes all rows and returns one row per file: see WRITTEN_FILES."""
    writers: dict[tuple[Any, ...], _FileWriter] = {}
    for batch in batches:
        if not batch.num_rows:
            continue
        rows = with_columns_of(batch, files.columns)
        for field in files.columns:
            if not field.nullable and rows[field.name].null_count:
                raise ValueError(f"a row of {files.table} has no {field.name}")
        for values, rows_of_slice in _by_slice(rows, files.partitioned_by):
            if values not in writers:
                writers[values] = _FileWriter(files, values)
            writers[values].write(rows_of_slice.select(files.columns_in_files.names))
    yield pa.RecordBatch.from_pylist([writer.close() for writer in writers.values()], schema=_WRITTEN_FILES)


def _by_slice(rows: pa.Table, partitioned_by: tuple[str, ...]) -> Iterator[tuple[tuple[Any, ...], pa.Table]]:
    if not partitioned_by:
        yield (), rows
        return
    slices = rows.select(partitioned_by).group_by(list(partitioned_by)).aggregate([]).to_pylist()
    for slice_ in slices:
        values = tuple(slice_[name] for name in partitioned_by)
        if len(slices) == 1:
            yield values, rows
        else:
            in_slice = functools.reduce(operator.and_, (pc.field(name) == value for name, value in slice_.items()))
            yield values, rows.filter(in_slice)


class _FileWriter:
    def __init__(self, files: TableFiles, values: tuple[Any, ...]) -> None:
        self._files = files
        self._values = dict(zip(files.partitioned_by, (str(value) for value in values), strict=True))
        folders = [partition_folder(name, value) for name, value in self._values.items()]
        self._path = "/".join([*folders, f"part-{uuid.uuid4()}.zstd.parquet"])
        filesystem, root = files.open_folder()
        file = f"{root}/{self._path}"
        if isinstance(filesystem, fs.LocalFileSystem):
            filesystem.create_dir(file.rpartition("/")[0])
        self._stream = filesystem.open_output_stream(file)
        self._footer: list[pq.FileMetaData] = []
        self._writer = pq.ParquetWriter(
            self._stream,
            files.columns_in_files,
            compression="zstd",
            store_schema=False,
            metadata_collector=self._footer,
        )
        self._buffered: list[pa.Table] = []
        self._rows = 0

    def write(self, rows: pa.Table) -> None:
        self._buffered.append(rows)
        self._rows += len(rows)
        if (
            sum(map(len, self._buffered)) >= ROWS_PER_GROUP
            or sum(table.nbytes for table in self._buffered) >= _BYTES_PER_GROUP
        ):
            self._flush()

    def close(self) -> dict[str, object]:
        self._flush()
        self._writer.close()
        size = self._stream.tell()
        self._stream.close()
        statistics = file_statistics(self._footer[0], self._files.columns_with_statistics)
        add = {
            # As Spark and deltalake escape it: another tool that removes the file has to name it in the same way.
            "path": quote(self._path, safe="/="),
            "partitionValues": self._values,
            "size": size,
            "modificationTime": int(time.time() * 1000),
            "dataChange": True,
            "stats": json.dumps(statistics, ensure_ascii=False),
        }
        return {"file": json.dumps({"add": add}, ensure_ascii=False), "rows": self._rows}

    def _flush(self) -> None:
        if self._buffered:
            self._writer.write_table(pa.concat_tables(self._buffered), row_group_size=4 * ROWS_PER_GROUP)
            self._buffered.clear()
