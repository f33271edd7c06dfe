"""Rows of logs travel in pieces: each a run of one log, in the order of its places, as one value.

Moving and sorting a thousand pieces costs next to nothing; moving and sorting their rows costs more than reading them.
"""

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

LOG = ("cluster", "offsets_partition")
# The kind of a row that is no record: where a group stood when the days began.
STANDING = "standing"
# What stood comes before all that the log holds.
FIRST = -1

PIECES = "cluster string, offsets_partition int, first_offset bigint, rows binary"
KEPT = "rows binary"
_SCHEMA = pa.schema(
    [("cluster", pa.string()), ("offsets_partition", pa.int32()), ("first_offset", pa.int64()), ("rows", pa.binary())]
)
_KEPT_SCHEMA = pa.schema([("rows", pa.binary())])
_PLAIN = pc.coalesce(
    (pc.field("kind") == "commit")
    & (pc.field("transaction") == "none")
    & ~pc.field("newest")
    & ~pc.field("furthest")
    & ~pc.field("tombstone")
    & (pc.coalesce(pc.field("lost_before"), pc.scalar(0)) == 0),
    False,
)
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


def packed(batches: Iterable[pa.RecordBatch], shelf: Shelf) -> Iterator[pa.RecordBatch]:
    """Rows in any order as pieces, each in the order of its log."""
    for batch in batches:
        if batch.num_rows:
            yield pa.RecordBatch.from_pylist(list(_pieces(batch, shelf)), schema=_SCHEMA)


def kept(tables: Iterable[pa.Table], columns: list[str], shelf: Shelf) -> Iterator[pa.RecordBatch]:
    """Rows as they come, to be asked for again and again: of each table plain commits are a piece and all else another,
    since most readers want none of the first."""
    for rows in tables:
        for part in (rows.filter(_PLAIN), rows.filter(~_PLAIN)):
            if len(part):
                yield pa.RecordBatch.from_pylist([{"rows": shelf.put(part.select(columns))}], schema=_KEPT_SCHEMA)


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


def _pieces(batch: pa.RecordBatch, shelf: Shelf) -> Iterator[dict[str, object]]:
    cluster = batch["cluster"].dictionary_encode().indices.to_numpy()
    partition = pc.fill_null(batch["offsets_partition"], -1).to_numpy()
    stood = pc.equal(batch["kind"], STANDING).to_numpy(zero_copy_only=False)
    offset = batch["record_offset"].to_numpy()
    order = np.lexsort((offset, ~stood, partition, cluster))
    rows = pa.Table.from_batches([batch])
    if (order[1:] < order[:-1]).any():
        rows = rows.take(order)
    begins = np.ones(len(order), np.bool_)
    begins[1:] = False
    for of_log in (cluster, partition, stood):
        begins[1:] |= of_log[order[1:]] != of_log[order[:-1]]
    starts = np.flatnonzero(begins)
    for start, end in zip(starts, [*starts[1:], len(order)], strict=True):
        piece = rows.slice(start, end - start)
        yield {
            **{name: piece[name][0].as_py() for name in LOG},
            "first_offset": FIRST if stood[order[start]] else piece["record_offset"][0].as_py(),
            "rows": shelf.put(piece),
        }
