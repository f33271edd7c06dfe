"""The ends of topics' logs that were seen nearest before and after a commit, an hour away at most."""

from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.offsets.log_copies import Flags, Numbers

LOG_END_COLUMNS = ("log_end_before", "log_end_after")
_HOUR = 3_600_000_000
_KEY = ("cluster", "topic", "partition_id")


class LogEnds:
    """Times (microseconds) and ends of each partition, in the order of time."""

    def __init__(self, seen: pa.Table | None = None) -> None:
        """`seen`: cluster, topic, partition_id, sampled_at, log_end_offset."""
        self._of: dict[tuple[object, ...], tuple[Numbers, Numbers]] = {}
        if seen is None or not len(seen):
            return
        rows = seen.sort_by([(name, "ascending") for name in (*_KEY, "sampled_at")]).combine_chunks()
        times, ends = _micros(rows["sampled_at"]), cast(Numbers, rows["log_end_offset"].to_numpy())
        starts = np.flatnonzero(_begins(rows))
        for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(rows)], strict=True):
            key = tuple(rows[name][start].as_py() for name in _KEY)
            self._of[key] = times[start:end].copy(), ends[start:end].copy()

    def with_nearest_ends(self, rows: pa.Table) -> pa.Table:
        """Adds what was seen around the time of each row; null where nothing was."""
        found = np.zeros((2, len(rows)), np.int64)
        known = np.zeros((2, len(rows)), np.bool_)
        if self._of and len(rows):
            self._look(rows, found, known)
        for name, values, valid in zip(LOG_END_COLUMNS, found, known, strict=True):
            rows = rows.append_column(name, pa.array(values, mask=~valid))
        return rows

    def _look(self, rows: pa.Table, found: Numbers, known: Flags) -> None:
        at = pc.coalesce(rows["committed_at"], rows["recorded_at"])
        keyed = rows.select(_KEY).append_column("at", at).append_column("row", pa.array(np.arange(len(rows))))
        keyed = keyed.filter(pc.is_valid(at)).sort_by([(name, "ascending") for name in _KEY]).combine_chunks()
        times, row = _micros(keyed["at"]), keyed["row"].to_numpy()
        starts = np.flatnonzero(_begins(keyed))
        for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(keyed)], strict=True):
            seen = self._of.get(tuple(keyed[name][start].as_py() for name in _KEY))
            if seen is None:
                continue
            seen_at, ends = seen
            of, place = times[start:end], row[start:end]
            before = np.searchsorted(seen_at, of, side="right") - 1
            after = np.searchsorted(seen_at, of, side="left")
            for side, nearest in enumerate((before, after)):
                inside = (nearest >= 0) & (nearest < len(seen_at))
                there = np.where(inside, nearest, 0)
                near = inside & (np.abs(seen_at[there] - of) <= _HOUR)
                found[side, place], known[side, place] = ends[there], near


def _begins(rows: pa.Table) -> Flags:
    begins = np.ones(len(rows), np.bool_)
    begins[1:] = False
    for name in _KEY:
        column = rows[name].combine_chunks()
        codes = column.dictionary_encode().indices if not pa.types.is_integer(column.type) else column
        of = pc.fill_null(codes, -1).to_numpy()
        begins[1:] |= of[1:] != of[:-1]
    return begins


def _micros(times: pa.ChunkedArray) -> Numbers:
    return cast(Numbers, times.cast(pa.timestamp("us", "UTC")).cast(pa.int64()).to_numpy())
