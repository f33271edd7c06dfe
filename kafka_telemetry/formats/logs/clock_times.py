"""Dates log lines that show only a clock time, and bounds the time of lines that show none.

No line of a file was written after the day on which the file was delivered. So the last line belongs to that day, and
each midnight between an earlier line and the last one is counted back from it.
"""

from datetime import date

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Integers
from kafka_telemetry.formats.logs.timestamps import instants_of_clock_times, last_local_day

# A clock goes back by an hour at the end of summer time, and by moments where threads overtake each other. If it goes
# back by more, midnight has passed. It goes forward by nearly a day where one thread overtakes another across midnight.
_BACK_SECONDS = 2 * 3600
_FORWARD_SECONDS = 86_400 - 60


class PreviousTimes:
    """The times of the lines before, for lines that show no time themselves."""

    def __init__(self) -> None:
        self._last: pa.Scalar | None = None

    def of_lines_without(self, times: pa.Array) -> pa.Array:
        """Returns the last time before each null; null for lines that have a time, or none before them.

        The times must follow those of the call before.
        """
        filled = pc.fill_null_forward(times) if times.null_count else times
        if self._last is not None:
            filled = pc.fill_null(filled, self._last)
        if len(filled) and filled[-1].is_valid:
            self._last = filled[-1]
        return pc.if_else(times.is_null(), filled, None) if times.null_count else pa.nulls(len(times), times.type)


class Midnights:
    """Counts the midnights that pass between the lines of a file."""

    def __init__(self, delivered_on: date, timezone: str) -> None:
        self._delivered_on, self._timezone = delivered_on, timezone
        self._last_clock = -1
        self._passed = 0

    def passed(self, clock_seconds: Integers) -> Integers:
        """Returns the midnights between the file's first line and each of these, which follow those of the call before."""
        if not len(clock_seconds):
            return clock_seconds
        first_before = self._last_clock if self._last_clock >= 0 else clock_seconds[0]
        before = np.concatenate([[first_before], clock_seconds[:-1]])
        went_back = np.cumsum(before - clock_seconds > _BACK_SECONDS)
        went_forward = np.cumsum(clock_seconds - before > _FORWARD_SECONDS)
        out: Integers = self._passed + went_back - went_forward
        self._last_clock, self._passed = int(clock_seconds[-1]), int(out[-1])
        return out

    def instants(self, since_midnight: pa.Array, passed: Integers) -> pa.Array:
        """Returns the instants of clock times. Can be called once the whole file has been read."""
        last_day = last_local_day(max(self._last_clock, 0), self._delivered_on, self._timezone)
        return instants_of_clock_times(since_midnight, self._passed - passed, last_day, self._timezone)
