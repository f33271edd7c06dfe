"""Logs read from end to end, a piece at a time."""

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_jobs.offsets_log.copies import Flags, Numbers, merged
from spark_jobs.offsets_log.pieces import FIRST, LOG, unpacked
from spark_jobs.offsets_log.positions import Positions
from spark_jobs.offsets_log.transactions import Transactions


def one_log(pieces: Iterable[pa.RecordBatch], columns: list[str]) -> Iterator[pa.RecordBatch]:
    """Logs, one after the other, as `columns`: each place once, contradicting records beside it, with `copies`,
    `contradicted`, `holes`, `transaction` and the position before each commit.

    `pieces` come by log, in the order of their first places; `log_read_to` is how far the log was read before the days.
    Rows that are `later` stand behind the days looked at. A log may come in another order than it went in: a record comes
    when it is known how its transaction ended.
    """
    log: _Log | None = None
    for batch in pieces:
        for piece in batch.to_pylist():
            name = tuple(piece[part] for part in LOG)
            if log is None or log.name != name:
                yield from _batches(log.end() if log else None, columns)
                log = _Log(name, piece["log_read_to"])
            yield from _batches(log.take(piece["first_offset"], unpacked(piece["rows"])), columns)
    yield from _batches(log.end() if log else None, columns)


class _Log:
    def __init__(self, name: tuple[object, ...], read_to: int | None) -> None:
        self.name = name
        self._last = -1 if read_to is None else read_to
        self._holes = 0
        self._transactions = Transactions()
        self._positions = Positions()
        # Rows that a piece to come may hold other copies of.
        self._ahead: pa.Table | None = None

    def take(self, first_offset: int, rows: pa.Table) -> pa.Table | None:
        """The next piece. Returns what stands before it: no piece to come has a place there."""
        if first_offset == FIRST:
            self._positions.start_from(rows)
            return None
        if self._ahead is None:
            self._ahead = rows
            return None
        places = self._ahead["record_offset"].to_numpy()
        border = int(np.searchsorted(places, first_offset))
        done, rest = self._ahead.slice(0, border), self._ahead.slice(border)
        self._ahead = _merged_in_order(rest, rows) if len(rest) else rows
        return self._read(done) if border else None

    def end(self) -> pa.Table | None:
        parts = [] if self._ahead is None else [self._read(self._ahead)]
        waiting = self._transactions.open_ones()
        if waiting is not None:
            parts.append(self._positions.told(waiting))
        return pa.concat_tables(parts) if parts else None

    def _read(self, rows: pa.Table) -> pa.Table:
        """`rows` are the next of the log, whole places."""
        is_later = rows["later"]
        later = rows.slice(0, 0)
        if pc.any(is_later).as_py():
            later, rows = rows.filter(is_later), rows.filter(pc.invert(is_later))
        resolved = self._transactions.resolved(self._with_holes(merged(rows)), later)
        return self._positions.told(resolved)

    def _with_holes(self, rows: pa.Table) -> pa.Table:
        """Adds `holes`: how many gaps the log has between the start of the days and the record."""
        offsets: Numbers = rows["record_offset"].to_numpy()
        before = np.concatenate([[self._last], offsets[:-1]])
        gaps: Flags = offsets - before > 1
        holes = self._holes + np.cumsum(gaps)
        if len(offsets):
            self._last, self._holes = int(offsets[-1]), int(holes[-1])
        return rows.append_column("holes", pa.array(holes, pa.int64()))


def _merged_in_order(rows: pa.Table, more: pa.Table) -> pa.Table:
    both = pa.concat_tables([rows, more])
    return both.take(np.argsort(both["record_offset"].to_numpy(), kind="stable"))


def _batches(told: pa.Table | None, columns: list[str]) -> Iterator[pa.RecordBatch]:
    if told is not None and len(told):
        yield from told.select(columns).combine_chunks().to_batches()
