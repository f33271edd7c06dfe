"""How transactions ended: by the next marker of the same producer in the same log. Producer epochs are not compared."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Integers, flags, integers

_OUTCOMES = {"commit": "committed", "abort": "aborted"}
_NO_PRODUCER = -1


class TransactionTracker:
    """Withholds the records of a transaction until its marker is read."""

    def __init__(self) -> None:
        self._pending: pa.Table | None = None

    def resolve(self, rows: pa.Table, later_markers: pa.Table) -> pa.Table:
        """The next rows of the log with the column `transaction`: without those that wait for a marker, and with those
        that waited until now.

        `later_markers` follow the days that are read, and only decide how transactions ended.
        """
        in_transaction = flags(pc.and_(pc.fill_null(rows["transactional"], False), pc.is_null(rows["marker"])))
        if self._pending is None and not in_transaction.any():
            return _with_transaction(rows, "none")
        pending = rows.filter(pa.array(in_transaction))
        if self._pending is not None:
            pending = pa.concat_tables([self._pending, pending])
        # A contradicted copy has the same offset as the record that counts, and must not end a transaction.
        is_marker = pc.and_(pc.is_valid(rows["marker"]), pc.invert(rows["contradicted"]))
        columns = ["producer_id", "record_offset", "marker"]
        markers = pa.concat_tables([rows.select(columns).filter(is_marker), later_markers.select(columns)])
        marker = _next_marker(pending, markers)
        has_ended = marker >= 0
        self._pending = None if has_ended.all() else pending.filter(pa.array(~has_ended))
        outcomes = pa.array([_OUTCOMES.get(kind, "open") for kind in markers["marker"].to_pylist()], pa.string())
        ended = pending.filter(pa.array(has_ended))
        return pa.concat_tables(
            [
                _with_transaction(rows.filter(pa.array(~in_transaction)), "none"),
                ended.append_column("transaction", outcomes.take(pa.array(marker[has_ended]))),
            ]
        )

    def unresolved(self) -> pa.Table | None:
        """The records that still wait for a marker when the whole log has been read."""
        return None if self._pending is None else _with_transaction(self._pending, "open")


def _next_marker(pending: pa.Table, markers: pa.Table) -> Integers:
    """For each pending record the index of the first later marker of its producer, or -1."""
    producers = np.concatenate([integers(table["producer_id"], _NO_PRODUCER) for table in (markers, pending)])
    offsets = np.concatenate([integers(table["record_offset"], -1) for table in (markers, pending)])
    is_pending = np.arange(len(offsets)) >= len(markers)
    order = np.lexsort((is_pending, offsets, producers))
    # The nearest marker at or after each row of this order, searched from the end.
    marker_at = np.where(is_pending[order], len(order), np.arange(len(order)))
    nearest = np.minimum.accumulate(marker_at[::-1])[::-1]
    marker = order[np.minimum(nearest, len(order) - 1)]
    same_producer = (nearest < len(order)) & (producers[marker] == producers[order])
    result = np.full(len(order), -1, np.int64)
    result[order] = np.where(same_producer, marker, -1)
    return result[len(markers) :]


def _with_transaction(rows: pa.Table, outcome: str) -> pa.Table:
    return rows.append_column("transaction", pa.repeat(pa.scalar(outcome), len(rows)))
