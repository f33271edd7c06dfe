"""Spilled rows: compressed Arrow tables that one task writes and other tasks read, with only the columns that they need."""

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Flags

_COMPRESSED = pa.ipc.IpcWriteOptions(compression="lz4")


class RowFilter(NamedTuple):
    """A condition on rows, and the columns that it needs."""

    condition: pc.Expression
    columns: tuple[str, ...]

    def and_(self, other: "RowFilter") -> "RowFilter":
        return RowFilter(self.condition & other.condition, (*self.columns, *other.columns))

    def or_(self, other: "RowFilter") -> "RowFilter":
        return RowFilter(self.condition | other.condition, (*self.columns, *other.columns))

    def negated(self) -> "RowFilter":
        return RowFilter(~self.condition, self.columns)


@dataclass(frozen=True)
class Spill:
    """Where tables are spilled to: files in a folder that all tasks can read, or without one the references themselves.

    `write` returns a reference, which is what Spark shuffles: the path of a file, or the whole compressed table.
    """

    folder: str | None = None

    def write(self, rows: pa.Table) -> bytes:
        if self.folder is None:
            out = pa.BufferOutputStream()
            _write(rows, out)
            return cast(bytes, out.getvalue().to_pybytes())
        path = str(Path(self.folder) / f"{uuid.uuid4()}.arrow")
        with pa.OSFile(path, "wb") as file:
            _write(rows, file)
        return path.encode()

    def read(self, reference: bytes, columns: Iterable[str] | None = None) -> pa.Table:
        """Reads these columns, or all; the others are not even decompressed."""
        rows = reference if self.folder is None else pa.memory_map(reference.decode()).read_buffer()
        if columns is None:
            return pa.ipc.open_stream(rows).read_all()
        names = pa.ipc.open_stream(rows).schema.names
        options = pa.ipc.IpcReadOptions(included_fields=sorted({names.index(column) for column in columns}))
        return pa.ipc.open_stream(rows, options=options).read_all()


def _write(rows: pa.Table, file: pa.NativeFile) -> None:
    with pa.ipc.new_stream(file, rows.schema, options=_COMPRESSED) as stream:
        stream.write_table(rows)


def read_filtered(
    pieces: Iterable[pa.RecordBatch], columns: list[str], where: RowFilter | None, spill: Spill
) -> Iterator[pa.RecordBatch]:
    """Reads these columns of the matching rows. The column `rows` of `pieces` contains references to spilled tables."""
    for batch in pieces:
        for reference in batch["rows"].to_pylist():
            if where is None:
                table = spill.read(reference, columns)
            else:
                # Rare rows are in few tables; of the other tables only the columns of the filter are decompressed.
                matching = matches(spill.read(reference, where.columns), where.condition)
                if not matching.any():
                    continue
                table = spill.read(reference, columns)
                if not matching.all():
                    table = table.filter(pa.array(matching))
            yield from table.select(columns).combine_chunks().to_batches()


def matches(rows: pa.Table, condition: pc.Expression) -> Flags:
    """A mask of the rows that match."""
    mask = np.zeros(len(rows), np.bool_)
    mask[rows.append_column("place", pa.array(np.arange(len(rows)))).filter(condition)["place"].to_numpy()] = True
    return mask
