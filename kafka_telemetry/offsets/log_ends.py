"""The log end offsets of a topic that were observed nearest before and after a commit, at most an hour away."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Flags, Integers, integers, run_starts, value_codes

LOG_END_COLUMNS = ("log_end_before", "log_end_after")
_HOUR = 3_600_000_000
_KEY = ("cluster", "topic", "partition_id")


class LogEnds:
    """Observed log end offsets of each topic partition, in the order of time (microseconds since 1970)."""

    def __init__(self, observations: pa.Table | None = None) -> None:
        """`observations` has the columns cluster, topic, partition_id, sampled_at and log_end_offset."""
        self._by_partition: dict[tuple[object, ...], tuple[Integers, Integers]] = {}
        if observations is None or not len(observations):
            return
        rows = observations.sort_by([(name, "ascending") for name in (*_KEY, "sampled_at")]).combine_chunks()
        times, ends = integers(rows["sampled_at"]), integers(rows["log_end_offset"])
        for start, stop in _partition_ranges(rows):
            self._by_partition[_partition(rows, start)] = times[start:stop].copy(), ends[start:stop].copy()

    def with_nearest_ends(self, commits: pa.Table) -> pa.Table:
        """Adds `LOG_END_COLUMNS`, null where no log end was observed within an hour."""
        ends = np.zeros((2, len(commits)), np.int64)
        known = np.zeros((2, len(commits)), np.bool_)
        if self._by_partition and len(commits):
            self._find_nearest(commits, ends, known)
        for name, values, valid in zip(LOG_END_COLUMNS, ends, known, strict=True):
            commits = commits.append_column(name, pa.array(values, mask=~valid))
        return commits

    def _find_nearest(self, commits: pa.Table, ends: Integers, known: Flags) -> None:
        """Fills in the `ends` before and after each commit, and whether each is `known`."""
        at = pc.coalesce(commits["committed_at"], commits["recorded_at"])
        rows = commits.select(_KEY).append_column("at", at).append_column("row", pa.array(np.arange(len(commits))))
        rows = rows.filter(pc.is_valid(at)).sort_by([(name, "ascending") for name in _KEY]).combine_chunks()
        all_times, all_rows = integers(rows["at"]), rows["row"].to_numpy()
        for start, stop in _partition_ranges(rows):
            observations = self._by_partition.get(_partition(rows, start))
            if observations is None:
                continue
            observed_at, observed_ends = observations
            times, row = all_times[start:stop], all_rows[start:stop]
            before = np.searchsorted(observed_at, times, side="right") - 1
            after = np.searchsorted(observed_at, times, side="left")
            for side, nearest in enumerate((before, after)):
                exists = (nearest >= 0) & (nearest < len(observed_at))
                nearest = np.where(exists, nearest, 0)
                ends[side, row] = observed_ends[nearest]
                known[side, row] = exists & (np.abs(observed_at[nearest] - times) <= _HOUR)


def _partition(rows: pa.Table, row: int) -> tuple[object, ...]:
    return tuple(rows[name][row].as_py() for name in _KEY)


def _partition_ranges(rows: pa.Table) -> list[tuple[int, int]]:
    """The first row of each partition and the row after its last; `rows` are sorted by partition."""
    keys = value_codes(rows["cluster"]), value_codes(rows["topic"]), integers(rows["partition_id"])
    starts = np.flatnonzero(run_starts(*keys)).tolist()
    return list(zip(starts, [*starts[1:], len(rows)], strict=True))
