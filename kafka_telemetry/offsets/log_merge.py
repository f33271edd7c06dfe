"""Logs read from end to end, a piece at a time."""

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.offsets.log_copies import Flags, Numbers, fill_commit_times, merge_copies
from kafka_telemetry.offsets.log_ends import LogEnds
from kafka_telemetry.offsets.log_pieces import BEFORE_THE_LOG, LOG_KEY
from kafka_telemetry.offsets.position_tracker import PositionTracker
from kafka_telemetry.offsets.transactions import TransactionTracker
from kafka_telemetry.spill import Spill


def merge_logs(pieces: Iterable[pa.RecordBatch], log_ends: LogEnds, spill: Spill) -> Iterator[pa.Table]:
    """Logs, one after the other: each place once, contradicting records beside it, with `copies`, `contradicted`, `holes`,
    `transaction`, the position before each commit, and the ends of its topic's log around it.

    `pieces` come by log, in the order of their first places; `log_read_to` is how far the log was read before the days.
    Rows that are `later` stand behind the days looked at. A log may come in another order than it went in: a record comes
    when it is known how its transaction ended.
    """
    log: _Log | None = None
    for batch in pieces:
        for piece in batch.to_pylist():
            name = tuple(piece[part] for part in LOG_KEY)
            if log is None or log.name != name:
                if log is not None:
                    yield from log.end()
                log = _Log(name, piece["log_read_to"], log_ends)
            yield from log.take(piece["first_offset"], spill.read(piece["rows"]))
    if log is not None:
        yield from log.end()


class _Log:
    def __init__(self, name: tuple[object, ...], read_to: int | None, log_ends: LogEnds) -> None:
        self.name = name
        self._last = -1 if read_to is None else read_to
        self._began = read_to is not None
        self._holes = 0
        self._log_ends = log_ends
        self._transactions = TransactionTracker()
        self._positions = PositionTracker()
        # Rows that a piece to come may hold other copies of.
        self._ahead: pa.Table | None = None

    def take(self, first_offset: int, rows: pa.Table) -> Iterator[pa.Table]:
        """The next piece. Tells what stands before it: no piece to come has a place there."""
        if first_offset == BEFORE_THE_LOG:
            self._positions.start_from(rows)
            return
        ahead = self._ahead
        if ahead is None:
            self._ahead = rows
            return
        border = int(np.searchsorted(ahead["record_offset"].to_numpy(), first_offset))
        rest = ahead.slice(border)
        self._ahead = _merged_in_order(rest, rows) if len(rest) else rows
        if border:
            yield self._read(ahead.slice(0, border))

    def end(self) -> Iterator[pa.Table]:
        if self._ahead is not None:
            yield self._read(self._ahead)
        waiting = self._transactions.open_ones()
        if waiting is not None:
            yield self._told(waiting)

    def _read(self, rows: pa.Table) -> pa.Table:
        """`rows` are the next of the log, whole places."""
        is_later = pc.fill_null(rows["later"], False)
        later = rows.slice(0, 0)
        if pc.any(is_later).as_py():
            later, rows = rows.filter(is_later), rows.filter(pc.invert(is_later))
        return self._told(self._transactions.resolved(self._with_holes(fill_commit_times(merge_copies(rows))), later))

    def _told(self, rows: pa.Table) -> pa.Table:
        told = self._log_ends.with_nearest_ends(self._positions.with_previous_positions(rows))
        told = told.append_column("furthest", pa.array(_furthest_of_each_day(told)))
        return told.append_column("place", told["record_offset"])

    def _with_holes(self, rows: pa.Table) -> pa.Table:
        """Adds `lost_before`: how many places before the record are empty, null where nobody knows where the log began; and
        `holes`: how many such gaps the log has between the start of the days and the record."""
        offsets: Numbers = rows["record_offset"].to_numpy()
        lost = np.maximum(offsets - np.concatenate([[self._last], offsets[:-1]]) - 1, 0)
        holes = self._holes + np.cumsum(lost > 0)
        began = np.zeros(len(offsets), np.bool_)
        began[:1] = not self._began
        if len(offsets):
            self._last, self._holes, self._began = int(offsets[-1]), int(holes[-1]), True
        rows = rows.append_column("lost_before", pa.array(lost, pa.int64(), mask=began))
        return rows.append_column("holes", pa.array(holes, pa.int64()))


def _furthest_of_each_day(rows: pa.Table) -> Flags:
    """Marks the rows among which is the last of the log on each day."""
    days, offsets = rows["day"].cast(pa.int32()).to_numpy(), rows["record_offset"].to_numpy()
    furthest = np.zeros(len(rows), np.bool_)
    for day in np.unique(days):
        of_day = np.flatnonzero(days == day)
        furthest[of_day[np.argmax(offsets[of_day])]] = True
    return furthest


def _merged_in_order(rows: pa.Table, more: pa.Table) -> pa.Table:
    both = pa.concat_tables([rows, more])
    return both.take(np.argsort(both["record_offset"].to_numpy(), kind="stable"))
