"""Files of a table, within a task: rows are written to them and read from them, and need not pass through Spark.

What is written comes back as what the table's log must be told of each file.
"""

import contextlib
import datetime as dt
import functools
import json
import operator
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.fs as fs
import pyarrow.parquet as pq

from spark_jobs.errors import UserError

FILES = "file string, rows bigint"
_FILES = pa.schema([("file", pa.string()), ("rows", pa.int64())])
# Enough that a column's values are worth a dictionary, few enough to hold in memory for each slice.
_ROWS_A_GROUP = 100_000
_BYTES_A_GROUP = 64 << 20
_ROWS_A_PART = 500_000
_ROWS_A_BATCH = 100_000
# Delta's own limit: longer texts are told by how they begin.
_LETTERS = 32
_LAST_LETTER = "\U0010ffff"


@dataclass(frozen=True)
class Layout:
    """A table as its files know it."""

    table: str
    folder: str
    # What may not be null is not nullable.
    columns: pa.Schema
    partitioned_by: tuple[str, ...]
    # Columns whose least and greatest value the log keeps, so that readers can pass files over.
    described: tuple[str, ...]

    @property
    def in_files(self) -> pa.Schema:
        """What stands in the name of the folder stands in no file."""
        return pa.schema([f.with_nullable(True) for f in self.columns if f.name not in self.partitioned_by])


def written(rows: Iterable[pa.RecordBatch | pa.Table], layout: Layout) -> Iterator[pa.RecordBatch]:
    """Writes the rows, a file for each slice, and tells Delta's `add` of each and how many rows it holds."""
    files: dict[tuple[Any, ...], _File] = {}
    for some in rows:
        if not some.num_rows:
            continue
        table = fitted(some, layout.columns)
        for field in layout.columns:
            if not field.nullable and table[field.name].null_count:
                raise ValueError(f"a row of {layout.table} has no {field.name}")
        for values, of_slice in _by_slice(table, layout.partitioned_by):
            if values not in files:
                files[values] = _File(layout, values)
            files[values].take(of_slice.select(layout.in_files.names))
    told = [file.close() for file in files.values()]
    yield pa.RecordBatch.from_pylist(told, schema=_FILES)


@dataclass(frozen=True)
class Part:
    """Some of the row groups of one file."""

    file: str
    number: int
    of: int


def parts_of(files: Sequence[str]) -> list[Part]:
    """What tasks read of these files (`add` actions), each about as much."""
    found = []
    for file in files:
        add = json.loads(file)["add"]
        if add.get("deletionVector"):
            raise UserError(
                f"rows were deleted in {add['path']} without writing it anew",
                "Write it anew with `reorg table … apply (purge)`, then run this again",
            )
        rows = json.loads(add.get("stats") or "{}").get("numRecords", 0)
        number = max(1, round(rows / _ROWS_A_PART))
        found += [Part(file, part, number) for part in range(number)]
    return found


def read(
    tasks: Iterable[pa.RecordBatch], parts: Sequence[Part], layout: Layout, columns: list[str], wanted: pc.Expression
) -> Iterator[pa.RecordBatch]:
    """The wanted rows of the parts whose numbers `tasks` tell as `id`."""
    for batch in tasks:
        for number in batch["id"].to_pylist():
            yield from _rows_of(parts[number], layout, columns, wanted)


