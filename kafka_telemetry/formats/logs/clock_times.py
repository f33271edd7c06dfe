"""On which day a line was written that shows the clock alone.

Nothing that was delivered on a day was written after it, so the last line of the file belongs to the day of delivery,
and each midnight that the lines before it pass is counted back from there.
"""

from datetime import date

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Integers
from kafka_telemetry.formats.logs.timestamps import instants_by_clock, last_day_of

# A clock goes back by an hour at the end of summer, and by moments where threads overtake each other; by more, and a
# midnight has passed. It goes forward by nearly a day where one thread overtakes another across midnight.
_BACK = 2 * 3600
_FORWARD = 86_400 - 60


class LineBefore:
    """What the last line before told, for lines that don't tell it themselves."""

    def __init__(self) -> None:
        self._last: pa.Scalar | None = None

    def told(self, own: pa.Array) -> pa.Array:
        """`own` follows what was asked before. Null where the line tells itself, or none did."""
        filled = pc.fill_null_forward(own) if own.null_count else own
        if self._last is not None:
            filled = pc.fill_null(filled, self._last)
        if len(filled) and filled[-1].is_valid:
            self._last = filled[-1]
        return pc.if_else(own.is_null(), filled, None) if own.null_count else pa.nulls(len(own), own.type)


class Midnights:
    def __init__(self, delivered_on: date, timezone: str) -> None:
        self._delivered_on, self._timezone = delivered_on, timezone
        self._last = -1
        self._passed = 0

    def passed(self, clocks: Integers) -> Integers:
        """How many midnights lie between the file's first line and each of these, which follow the ones before."""
        if not len(clocks):
            return clocks
        before = np.concatenate([[self._last if self._last >= 0 else clocks[0]], clocks[:-1]])
        out: Integers = self._passed + np.cumsum(before - clocks > _BACK) - np.cumsum(clocks - before > _FORWARD)
        self._last, self._passed = int(clocks[-1]), int(out[-1])
        return out

    def instants(self, since_midnight: pa.Array, passed: Integers) -> pa.Array:
        """To be asked when the whole file was read."""
        last_day = last_day_of(max(self._last, 0), self._delivered_on, self._timezone)
        return instants_by_clock(since_midnight, self._passed - passed, last_day, self._timezone)
