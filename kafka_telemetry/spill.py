"""Spilled rows: Arrow tables that one task writes and other tasks read, compressed and by the column."""

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

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
    """Where spilled tables are kept: as files in a folder that all tasks can read, or else inline in the returned bytes.

    `write` returns a reference, which is what Spark shuffles: a file name, or the whole table where no folder is shared.
    """

    folder: str | None = None

    def write(self, rows: pa.Table) -> bytes:
        if self.folder is None:
            out = pa.BufferOutputStream()
            _write(rows, out)
            return cast(bytes, out.getvalue().to_pybytes())
        place = Path(self.folder) / f"{uuid.uuid4()}.arrow"
        with pa.OSFile(str(place), "wb") as file:
            _write(rows, file)
        return str(place).encode()

    def read(self, reference: bytes, columns: Iterable[str] | None = None) -> pa.Table:
        """Reads the named columns, or all. Columns that are not named are not decompressed."""
        rows = reference if self.folder is None else pa.memory_map(reference.decode()).read_buffer()
        if columns is None:
            return pa.ipc.open_stream(rows).read_all()
        names = pa.ipc.open_stream(rows).schema.names
        only = pa.ipc.IpcReadOptions(included_fields=sorted({names.index(column) for column in columns}))
        return pa.ipc.open_stream(rows, options=only).read_all()


def _write(rows: pa.Table, to: pa.NativeFile) -> None:
    with pa.ipc.new_stream(to, rows.schema, options=_COMPRESSED) as stream:
        stream.write_table(rows)


def read_filtered(
    pieces: Iterable[pa.RecordBatch], columns: list[str], where: RowFilter | None, spill: Spill
) -> Iterator[pa.RecordBatch]:
    """Reads the named columns of the rows that match, from batches whose column `rows` holds references."""
    for batch in pieces:
        for reference in batch["rows"].to_pylist():
            if where is None:
                table = spill.read(reference, columns)
            else:
                # A rare kind of row is in few pieces: the others are not decompressed.
                matching = matches(spill.read(reference, where.columns), where.condition)
                if not matching.any():
                    continue
                table = spill.read(reference, columns)
                if not matching.all():
                    table = table.filter(pa.array(matching))
            yield from table.select(columns).combine_chunks().to_batches()


def matches(rows: pa.Table, condition: pc.Expression) -> npt.NDArray[np.bool_]:
    """A mask of the rows that match."""
    mask = np.zeros(len(rows), np.bool_)
    mask[rows.append_column("place", pa.array(np.arange(len(rows)))).filter(condition)["place"].to_numpy()] = True
    return mask
