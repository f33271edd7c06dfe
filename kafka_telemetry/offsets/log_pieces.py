"""Rows of logs travel in pieces: each a run of one log, in the order of its places, as one value.

Moving and sorting a thousand pieces costs next to nothing; moving and sorting their rows costs more than reading them.
"""

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.spill import Spill

LOG_KEY = ("cluster", "offsets_partition")
# The kind of a row that is no record: where a group stood when the days began.
START_POSITION = "start_position"
# What stood comes before all that the log holds.
BEFORE_THE_LOG = -1

PIECE_TYPES = "cluster string, offsets_partition int, first_offset bigint, rows binary"
SPILLED_TYPES = "rows binary"
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


def pack_pieces(batches: Iterable[pa.RecordBatch], spill: Spill) -> Iterator[pa.RecordBatch]:
    """Rows in any order as pieces, each in the order of its log."""
    for batch in batches:
        if batch.num_rows:
            yield pa.RecordBatch.from_pylist(list(_pieces(batch, spill)), schema=_SCHEMA)


def spill_tables(tables: Iterable[pa.Table], columns: list[str], spill: Spill) -> Iterator[pa.RecordBatch]:
    """Rows as they come, to be asked for again and again: of each table plain commits are a piece and all else another,
    since most readers want none of the first."""
    for rows in tables:
        for part in (rows.filter(_PLAIN), rows.filter(~_PLAIN)):
            if len(part):
                yield pa.RecordBatch.from_pylist([{"rows": spill.write(part.select(columns))}], schema=_KEPT_SCHEMA)


def _pieces(batch: pa.RecordBatch, spill: Spill) -> Iterator[dict[str, object]]:
    cluster = batch["cluster"].dictionary_encode().indices.to_numpy()
    partition = pc.fill_null(batch["offsets_partition"], -1).to_numpy()
    stood = pc.equal(batch["kind"], START_POSITION).to_numpy(zero_copy_only=False)
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
            **{name: piece[name][0].as_py() for name in LOG_KEY},
            "first_offset": BEFORE_THE_LOG if stood[order[start]] else piece["record_offset"][0].as_py(),
            "rows": spill.write(piece),
        }
