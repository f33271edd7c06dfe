"""Whose turn it is to get a partition of a topic, and whose to give one up, in Kafka's uniform assignor.

Members stand in a row by their loads. A window at the low end gives each of its members a turn, then its level rises
by one and it takes in those that stand there already; one at the high end does the same downwards. This follows
Kafka's MemberAssignmentBalancer step by step: which of two equal members comes first decides what moves.
"""

from collections.abc import Iterable


class Evening:
    def __init__(self, members: Iterable[int], loads: list[int]) -> None:
        # The caller goes on changing the loads: they are looked at when a window grows.
        self._loads = loads
        self._row = sorted(members, key=lambda member: (loads[member], member))
        lowest, highest = loads[self._row[0]], loads[self._row[-1]]
        self.imbalance = highest - lowest
        self._low_end, self._low_level, self._low_next = 0, lowest - 1, 0
        self._high_start = self._high_end = len(self._row)
        self._high_level, self._high_next = highest + 1, len(self._row) - 1

    def is_even(self) -> bool:
        return self._high_level - self._low_level <= 1

    def next_least_loaded(self) -> int:
        """Takes for granted that the member then gets one."""
        if self._low_next >= self._low_end:
            self._low_level += 1
            while self._low_end < len(self._row) and self._loads[self._row[self._low_end]] == self._low_level:
                self._low_end += 1
            self._low_next = 0
        self._low_next += 1
        return self._row[self._low_next - 1]

    def next_most_loaded(self) -> int | None:
        """Takes for granted that the member then gives one up; none if nobody is left to."""
        if self._high_next < self._high_start:
            if self._high_end <= self._high_start and self._high_start > 0:
                self._high_level = self._loads[self._row[self._high_start - 1]]
            else:
                self._high_level -= 1
            while self._high_start > 0 and self._loads[self._row[self._high_start - 1]] == self._high_level:
                self._high_start -= 1
            self._high_next = self._high_end - 1
        if self._high_next < 0:
            return None
        self._high_next -= 1
        return self._row[self._high_next + 1]

    def exclude_most_loaded(self) -> None:
        """The member named last has nothing to give."""
        row, named, end = self._row, self._high_next + 1, self._high_end - 1
        row[named], row[end] = row[end], row[named]
        self._high_end = end
