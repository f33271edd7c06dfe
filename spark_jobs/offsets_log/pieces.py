"""Rows of logs travel in pieces: each a run of one log, in the order of its places, as one value of a few bytes a row.

Moving and sorting a thousand pieces costs next to nothing; moving and sorting their rows costs more than reading them.
"""

from collections.abc import Iterable, Iterator
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


def packed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Rows in any order as pieces, each in the order of its log."""
    for batch in batches:
        if batch.num_rows:
            yield pa.RecordBatch.from_pylist(list(_pieces(batch)), schema=_SCHEMA)


def kept(tables: Iterable[pa.Table], columns: list[str]) -> Iterator[pa.RecordBatch]:
    """Rows as they come, a table a piece, to be asked for again and again."""
    for rows in tables:
        if len(rows):
            yield pa.RecordBatch.from_pylist([{"rows": as_bytes(rows.select(columns))}], schema=_KEPT_SCHEMA)


def asked(pieces: Iterable[pa.RecordBatch], columns: list[str], wanted: Wanted | None) -> Iterator[pa.RecordBatch]:
    """These columns of the wanted rows."""
    for batch in pieces:
        for rows in batch["rows"]:
            packed_rows = rows.as_buffer()
            if wanted is None:
                table = unpacked(packed_rows, columns)
            else:
                # What few rows are wanted of need not be unpacked where there are none.
                ours = _mask(packed_rows, wanted)
                if not ours.any():
                    continue
                table = unpacked(packed_rows, columns)
                if not ours.all():
                    table = table.filter(pa.array(ours))
            yield from table.select(columns).combine_chunks().to_batches()


def _mask(rows: pa.Buffer, wanted: Wanted) -> npt.NDArray[np.bool_]:
    by = unpacked(rows, wanted.by)
    ours = np.zeros(len(by), np.bool_)
    ours[by.append_column("place", pa.array(np.arange(len(by)))).filter(wanted.rows)["place"].to_numpy()] = True
    return ours


def unpacked(rows: bytes | pa.Buffer, columns: Iterable[str] | None = None) -> pa.Table:
    """All columns, or these: what is not asked for stays packed."""
    if columns is None:
        return pa.ipc.open_stream(rows).read_all()
    names = pa.ipc.open_stream(rows).schema.names
    only = pa.ipc.IpcReadOptions(included_fields=sorted({names.index(column) for column in columns}))
    return pa.ipc.open_stream(rows, options=only).read_all()


def _pieces(batch: pa.RecordBatch) -> Iterator[dict[str, object]]:
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
            "rows": as_bytes(piece),
        }


def as_bytes(rows: pa.Table) -> bytes:
    out = pa.BufferOutputStream()
    with pa.ipc.new_stream(out, rows.schema, options=_COMPRESSED) as stream:
        stream.write_table(rows)
    return cast(bytes, out.getvalue().to_pybytes())
