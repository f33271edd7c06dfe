"""Selects the member that gets a partition of a topic next, or gives one up, in Kafka's uniform assignor.

Members are sorted by load. At the low end a window gives each of its members a turn; then its level rises by one, and
it grows by the members that have that load already. A window at the high end does the same downwards. This follows
Kafka's MemberAssignmentBalancer step by step: the order of equally loaded members decides which partitions move.
"""

from collections.abc import Iterable


class MemberAssignmentBalancer:
    def __init__(self, members: Iterable[int], loads: list[int]) -> None:
        # The caller changes the loads meanwhile: they are read when a window grows.
        self._loads = loads
        self._sorted = sorted(members, key=lambda member: (loads[member], member))
        lowest, highest = loads[self._sorted[0]], loads[self._sorted[-1]]
        self.imbalance = highest - lowest
        self._low_end, self._low_level, self._low_next = 0, lowest - 1, 0
        self._high_start = self._high_end = len(self._sorted)
        self._high_level, self._high_next = highest + 1, len(self._sorted) - 1

    def is_balanced(self) -> bool:
        return self._high_level - self._low_level <= 1

    def next_least_loaded(self) -> int:
        """Expects that the member then gets a partition."""
        if self._low_next >= self._low_end:
            self._low_level += 1
            while self._low_end < len(self._sorted) and self._loads[self._sorted[self._low_end]] == self._low_level:
                self._low_end += 1
            self._low_next = 0
        self._low_next += 1
        return self._sorted[self._low_next - 1]

    def next_most_loaded(self) -> int | None:
        """Expects that the member then gives a partition up; None when no member is left."""
        if self._high_next < self._high_start:
            if self._high_end <= self._high_start and self._high_start > 0:
                self._high_level = self._loads[self._sorted[self._high_start - 1]]
            else:
                self._high_level -= 1
            while self._high_start > 0 and self._loads[self._sorted[self._high_start - 1]] == self._high_level:
                self._high_start -= 1
            self._high_next = self._high_end - 1
        if self._high_next < 0:
            return None
        self._high_next -= 1
        return self._sorted[self._high_next + 1]

    def exclude_most_loaded(self) -> None:
        """Drops the member that `next_most_loaded` returned last: it has no partition of this topic."""
        members, last_returned, end = self._sorted, self._high_next + 1, self._high_end - 1
        members[last_returned], members[end] = members[end], members[last_returned]
        self._high_end = end
