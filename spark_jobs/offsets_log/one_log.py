"""Logs read from end to end, a batch of rows at a time."""

import itertools
from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_jobs.offsets_log.copies import Flags, Numbers, merged
from spark_jobs.offsets_log.transactions import Transactions

_LOG = ("cluster", "offsets_partition")
_PLACE = (*_LOG, "record_offset")


def one_log(batches: Iterable[pa.RecordBatch], columns: list[str]) -> Iterator[pa.RecordBatch]:
    """Logs, one after the other in the order of their places, as `columns`: each place once, contradicting records
    beside it, with `copies`, `contradicted`, `holes` and `transaction`.

    Rows that are `later` stand behind the days looked at; `log_read_to` is how far the log was read before them. A log may
    come in another order than it went in: a record comes when it is known how its transaction ended.
    """
    log: _Log | None = None
    rest: pa.Table | None = None
    for batch in batches:
        rows = pa.Table.from_batches([batch])
        if rest is not None:
            rows = pa.concat_tables([rest, rows]).combine_chunks()
        # The last place may go on in the next batch.
        begins = _begins(rows, _PLACE)
        rest = rows.slice(begins[-1]) if len(begins) else rows
        log, told = _read(log, rows.slice(0, begins[-1] if len(begins) else 0))
        yield from _batches(told, columns)
    if rest is not None and len(rest):
        log, told = _read(log, rest)
        yield from _batches(told, columns)
    if log is not None:
        yield from _batches(log.end(), columns)


class _Log:
    def __init__(self, first: pa.Table) -> None:
        self.name = tuple(first[name][0].as_py() for name in _LOG)
        read_to = first["log_read_to"][0].as_py()
        self._last = -1 if read_to is None else read_to
        self._holes = 0
        self._transactions = Transactions()

    def take(self, rows: pa.Table) -> pa.Table:
        """`rows` are the next of the log, whole places."""
        is_later = rows["later"]
        later = rows.slice(0, 0)
        if pc.any(is_later).as_py():
            later, rows = rows.filter(is_later), rows.filter(pc.invert(is_later))
        return self._transactions.resolved(self._with_holes(merged(rows)), later)

    def _with_holes(self, rows: pa.Table) -> pa.Table:
        """Adds `holes`: how many gaps the log has between the start of the days and the record."""
        offsets = rows["record_offset"].to_numpy()
        before = np.concatenate([[self._last], offsets[:-1]])
        holes = self._holes + np.cumsum(offsets - before > 1)
        if len(offsets):
            self._last, self._holes = int(offsets[-1]), int(holes[-1])
        return rows.append_column("holes", pa.array(holes, pa.int64()))

    def end(self) -> list[pa.Table]:
        waiting = self._transactions.open_ones()
        return [] if waiting is None else [waiting]


def _read(log: _Log | None, rows: pa.Table) -> tuple[_Log | None, list[pa.Table]]:
    """Reads on, in the log where the reading stands and in those that follow it."""
    told: list[pa.Table] = []
    borders = [*_begins(rows, _LOG), len(rows)]
    for start, end in itertools.pairwise(borders):
        of_log = rows.slice(start, end - start)
        if log is None or log.name != tuple(of_log[name][0].as_py() for name in _LOG):
            told += log.end() if log is not None else []
            log = _Log(of_log)
        told.append(log.take(of_log))
    return log, told


def _begins(rows: pa.Table, names: tuple[str, ...]) -> Numbers:
    """Where rows begin that are equal in these columns."""
    begins: Flags = np.zeros(len(rows), np.bool_)
    begins[:1] = True
    for name in names if len(rows) > 1 else ():
        column = rows[name].combine_chunks()
        if pa.types.is_integer(column.type):
            column = pc.fill_null(column, -1)
        begins[1:] |= pc.not_equal(column.slice(1), column.slice(0, len(rows) - 1)).to_numpy(zero_copy_only=False)
    return np.flatnonzero(begins)


def _batches(told: list[pa.Table], columns: list[str]) -> Iterator[pa.RecordBatch]:
    if told:
        yield from pa.concat_tables(told).select(columns).combine_chunks().to_batches()
