"""How transactions ended: told by the next marker of the producer in the same log, never by epochs."""

from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.offsets.log_copies import Flags, Numbers

_ENDED = {"commit": "committed", "abort": "aborted"}
_NOBODY = -1


class TransactionTracker:
    """Records are held back until their marker comes by."""

    def __init__(self) -> None:
        self._held: pa.Table | None = None

    def resolved(self, rows: pa.Table, later_markers: pa.Table) -> pa.Table:
        """The rows with `transaction`, except those that wait for a marker; with them those that waited until now.

        `rows` are the next of the log; `later_markers` stand behind the days looked at, and tell only how transactions
        ended.
        """
        waits = _flags(pc.and_(pc.fill_null(rows["transactional"], False), pc.is_null(rows["marker"])))
        if self._held is None and not waits.any():
            return _told(rows, "none")
        new = rows.filter(pa.array(waits))
        waiting = new if self._held is None else pa.concat_tables([self._held, new])
        # A contradicted copy shares its place with the record that counts, and must not end a transaction.
        ends = pc.and_(pc.is_valid(rows["marker"]), pc.invert(rows["contradicted"]))
        asked = ["producer_id", "record_offset", "marker"]
        markers = pa.concat_tables([rows.select(asked).filter(ends), later_markers.select(asked)])
        ending = _next_marker(waiting, markers)
        known = ending >= 0
        self._held = None if known.all() else waiting.filter(pa.array(~known))
        words = pa.array([_ENDED.get(word, "open") for word in markers["marker"].to_pylist()], pa.string())
        settled = waiting.filter(pa.array(known))
        return pa.concat_tables(
            [
                _told(rows.filter(pa.array(~waits)), "none"),
                settled.append_column("transaction", words.take(pa.array(ending[known]))),
            ]
        )

    def open_ones(self) -> pa.Table | None:
        """What still waits when the log has been read."""
        return None if self._held is None else _told(self._held, "open")


def _next_marker(waiting: pa.Table, markers: pa.Table) -> Numbers:
    """For each that waits the index of the first marker of its producer behind it, or -1."""
    producers = np.concatenate([_numbers(table, "producer_id") for table in (markers, waiting)])
    offsets = np.concatenate([_numbers(table, "record_offset") for table in (markers, waiting)])
    is_waiting = np.arange(len(offsets)) >= len(markers)
    order = np.lexsort((is_waiting, offsets, producers))
    # The nearest marker at or behind each place of this order: looked for from the end.
    at = np.where(is_waiting[order], len(order), np.arange(len(order)))
    behind = np.minimum.accumulate(at[::-1])[::-1]
    found = order[np.minimum(behind, len(order) - 1)]
    of_same = (behind < len(order)) & (producers[found] == producers[order])
    ending = np.full(len(order), -1, np.int64)
    ending[order] = np.where(of_same, found, -1)
    return ending[len(markers) :]


def _told(rows: pa.Table, word: str) -> pa.Table:
    return rows.append_column("transaction", pa.repeat(pa.scalar(word), len(rows)))


def _numbers(rows: pa.Table, name: str) -> Numbers:
    return cast(Numbers, pc.fill_null(rows[name], _NOBODY).to_numpy())


def _flags(values: pa.ChunkedArray) -> Flags:
    return cast(Flags, values.to_numpy())
