"""What each reporter told of each group's position on a log, from one time to the next."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from kafka_telemetry.columns import NULL, Flags, Integers, integers, run_starts, sort_order, start_of_run, value_ranks
from kafka_telemetry.lag.log_moments import DAY, HOUR, seen_from


class Key(NamedTuple):
    """Whose position a row tells, by whom, when."""

    position: Integers
    reporter: Integers
    at: Integers

    def taken(self, rows: Integers) -> "Key":
        return Key(*(column[rows] for column in self))


def once(rows: pa.Table, of_groups: Integers, key: Key, told: tuple[str, ...]) -> tuple[Integers, Integers]:
    """Which of the rows that `key` is about stay, in the order of position, reporter and time, and how many equal ones each
    stands for: of copies the fullest one by the columns `told`, of those the one that was delivered first. The rows of
    `key` stand at `of_groups`."""
    order = sort_order(key.position, key.reporter, key.at - key.at.min(initial=0))
    new = run_starts(*key.taken(order))
    if not new.all():
        rows = rows.take(pa.array(of_groups))
        fullness = np.zeros(len(rows), np.int64)
        for name in told:
            fullness += rows[name].is_valid().to_numpy()
        found = (rows["source_position"], rows["source_file"], rows["delivered_on"])
        best_last = (integers(found[0]), value_ranks(found[1]), integers(found[2]), -fullness)
        order = np.lexsort((*best_last, key.at, key.reporter, key.position))
        new = run_starts(*key.taken(order))
    firsts = np.flatnonzero(new)
    return order[firsts], np.diff(np.append(firsts, len(order)))


class Series:
    """Rows of `key` in the order of position, reporter and time, each once; `moment` is that of the log at the time."""

    def __init__(self, key: Key, moment: Integers) -> None:
        self._key, self._moment = key, moment
        self._first = run_starts(key.position, key.reporter)
        self._before = np.roll(key.at, 1)
        self._first |= self._before < seen_from(key.at)

    def previous(self, values: Integers) -> Integers:
        """What the reporter told the time before, an hour before at most."""
        return np.where(self._follows_soon(), np.roll(values, 1), NULL)

    def unchanged_since(self, *told: Integers) -> Integers:
        """Since when the reporter has told the same, time after time; NONE where it told something else the time before, or
        nothing. Of the day before just its last time counts."""
        same = self._follows_soon()
        known = np.zeros(len(same), np.bool_)
        for values in told:
            same &= values == np.roll(values, 1)
            known |= values != NULL
        same &= known
        at = self._key.at
        since = start_of_run(~same | run_starts(at // DAY))
        since = np.where(same[since], since - 1, since)
        return np.where(same, at[since], NULL)

    def left_out_since(self) -> Integers:
        """When the reporter told of the position before, where it told of the log in between and left the position out."""
        skipped = self._moment - np.roll(self._moment, 1) > 1
        return np.where(~self._first & skipped, self._before, NULL)

    def next_at(self) -> Integers:
        """When anybody told of the position next on that day."""
        key = self._key
        order = sort_order(key.position, key.at - key.at.min(initial=0), key.reporter)
        at = key.at[order]
        last = np.ones(len(order), np.bool_)
        last[:-1] = run_starts(key.position[order], at // DAY)[1:]
        following = np.empty(len(order), np.int64)
        following[order] = np.where(last, NULL, np.roll(at, -1))
        return following

    def _follows_soon(self) -> Flags:
        return ~self._first & (self._before >= self._key.at - HOUR)
