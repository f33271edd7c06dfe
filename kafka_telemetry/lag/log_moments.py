"""What each reporter told of each log at each time, and what follows for the times between."""

import numpy as np

from kafka_telemetry.columns import NULL, Integers, run_starts, sort_order, start_of_run

SECOND = 1_000_000
HOUR = 3600 * SECOND
DAY = 24 * HOUR


def seen_from(at: Integers) -> Integers:
    """A day sees itself and the day before, so that it comes out the same whichever days are read with it."""
    return (at // DAY - 1) * DAY


class Moments:
    """One per log, reporter and time, in that order. `of_row` is the moment of each row; several rows of one moment agree
    on the furthest ends. Offsets that nobody told are NONE."""

    def __init__(self, log: Integers, reporter: Integers, at: Integers, start: Integers, end: Integers) -> None:
        order = sort_order(log, reporter, at - at.min(initial=0))
        new = run_starts(log[order], reporter[order], at[order])
        firsts = np.flatnonzero(new)
        self.rows = order[firsts]
        self.of_row = np.empty(len(order), np.int64)
        self.of_row[order] = np.cumsum(new) - 1
        self.log, self.reporter, self.at = log[self.rows], reporter[self.rows], at[self.rows]
        self.start = np.maximum.reduceat(start[order], firsts) if len(firsts) else start
        self.end = np.maximum.reduceat(end[order], firsts) if len(firsts) else end
        self._in_time = sort_order(self.log, self.at - self.at.min(initial=0), self.reporter)

    def known_start(self) -> Integers:
        """The log start that any reporter told last."""
        order = self._in_time
        if not np.any(self.start != NULL):
            return self.start
        last = np.maximum.accumulate(np.where(self.start[order] != NULL, np.arange(len(order)), -1))
        told = order[np.maximum(last, 0)]
        visible = (last >= 0) & (self.log[told] == self.log[order]) & (self.at[told] >= seen_from(self.at[order]))
        known = np.full(len(order), NULL)
        known[order] = np.where(visible, self.start[told], NULL)
        return known

    def end_of_another(self) -> Integers:
        """The log end that another reporter told last, an hour before at most."""
        order, other = self._in_time, np.full(len(self.at), NULL)
        told = order[self.end[order] != NULL]
        if len(told) == 0 or not np.any(self.reporter != self.reporter[0]):
            return other
        # The last end that was told so far; where the reporter itself told it, the last one before its ends in a row.
        last = np.cumsum(self.end[order] != NULL) - 1
        before = start_of_run(run_starts(self.log[told], self.reporter[told])) - 1
        own = (
            (last >= 0)
            & (self.reporter[told[last]] == self.reporter[order])
            & (self.log[told[last]] == self.log[order])
        )
        last = np.where(own, before[last], last)
        of = told[last]
        counts = (last >= 0) & (self.log[of] == self.log[order]) & (self.at[of] >= self.at[order] - HOUR)
        other[order] = np.where(counts, self.end[of], NULL)
        return other

    def ended_at(self, moment: Integers, offset: Integers) -> Integers:
        """When the log ended at `offset`, which lies before the end that was told at `moment`: interpolated between the
        last end of this reporter that is not beyond it and the next, to the millisecond. NONE where the log had grown
        beyond it before the first end that the day sees, or since an end that fell: a truncated log, or a topic made
        again, is another log.
        """
        told = np.flatnonzero(self.end != NULL)
        end, at = self.end[told], self.at[told]
        fell = np.zeros(len(told), np.bool_)
        fell[1:] = end[1:] < end[:-1]
        first = start_of_run(run_starts(self.log[told], self.reporter[told]) | fell)
        place = np.cumsum(self.end != NULL) - 1
        beyond = place[moment]
        before = first[beyond] - 1
        # Ends that a reporter told since it saw one fall only grow: the place between them is found by halving.
        while np.any(beyond - before > 1):
            middle = np.maximum((before + beyond) // 2, 0)
            reached = (end[middle] <= offset) & (beyond - before > 1)
            beyond = np.where((beyond - before > 1) & ~reached, middle, beyond)
            before = np.where(reached, middle, before)
        known = before >= first[beyond]
        before = np.maximum(before, 0)
        known &= at[before] >= seen_from(self.at[moment])
        since, until = at[before] // 1000, at[beyond] // 1000
        grown = np.where(known, end[beyond] - end[before], 1)
        passed = ((until - since) * ((offset - end[before]) / grown)).astype(np.int64)
        return np.where(known, (since + passed) * 1000, NULL)
