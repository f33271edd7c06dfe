"""The time of entries of the ledger."""

import datetime as dt
from dataclasses import dataclass

LONG_AGO = dt.datetime.min.replace(tzinfo=dt.UTC)
_SECOND = dt.timedelta(seconds=1)


@dataclass
class LedgerClock:
    """The machine's clock, but always later than what it showed before and than all entries that were read: an entry replaces older
    ones, also if the machine's clock was set back, or the last run was on a machine whose clock is ahead."""

    latest: dt.datetime = LONG_AGO

    def not_before(self, at: dt.datetime) -> None:
        self.latest = max(self.latest, at)

    def now(self) -> dt.datetime:
        self.latest = max(_machine_time(), self.latest + dt.timedelta(microseconds=1))
        return self.latest

    def begin_run(self) -> dt.datetime:
        """The time that names a run: of a later second than that of any run before, unless both began within this one."""
        if _machine_time() <= self.latest:
            self.latest = self.latest.replace(microsecond=0) + _SECOND
        return self.now()


def _machine_time() -> dt.datetime:
    return dt.datetime.now(dt.UTC)
