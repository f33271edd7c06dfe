"""What channels have acknowledged and quality.alerts does not know yet: a line in a file as soon as a channel answers.

A commit of the table takes longer, and a process may be killed before it is done. The next one that opens the alerts puts the
lines into the table, and sends nothing again that was accepted.
"""

import datetime as dt
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from spark_jobs.alerts.alert import SENT, Alert, ChannelState

_FILE = ".alerts.acknowledged"


class Acknowledged:
    """Of one lake. In an object store nothing is remembered but in the table."""

    def __init__(self, lake: Path | None) -> None:
        self._path = None if lake is None else lake / _FILE

    def add(self, channel: str, alerts: Iterable[Alert], at: dt.datetime) -> None:
        """Called by the thread that sent the message."""
        if self._path is None:
            return
        changes = [[alert.key, alert.opened_at.isoformat(), alert.change_count] for alert in alerts]
        line = json.dumps({"channel": channel, "at": at.isoformat(), "changes": changes}) + "\n"
        # One write, which a process that is killed has done or not.
        file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(file, line.encode())
        finally:
            os.close(file)

    def added_to(self, alerts: Sequence[Alert]) -> list[Alert]:
        """The alerts with what channels have acknowledged since they were written."""
        known = {(alert.key, alert.opened_at.isoformat()): alert for alert in alerts}
        for line in self._lines():
            answer = json.loads(line)
            at = dt.datetime.fromisoformat(answer["at"])
            for key, opened_at, change in answer["changes"]:
                alert = known.get((key, opened_at))
                state = alert.state_of(answer["channel"]) if alert else None
                if alert and state and state.change < change:
                    known[key, opened_at] = alert.with_state(ChannelState(state.channel, change, SENT, at, 0))
        return list(known.values())

    def clear(self) -> None:
        """When the table has it all."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def _lines(self) -> list[str]:
        if self._path is None or not self._path.is_file():
            return []
        # A machine that lost power may have kept half of the last line.
        return [line for line in self._path.read_text("utf-8").splitlines(keepends=True) if line.endswith("}\n")]
