"""Readings travel in pieces: what a batch tells of the logs of one task, as one value of a few bytes a row."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

from spark_jobs.lag_series.order import begins
from spark_jobs.lag_series.readings import found
from spark_jobs.offsets_log.pieces import as_bytes, unpacked

PIECES = "task int, rows binary"
FOUND = "kind string, rows binary"
_PIECES = pa.schema([("task", pa.int32()), ("rows", pa.binary())])
_FOUND = pa.schema([("kind", pa.string()), ("rows", pa.binary())])


def packed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        if not batch.num_rows:
            continue
        task = batch["task"].to_numpy()
        order = np.argsort(task, kind="stable")
        rows = pa.Table.from_batches([batch]).drop_columns(["task"]).take(pa.array(order))
        starts = np.flatnonzero(begins(task[order])).tolist()
        told = [as_bytes(rows.slice(start, end - start)) for start, end in itertools.pairwise([*starts, len(rows)])]
        yield pa.RecordBatch.from_arrays([pa.array(task[order][starts]), pa.array(told, pa.binary())], schema=_PIECES)


def read(
    batches: Iterable[pa.RecordBatch],
    changes: Mapping[tuple[str, str], Sequence[int]],
    columns: Mapping[str, list[str]],
) -> Iterator[pa.RecordBatch]:
    """What the readings of a task come to, a piece a kind of row, with these columns."""
    told = [unpacked(rows.as_buffer()) for batch in batches for rows in batch["rows"]]
    if not told:
        return
    for kind, rows in found(pa.concat_tables(told), changes).items():
        if len(rows):
            kept = as_bytes(rows.select(columns[kind]))
            yield pa.RecordBatch.from_arrays([pa.array([kind]), pa.array([kept], pa.binary())], schema=_FOUND)
