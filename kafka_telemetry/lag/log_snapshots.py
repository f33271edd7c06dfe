"""What each reporter reported about a log at each time, and what is known of the log between those times."""

import numpy as np

from kafka_telemetry.columns import NULL, Integers, run_starts, sort_order, start_of_run

SECOND = 1_000_000
HOUR = 3600 * SECOND
DAY = 24 * HOUR


def visible_since(at: Integers) -> Integers:
    """The start of the day before: no reading looks further back, so a day is the same whichever days are read with it."""
    return (at // DAY - 1) * DAY


class LogSnapshots:
    """One snapshot per log, reporter and time, sorted by these: the highest start and end offset in its rows, or NULL.

    `of_row` is the snapshot of each row, and `rows` the first row of each snapshot.
    """

    def __init__(self, log: Integers, reporter: Integers, at: Integers, start: Integers, end: Integers) -> None:
        order = sort_order(log, reporter, at - at.min(initial=0))
        is_first = run_starts(log[order], reporter[order], at[order])
        firsts = np.flatnonzero(is_first)
        self.rows = order[firsts]
        self.of_row = np.empty(len(order), np.int64)
        self.of_row[order] = np.cumsum(is_first) - 1
        self.log, self.reporter, self.at = log[self.rows], reporter[self.rows], at[self.rows]
        self.start = np.maximum.reduceat(start[order], firsts) if len(firsts) else start
        self.end = np.maximum.reduceat(end[order], firsts) if len(firsts) else end
        self._by_time = sort_order(self.log, self.at - self.at.min(initial=0), self.reporter)

    def known_log_start(self) -> Integers:
        """The log start offset that any reporter reported last, at each snapshot."""
        order = self._by_time
        if not np.any(self.start != NULL):
            return self.start
        last = np.maximum.accumulate(np.where(self.start[order] != NULL, np.arange(len(order)), -1))
        latest = order[np.maximum(last, 0)]
        is_visible = (last >= 0) & (self.log[latest] == self.log[order])
        is_visible &= self.at[latest] >= visible_since(self.at[order])
        known = np.full(len(order), NULL)
        known[order] = np.where(is_visible, self.start[latest], NULL)
        return known

    def next_log_start(self) -> Integers:
        """The log start offset that any reporter reported next, at each snapshot or at most an hour later on the same day."""
        order, following = self._by_time, np.full(len(self.at), NULL)
        with_start = np.flatnonzero(self.start[order] != NULL)
        if not len(with_start):
            return following
        place = np.searchsorted(with_start, np.arange(len(order)))
        latest = order[with_start[np.minimum(place, len(with_start) - 1)]]
        is_visible = (place < len(with_start)) & (self.log[latest] == self.log[order])
        is_visible &= (self.at[latest] <= self.at[order] + HOUR) & (self.at[latest] // DAY == self.at[order] // DAY)
        following[order] = np.where(is_visible, self.start[latest], NULL)
        return following

    def other_log_end(self) -> Integers:
        """The log end offset that another reporter reported last, at most an hour before each snapshot."""
        order, other = self._by_time, np.full(len(self.at), NULL)
        with_end = order[self.end[order] != NULL]
        if len(with_end) == 0 or not np.any(self.reporter != self.reporter[0]):
            return other
        # The last end so far; where this reporter reported it, the last one before its own consecutive ends.
        last = np.cumsum(self.end[order] != NULL) - 1
        before_own = start_of_run(run_starts(self.log[with_end], self.reporter[with_end])) - 1
        is_own = (
            (last >= 0)
            & (self.reporter[with_end[last]] == self.reporter[order])
            & (self.log[with_end[last]] == self.log[order])
        )
        last = np.where(is_own, before_own[last], last)
        latest = with_end[last]
        is_recent = (last >= 0) & (self.log[latest] == self.log[order]) & (self.at[latest] >= self.at[order] - HOUR)
        other[order] = np.where(is_recent, self.end[latest], NULL)
        return other

    def log_ended_at(self, snapshot: Integers, offset: Integers) -> Integers:
        """When the log ended at `offset`, which is lower than the log end of `snapshot`.

        The time is interpolated, to the millisecond, between the last end of this reporter that is not above the offset
        and the next one. It is NULL where the log was already longer at the first visible end, or after an end that
        decreased: a truncated log, or a recreated topic, is another log.
        """
        with_end = np.flatnonzero(self.end != NULL)
        end, at = self.end[with_end], self.at[with_end]
        decreased = np.zeros(len(with_end), np.bool_)
        decreased[1:] = end[1:] < end[:-1]
        first = start_of_run(run_starts(self.log[with_end], self.reporter[with_end]) | decreased)
        place = np.cumsum(self.end != NULL) - 1
        above = place[snapshot]
        below = first[above] - 1
        # Between decreases the ends only grow: a binary search finds the two around the offset.
        while np.any(above - below > 1):
            middle = np.maximum((below + above) // 2, 0)
            reached = (end[middle] <= offset) & (above - below > 1)
            above = np.where((above - below > 1) & ~reached, middle, above)
            below = np.where(reached, middle, below)
        known = below >= first[above]
        below = np.maximum(below, 0)
        known &= at[below] >= visible_since(self.at[snapshot])
        since, until = at[below] // 1000, at[above] // 1000
        growth = np.where(known, end[above] - end[below], 1)
        passed = ((until - since) * ((offset - end[below]) / growth)).astype(np.int64)
        return np.where(known, (since + passed) * 1000, NULL)
