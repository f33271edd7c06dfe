"""A lake of many groups and days, multiplied from a recorded one; or of groups with names of your choice."""

import datetime as dt
import functools
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable, write_deltalake

# What the dashboards read.
_READ = ("gold/*", "quality/*", "silver/log_offsets")


def multiply(source: Path, target: Path, *, copies: int, days: int) -> None:
    """Writes each day of the source `days` times and each group `copies` times, one table and day after another."""
    for table in _tables(source):
        rows = _rows(table)
        for back in range(days):
            parts = [_renamed(rows, "group_id", functools.partial(_numbered, number)) for number in range(copies)]
            if "group_id" not in rows.column_names:
                parts = [rows]
            moved = _moved(pa.concat_tables(parts), dt.timedelta(days=back))
            _write(moved, table, source, target)


def rename_groups(source: Path, target: Path, names: Sequence[str]) -> None:
    """Gives the first groups in the order of health these names."""
    health = _rows(source / "gold" / "group_health").sort_by([("score", "ascending"), ("group_id", "ascending")])
    new = dict(zip(health["group_id"].to_pylist(), names, strict=False))
    for table in _tables(source):
        rows = _rows(table)
        for column in ("group_id", "title", "sentence"):
            rows = _renamed(rows, column, lambda text: _replaced(text, new))
        _write(rows, table, source, target)


def _numbered(number: int, name: str) -> str:
    return f"{name}-{number}" if number else name


def _replaced(text: str, new: dict[str, str]) -> str:
    if text in new:
        return new[text]
    # The longest first: one name may begin with another.
    for old in sorted(new, key=len, reverse=True):
        text = text.replace(f"roup {old} ", f"roup {new[old]} ")
    return text


def _tables(source: Path) -> list[Path]:
    return sorted(log.parent for read in _READ for log in source.glob(f"{read}/_delta_log"))


def _rows(folder: Path) -> pa.Table:
    return DeltaTable(folder).to_pyarrow_table()


def _renamed(rows: pa.Table, column: str, rename: Callable[[str], str]) -> pa.Table:
    if column not in rows.column_names:
        return rows
    values = rows[column].combine_chunks()
    unique = values.unique()
    renamed = pa.array([value and rename(value) for value in unique.to_pylist()], pa.string())
    index = rows.column_names.index(column)
    return rows.set_column(index, column, pc.take(renamed, pc.index_in(values, unique)))


def _moved(rows: pa.Table, back: dt.timedelta) -> pa.Table:
    for index, field in enumerate(rows.schema):
        if pa.types.is_timestamp(field.type):
            rows = rows.set_column(index, field, pc.subtract(rows[field.name], pa.scalar(back, pa.duration("us"))))
        elif pa.types.is_date(field.type):
            whole = pc.subtract(rows[field.name].cast(pa.int32()), back.days)
            rows = rows.set_column(index, field, whole.cast(pa.int32()).cast(pa.date32()))
    return rows


def _write(rows: pa.Table, table: Path, source: Path, target: Path) -> None:
    partitions = DeltaTable(table).metadata().partition_columns
    write_deltalake(target / table.relative_to(source), rows, mode="append", partition_by=partitions or None)