def _rows_of(part: Part, layout: Layout, columns: list[str], wanted: pc.Expression) -> Iterator[pa.RecordBatch]:
    add = json.loads(part.file)["add"]
    schema = pa.schema([field.with_nullable(True) for field in layout.columns])
    values = [
        pc.field(name) == pa.scalar(add["partitionValues"][name]).cast(schema.field(name).type)
        for name in layout.partitioned_by
    ]
    parquet, files = ds.ParquetFileFormat(), fs.LocalFileSystem()
    place = str(Path(layout.folder) / unquote(add["path"]))
    file = parquet.make_fragment(place, files, functools.reduce(operator.and_, values) if values else None)
    if part.of > 1:
        groups = [group.id for group in file.row_groups]
        ours = groups[len(groups) * part.number // part.of : len(groups) * (part.number + 1) // part.of]
        if not ours:
            return
        file = file.subset(row_group_ids=ours)
    dataset = ds.FileSystemDataset([file], schema, parquet, files)
    yield from dataset.scanner(columns, wanted, _ROWS_A_BATCH, batch_readahead=1, use_threads=False).to_batches()


def any_of_slices(layout: Layout, slices: Iterable[Sequence[object]]) -> bool:
    """Whether any of these slices, each told by its first values, has files, be they in use or not."""
    return any(next(folder.iterdir(), None) for values in slices for folder in _folders(layout, values))


def _folders(layout: Layout, values: Sequence[object]) -> list[Path]:
    """Those who write folders put different letters of a value in other words, which all say the same when they are read."""
    found = [Path(layout.folder)]
    for name, value in zip(layout.partitioned_by, values, strict=False):
        inner = (folder for outer in found for folder in outer.glob(f"{name}=*"))
        found = [folder for folder in inner if unquote(folder.name) == f"{name}={value}"]
    return found


def fitted(rows: pa.RecordBatch | pa.Table, columns: pa.Schema) -> pa.Table:
    """Rows in the columns of a table: what they do not tell is null."""
    table = pa.Table.from_batches([rows]) if isinstance(rows, pa.RecordBatch) else rows
    for field in columns:
        if field.name not in table.column_names:
            table = table.append_column(field, pa.nulls(len(table), field.type))
    return table.select(columns.names).cast(pa.schema([field.with_nullable(True) for field in columns]))


def _by_slice(rows: pa.Table, partitioned_by: tuple[str, ...]) -> Iterator[tuple[tuple[Any, ...], pa.Table]]:
    if not partitioned_by:
        yield (), rows
        return
    slices = rows.select(partitioned_by).group_by(list(partitioned_by)).aggregate([]).to_pylist()
    for one in slices:
        values = tuple(one[name] for name in partitioned_by)
        if len(slices) == 1:
            yield values, rows
        else:
            yield values, rows.filter(functools.reduce(operator.and_, (pc.field(n) == v for n, v in one.items())))


class _File:
    def __init__(self, layout: Layout, values: tuple[Any, ...]) -> None:
        self._layout = layout
        self._values = dict(zip(layout.partitioned_by, (str(value) for value in values), strict=True))
        folders = [f"{name}={quote(value, safe=' ')}" for name, value in self._values.items()]
        self._path = "/".join([*folders, f"part-{uuid.uuid4()}.zstd.parquet"])
        self._place = Path(layout.folder) / self._path
        self._place.parent.mkdir(parents=True, exist_ok=True)
        self._footer: list[pq.FileMetaData] = []
        self._writer = pq.ParquetWriter(
            str(self._place),
            layout.in_files,
            compression="zstd",
            store_schema=False,
            metadata_collector=self._footer,
        )
        self._waiting: list[pa.Table] = []
        self._rows = 0

    def take(self, rows: pa.Table) -> None:
        self._waiting.append(rows)
        self._rows += len(rows)
        if (
            sum(map(len, self._waiting)) >= _ROWS_A_GROUP
            or sum(some.nbytes for some in self._waiting) >= _BYTES_A_GROUP
        ):
            self._write()

    def close(self) -> dict[str, object]:
        self._write()
        self._writer.close()
        add = {
            "path": quote(self._path),
            "partitionValues": self._values,
            "size": self._place.stat().st_size,
            "modificationTime": int(time.time() * 1000),
            "dataChange": True,
            "stats": json.dumps(described(self._footer[0], self._layout.described), ensure_ascii=False),
        }
        return {"file": json.dumps({"add": add}, ensure_ascii=False), "rows": self._rows}

    def _write(self) -> None:
        if self._waiting:
            self._writer.write_table(pa.concat_tables(self._waiting), row_group_size=4 * _ROWS_A_GROUP)
            self._waiting.clear()


def described(footer: pq.FileMetaData, columns: Iterable[str]) -> dict[str, Any]:
    """What Delta's log tells of a file, from what its footer tells of each row group."""
    told: dict[str, Any] = {"numRecords": footer.num_rows, "minValues": {}, "maxValues": {}, "nullCount": {}}
    places = {footer.schema.column(place).path: place for place in range(footer.num_columns)}
    for name in columns:
        if name not in places:
            continue
        groups = [footer.row_group(number).column(places[name]).statistics for number in range(footer.num_row_groups)]
        if not all(group is not None and group.has_null_count for group in groups):
            continue
        told["nullCount"][name] = sum(group.null_count for group in groups)
        with_values = [group for group in groups if group.num_values]
        if with_values and all(group.has_min_max for group in with_values):
            # A damaged record may tell a time that no calendar has: of such a column nothing is told.
            with contextlib.suppress(OverflowError, ValueError):
                least, greatest = min(group.min for group in with_values), max(group.max for group in with_values)
                if not isinstance(least, bool | bytes):
                    ends = _least(least), _greatest(greatest)
                    told["minValues"][name], told["maxValues"][name] = ends
    return told


def _least(value: Any) -> Any:
    if isinstance(value, str):
        return value[:_LETTERS]
    return _to_the_millisecond(value) if isinstance(value, dt.datetime) else _plain(value)


def _greatest(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= _LETTERS else value[:_LETTERS] + _LAST_LETTER
    if isinstance(value, dt.datetime):
        return _to_the_millisecond(value + dt.timedelta(microseconds=999))
    return _plain(value)


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, dt.date) else value


def _to_the_millisecond(time_: dt.datetime) -> str:
    return time_.astimezone(dt.UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
