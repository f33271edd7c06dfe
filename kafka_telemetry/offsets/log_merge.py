"""Reads logs from their pieces in one pass each: copies, holes, transactions, previous positions, log ends."""

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Flags, integers
from kafka_telemetry.offsets.log_copies import fill_commit_times, merge_copies
from kafka_telemetry.offsets.log_ends import LogEnds
from kafka_telemetry.offsets.log_pieces import BEFORE_THE_LOG, LOG_KEY
from kafka_telemetry.offsets.position_tracker import PositionTracker
from kafka_telemetry.offsets.transactions import TransactionTracker
from kafka_telemetry.spill import Spill


def merge_logs(pieces: Iterable[pa.RecordBatch], log_ends: LogEnds, spill: Spill) -> Iterator[pa.Table]:
    """The rows of one log after the other: one per record offset, and one per record that contradicts it there.

    Adds `copies`, `contradicted`, `lost_before`, `holes`, `transaction`, the position before each commit, the log ends
    of its topic around it, `furthest` and `place`. `pieces` are sorted by log and first offset; their `log_read_to` is
    the last offset that was read before these days. Rows marked `later` follow these days. The result is not sorted: a
    record is returned when the outcome of its transaction is known.
    """
    log: _Log | None = None
    for batch in pieces:
        for piece in batch.to_pylist():
            key = tuple(piece[name] for name in LOG_KEY)
            if log is None or log.key != key:
                if log is not None:
                    yield from log.finish()
                log = _Log(key, piece["log_read_to"], log_ends)
            yield from log.add_piece(piece["first_offset"], spill.read(piece["rows"]))
    if log is not None:
        yield from log.finish()


class _Log:
    def __init__(self, key: tuple[object, ...], read_to: int | None, log_ends: LogEnds) -> None:
        self.key = key
        self._last_offset = -1 if read_to is None else read_to
        self._start_is_known = read_to is not None
        self._holes = 0
        self._log_ends = log_ends
        self._transactions = TransactionTracker()
        self._positions = PositionTracker()
        # Rows of which the following pieces may contain other copies.
        self._pending: pa.Table | None = None

    def add_piece(self, first_offset: int, rows: pa.Table) -> Iterator[pa.Table]:
        """Processes the rows before `first_offset`, because no further piece has copies of them."""
        if first_offset == BEFORE_THE_LOG:
            self._positions.start_from(rows)
            return
        pending = self._pending
        if pending is None:
            self._pending = rows
            return
        complete = int(np.searchsorted(pending["record_offset"].to_numpy(), first_offset))
        rest = pending.slice(complete)
        self._pending = _merged_by_offset(rest, rows) if len(rest) else rows
        if complete:
            yield self._process(pending.slice(0, complete))

    def finish(self) -> Iterator[pa.Table]:
        if self._pending is not None:
            yield self._process(self._pending)
        unresolved = self._transactions.unresolved()
        if unresolved is not None:
            yield self._with_positions(unresolved)

    def _process(self, rows: pa.Table) -> pa.Table:
        """`rows` are the next of the log, with all copies of each record."""
        is_later = pc.fill_null(rows["later"], False)
        later = rows.slice(0, 0)
        if pc.any(is_later).as_py():
            later, rows = rows.filter(is_later), rows.filter(pc.invert(is_later))
        records = self._with_holes(fill_commit_times(merge_copies(rows)))
        return self._with_positions(self._transactions.resolve(records, later))

    def _with_positions(self, rows: pa.Table) -> pa.Table:
        rows = self._log_ends.with_nearest_ends(self._positions.with_previous_positions(rows))
        rows = rows.append_column("furthest", pa.array(_is_furthest_of_its_day(rows)))
        return rows.append_column("place", rows["record_offset"])

    def _with_holes(self, rows: pa.Table) -> pa.Table:
        """Adds `lost_before`, the number of missing offsets directly before the record (null where the start of the log
        is unknown), and `holes`, the number of such gaps between the start of the days and the record."""
        offsets = integers(rows["record_offset"])
        lost = np.maximum(offsets - np.concatenate([[self._last_offset], offsets[:-1]]) - 1, 0)
        holes = self._holes + np.cumsum(lost > 0)
        is_start = np.zeros(len(offsets), np.bool_)
        is_start[:1] = not self._start_is_known
        if len(offsets):
            self._last_offset, self._holes, self._start_is_known = int(offsets[-1]), int(holes[-1]), True
        rows = rows.append_column("lost_before", pa.array(lost, pa.int64(), mask=is_start))
        return rows.append_column("holes", pa.array(holes, pa.int64()))


def _is_furthest_of_its_day(rows: pa.Table) -> Flags:
    """Marks the highest record offset of each day among these rows."""
    days, offsets = rows["day"].cast(pa.int32()).to_numpy(), rows["record_offset"].to_numpy()
    furthest = np.zeros(len(rows), np.bool_)
    for day in np.unique(days):
        rows_of_day = np.flatnonzero(days == day)
        furthest[rows_of_day[np.argmax(offsets[rows_of_day])]] = True
    return furthest


def _merged_by_offset(rows: pa.Table, more: pa.Table) -> pa.Table:
    both = pa.concat_tables([rows, more])
    return both.take(np.argsort(both["record_offset"].to_numpy(), kind="stable"))
