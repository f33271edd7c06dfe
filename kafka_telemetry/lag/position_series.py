"""What each reporter reported about a group's position on a partition, from one sample to the next."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from kafka_telemetry.columns import NULL, Flags, Integers, integers, run_starts, sort_order, start_of_run, value_ranks
from kafka_telemetry.lag.log_snapshots import DAY, HOUR, visible_since


class SampleKey(NamedTuple):
    """Identifies samples: the group and partition (as one number), the reporter, and the time."""

    position: Integers
    reporter: Integers
    at: Integers

    def take(self, rows: Integers) -> "SampleKey":
        return SampleKey(*(column[rows] for column in self))


def deduplicate(
    rows: pa.Table, sample_rows: Integers, key: SampleKey, value_columns: tuple[str, ...]
) -> tuple[Integers, Integers]:
    """One sample of each key, as indices into `key` in the order of position, reporter and time; and how many copies of
    each there are.

    `key` has one element per row in `sample_rows`. Of several copies the one with the most values in `value_columns` is
    used, then the one that was delivered first.
    """
    order = sort_order(key.position, key.reporter, key.at - key.at.min(initial=0))
    is_first = run_starts(*key.take(order))
    if not is_first.all():
        rows = rows.take(pa.array(sample_rows))
        fullness = np.zeros(len(rows), np.int64)
        for name in value_columns:
            fullness += rows[name].is_valid().to_numpy()
        delivery = (integers(rows["source_position"]), value_ranks(rows["source_file"]), integers(rows["delivered_on"]))
        order = np.lexsort((*delivery, -fullness, key.at, key.reporter, key.position))
        is_first = run_starts(*key.take(order))
    firsts = np.flatnonzero(is_first)
    return order[firsts], np.diff(np.append(firsts, len(order)))


class PositionSeries:
    """The samples of each position and reporter in the order of time.

    `key` is sorted and has no duplicates; `snapshot` is the snapshot of the log that each sample belongs to.
    """

    def __init__(self, key: SampleKey, snapshot: Integers) -> None:
        self._key, self._snapshot = key, snapshot
        self._previous_at = np.roll(key.at, 1)
        self._is_first = run_starts(key.position, key.reporter) | (self._previous_at < visible_since(key.at))

    def previous(self, values: Integers) -> Integers:
        """The value of the previous sample, if that is at most an hour old."""
        return np.where(self._follows_soon(), np.roll(values, 1), NULL)

    def unchanged_since(self, *values: Integers) -> Integers:
        """The time of the first of consecutive samples with equal values, up to each sample; NULL where the previous sample
        has another value or is missing. Of the day before only the last sample counts."""
        same = self._follows_soon()
        known = np.zeros(len(same), np.bool_)
        for column in values:
            same &= column == np.roll(column, 1)
            known |= column != NULL
        same &= known
        at = self._key.at
        since = start_of_run(~same | run_starts(at // DAY))
        since = np.where(same[since], since - 1, since)
        return np.where(same, at[since], NULL)

    def left_out_since(self) -> Integers:
        """The time of the previous sample, where its reporter has since reported the log without this position."""
        skipped = self._snapshot - np.roll(self._snapshot, 1) > 1
        return np.where(~self._is_first & skipped, self._previous_at, NULL)

    def next_at(self) -> Integers:
        """The time of the next sample of the position on the same day, by any reporter."""
        key = self._key
        order = sort_order(key.position, key.at - key.at.min(initial=0), key.reporter)
        at = key.at[order]
        is_last = np.ones(len(order), np.bool_)
        is_last[:-1] = run_starts(key.position[order], at // DAY)[1:]
        following = np.empty(len(order), np.int64)
        following[order] = np.where(is_last, NULL, np.roll(at, -1))
        return following

    def _follows_soon(self) -> Flags:
        return ~self._is_first & (self._previous_at >= self._key.at - HOUR)
