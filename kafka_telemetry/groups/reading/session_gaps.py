"""The times at which a group had no member."""

from bisect import bisect_right
from collections.abc import Iterable

from kafka_telemetry.groups.history.member_session import MemberSession

_NEVER = 2**63


class SessionGaps:
    def __init__(self, sessions: Iterable[MemberSession]) -> None:
        """`sessions` are all of a day, with those that were open when it began."""
        self._begins: list[int] = []
        self._ends: list[int] = []
        times = sorted((one.joined_at, _NEVER if one.ended_at is None else one.ended_at) for one in sessions)
        for begin, end in times:
            if self._ends and begin <= self._ends[-1]:
                self._ends[-1] = max(self._ends[-1], end)
            else:
                self._begins.append(begin)
                self._ends.append(end)

    def any_between(self, since: int, until: int) -> bool:
        """Whether the group had no member at some time between the two."""
        index = bisect_right(self._begins, since) - 1
        return index < 0 or self._ends[index] < until
