"""Where tasks lay down rows of Arrow for other tasks: few bytes a row, and each reader takes only what it asks for."""

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


class Wanted(NamedTuple):
    """Which rows are asked for, and the columns that say so."""

    rows: pc.Expression
    by: tuple[str, ...]

    def but(self, other: "Wanted") -> "Wanted":
        return Wanted(self.rows & ~other.rows, (*self.by, *other.by))

    def and_(self, other: "Wanted") -> "Wanted":
        return Wanted(self.rows & other.rows, (*self.by, *other.by))

    def or_(self, other: "Wanted") -> "Wanted":
        return Wanted(self.rows | other.rows, (*self.by, *other.by))


@dataclass(frozen=True)
class Shelf:
    """Where the rows of pieces lie: in a folder that all tasks reach, so that only names travel; else in what travels."""

    folder: str | None = None

    def put(self, rows: pa.Table) -> bytes:
        if self.folder is None:
            out = pa.BufferOutputStream()
            _write(rows, out)
            return cast(bytes, out.getvalue().to_pybytes())
        place = Path(self.folder) / f"{uuid.uuid4()}.arrow"
        with pa.OSFile(str(place), "wb") as file:
            _write(rows, file)
        return str(place).encode()

    def take(self, piece: bytes, columns: Iterable[str] | None = None) -> pa.Table:
        """All columns, or these: what is not asked for stays packed."""
        rows = piece if self.folder is None else pa.memory_map(piece.decode()).read_buffer()
        if columns is None:
            return pa.ipc.open_stream(rows).read_all()
        names = pa.ipc.open_stream(rows).schema.names
        only = pa.ipc.IpcReadOptions(included_fields=sorted({names.index(column) for column in columns}))
        return pa.ipc.open_stream(rows, options=only).read_all()


def _write(rows: pa.Table, to: pa.NativeFile) -> None:
    with pa.ipc.new_stream(to, rows.schema, options=_COMPRESSED) as stream:
        stream.write_table(rows)


def asked(
    pieces: Iterable[pa.RecordBatch], columns: list[str], wanted: Wanted | None, shelf: Shelf
) -> Iterator[pa.RecordBatch]:
    """These columns of the wanted rows."""
    for batch in pieces:
        for piece in batch["rows"].to_pylist():
            if wanted is None:
                table = shelf.take(piece, columns)
            else:
                # Where few rows are wanted most pieces have none of them, and need not be unpacked.
                ours = marked(shelf.take(piece, wanted.by), wanted.rows)
                if not ours.any():
                    continue
                table = shelf.take(piece, columns)
                if not ours.all():
                    table = table.filter(pa.array(ours))
            yield from table.select(columns).combine_chunks().to_batches()


def marked(rows: pa.Table, wanted: pc.Expression) -> npt.NDArray[np.bool_]:
    """Marks the rows that are wanted."""
    ours = np.zeros(len(rows), np.bool_)
    ours[rows.append_column("place", pa.array(np.arange(len(rows)))).filter(wanted)["place"].to_numpy()] = True
    return ours
