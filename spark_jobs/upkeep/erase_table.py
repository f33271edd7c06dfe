"""Removes the rows that contain a value from one table, and its history with them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from spark_jobs.lake.table_folder import LOG, DataFile, TableFolder, open_folder, read_parquet
from spark_jobs.upkeep.erased_value import ErasedValue

# Columns by which removed rows are counted, as far as a table has them.
_COUNTED_BY = ("cluster", "day", "delivered_on", "source_file", "kind", "table_name", "replayed_at")
_Counts = Counter[tuple[tuple[str, Any], ...]]


@dataclass
class Found:
    """Where a table contains the value."""

    table: TableFolder
    # The rows of each file of the newest version: true where a row contains it.
    rows: dict[DataFile, np.ndarray] = field(default_factory=dict)
    # Files of old versions, and of the Delta log, that contain it.
    old_files: list[str] = field(default_factory=list)
    # How many rows contain it and how many do not, by _COUNTED_BY: each key is a mapping's items.
    erased: _Counts = field(default_factory=Counter)
    kept: _Counts = field(default_factory=Counter)

    @property
    def number(self) -> int:
        return sum(self.erased.values())

    def __bool__(self) -> bool:
        return bool(self.rows or self.old_files)


def counted_by(counts: _Counts, *names: str) -> Counter[tuple[Any, ...]]:
    """The number of rows by these columns; None for a column that the table lacks."""
    counted: Counter[tuple[Any, ...]] = Counter()
    for items, rows in counts.items():
        place = dict(items)
        counted[tuple(place.get(name) for name in names)] += rows
    return counted


def find(table: TableFolder, value: ErasedValue) -> Found:
    found, current = Found(table), {file.path: file for file in table.files}
    paths = [file.path for file in table.folder.files()]
    for path, content in zip(paths, table.folder.read_each(paths), strict=True):
        file = current.get(path)
        if file is None:
            if _in_old_file(path, content or b"", value):
                found.old_files.append(path)
            continue
        rows = table.rows_in(path, content)
        contains = value.rows(rows)
        if contains.any():
            found.rows[file] = contains
            _count(found.erased, rows.filter(pa.array(contains)), file.partition)
        _count(found.kept, rows.filter(pa.array(~contains)), file.partition)
    return found


def erase(found: Found, value: ErasedValue) -> None:
    """One commit, and then no file but those of that version is left. Killed half-way and repeated, it ends the same."""
    table = found.table
    added = []
    for file in found.rows:
        rows = table.read(file.path)
        kept = rows.filter(pa.array(~value.rows(rows)))
        if len(kept):
            added.append(table.write(kept, file.partition, file))
    _forget_history(table.commit(found.rows, added, "DELETE"))


def _forget_history(table: TableFolder) -> None:
    """Leaves a checkpoint of the newest version: the log before it has the smallest and largest values of files."""
    from deltalake import DeltaTable

    DeltaTable(table.folder.uri, storage_options=table.folder.delta_options).create_checkpoint()
    kept = {f"{LOG}/{name}" for name in (f"{table.version:020}.json", f"{table.version:020}.checkpoint.parquet")}
    kept |= {f"{LOG}/_last_checkpoint", *(file.path for file in open_folder(table.name, table.folder).files)}
    table.folder.delete(file.path for file in table.folder.files() if file.path not in kept)


def _in_old_file(path: str, content: bytes, value: ErasedValue) -> bool:
    if path.endswith(".parquet"):
        try:
            return bool(value.rows(read_parquet(content)).any())
        except (pa.ArrowInvalid, OSError):
            return True  # What can't be read, of a version that nobody needs, is not kept.
    return value.is_in(content.decode("utf-8", "replace"))


def _count(counts: _Counts, rows: pa.Table, partition: Mapping[str, Any]) -> None:
    names = [name for name in _COUNTED_BY if name in rows.column_names]
    fixed = {name: partition[name] for name in _COUNTED_BY if name in partition}
    if not names:
        counts[tuple(sorted(fixed.items()))] += len(rows)
        return
    for row in rows.select(names).group_by(names).aggregate([([], "count_all")]).to_pylist():
        number = row.pop("count_all")
        counts[tuple(sorted({**row, **fixed}.items()))] += number
