"""Moves the rows of logs between tasks in pieces: each piece is a run of one log, sorted by record offset, in one value.

Moving and sorting a thousand pieces costs next to nothing; moving and sorting their rows costs more than reading them.
"""

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import integers, run_starts, value_codes
from kafka_telemetry.spill import Spill

LOG_KEY = ("cluster", "offsets_partition")
# The kind of a row that is no record, but the position of a group when the days began.
START_POSITION = "start_position"
# The first offset of a piece with start positions: they come before all records of the log.
BEFORE_THE_LOG = -1

PIECE_TYPES = "cluster string, offsets_partition int, first_offset bigint, rows binary"
SPILLED_TYPES = "rows binary"
_PIECE_SCHEMA = pa.schema(
    [("cluster", pa.string()), ("offsets_partition", pa.int32()), ("first_offset", pa.int64()), ("rows", pa.binary())]
)
_SPILLED_SCHEMA = pa.schema([("rows", pa.binary())])
_PLAIN_COMMIT = pc.coalesce(
    (pc.field("kind") == "commit")
    & (pc.field("transaction") == "none")
    & ~pc.field("newest")
    & ~pc.field("furthest")
    & ~pc.field("tombstone")
    & (pc.coalesce(pc.field("lost_before"), pc.scalar(0)) == 0),
    False,
)


def pack_pieces(batches: Iterable[pa.RecordBatch], spill: Spill) -> Iterator[pa.RecordBatch]:
    """Packs rows, in any order, into pieces of `PIECE_TYPES`."""
    for batch in batches:
        if batch.num_rows:
            yield pa.RecordBatch.from_pylist(list(_pieces(batch, spill)), schema=_PIECE_SCHEMA)


def spill_tables(tables: Iterable[pa.Table], columns: list[str], spill: Spill) -> Iterator[pa.RecordBatch]:
    """Spills each table as two pieces of `SPILLED_TYPES`, plain commits and all other rows: most readers skip the
    plain commits."""
    for rows in tables:
        for part in (rows.filter(_PLAIN_COMMIT), rows.filter(~_PLAIN_COMMIT)):
            if len(part):
                yield pa.RecordBatch.from_pylist([{"rows": spill.write(part.select(columns))}], schema=_SPILLED_SCHEMA)


def _pieces(batch: pa.RecordBatch, spill: Spill) -> Iterator[dict[str, object]]:
    rows = pa.Table.from_batches([batch])
    cluster, partition = value_codes(rows["cluster"]), integers(rows["offsets_partition"], -1)
    is_record = pc.not_equal(batch["kind"], START_POSITION).to_numpy(zero_copy_only=False)
    order = np.lexsort((batch["record_offset"].to_numpy(), is_record, partition, cluster))
    if (order[1:] < order[:-1]).any():
        rows = rows.take(order)
    starts = np.flatnonzero(run_starts(cluster[order], partition[order], is_record[order])).tolist()
    for start, stop in zip(starts, [*starts[1:], len(order)], strict=True):
        piece = rows.slice(start, stop - start)
        yield {
            **{name: piece[name][0].as_py() for name in LOG_KEY},
            "first_offset": piece["record_offset"][0].as_py() if is_record[order[start]] else BEFORE_THE_LOG,
            "rows": spill.write(piece),
        }
