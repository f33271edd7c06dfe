"""An alert: trouble that was found, what became of it, and which channels know. The codec of quality.alerts."""

import datetime as dt
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

TABLE = "quality.alerts"
OPENED, WORSENED, REPEATED, RESOLVED = "opened", "worsened", "repeated", "resolved"
SENT, WAITING, FAILED, SILENCED, NO_CHANNEL = "sent", "waiting", "failed", "silenced", "no channel"


@dataclass(frozen=True)
class Trouble:
    """Something that is wrong on an event day: all findings of one kind that a group has, for example."""

    kind: str
    severity: str
    cluster: str
    group_id: str
    day: dt.date
    title: str
    evidence: str = ""
    cost: str = ""
    cost_records: int | None = None
    cost_rank: int = 0
    recommendation: str = ""
    expected_effect: str = ""
    first_rows: tuple[str, ...] = ()
    subjects: int = 1
    incident: str | None = None
    first_day: dt.date | None = None
    # What two troubles of one kind differ in that are about no group: a day, a task, a broker.
    about: str = ""

    @property
    def key(self) -> str:
        parts = (self.kind, self.cluster, self.group_id, self.about)
        return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


class ChannelState(NamedTuple):
    """What a channel knows of an alert."""

    channel: str
    # The number of the last change that the channel acknowledged; 0: none.
    change: int
    outcome: str
    at: dt.datetime | None
    # How often sending failed since then.
    attempts: int


@dataclass(frozen=True)
class Alert:
    """One row of quality.alerts."""

    key: str
    opened_at: dt.datetime
    kind: str
    severity: str
    cluster: str
    group_id: str
    title: str
    evidence: str
    cost: str
    cost_records: int | None
    cost_rank: int
    recommendation: str
    expected_effect: str
    first_rows: tuple[str, ...]
    subjects: int
    incident: str | None
    first_day: dt.date
    last_day: dt.date
    last_seen_at: dt.datetime
    worsened_at: dt.datetime | None
    resolved_at: dt.datetime | None
    change_count: int
    last_change: str
    changed_at: dt.datetime
    reported_severity: str
    reported_cost_rank: int
    reported_subjects: int
    silenced_until: dt.datetime | None
    silence_reason: str | None
    deliveries: tuple[ChannelState, ...] = ()

    @property
    def is_open(self) -> bool:
        return self.resolved_at is None

    @property
    def identity(self) -> tuple[str, dt.datetime]:
        return self.key, self.opened_at

    def state_of(self, channel: str) -> ChannelState | None:
        return next((state for state in self.deliveries if state.channel == channel), None)

    def is_waiting_for(self, channel: str) -> bool:
        """Whether the channel has to get its last change."""
        state = self.state_of(channel)
        return (
            state is not None
            and state.change < self.change_count
            and state.outcome != SILENCED
            and self.silenced_until is None
        )

    def with_state(self, state: ChannelState) -> "Alert":
        others = tuple(each for each in self.deliveries if each.channel != state.channel)
        return replace(self, deliveries=tuple(sorted((*others, state))))

    @property
    def outcome(self) -> str:
        if not self.deliveries:
            return NO_CHANNEL
        if self.silenced_until is not None:
            return SILENCED
        behind = [state.outcome for state in self.deliveries if state.change < self.change_count]
        return SENT if not behind else SILENCED if set(behind) == {SILENCED} else WAITING


_ATTRIBUTES = tuple(field.name for field in fields(Alert))


def encoded(alert: Alert) -> dict[str, Any]:
    """A row of quality.alerts. Attributes have the names of its columns: test_stored_alerts.py compares them."""
    row = {name: getattr(alert, name) for name in _ATTRIBUTES}
    row["first_rows"] = list(alert.first_rows)
    row["deliveries"] = [state._asdict() for state in alert.deliveries]
    row["outcome"] = alert.outcome
    row["sent_to"] = [state.channel for state in alert.deliveries if state.change >= alert.change_count]
    return row


def decoded(row: Mapping[str, Any]) -> Alert:
    values = {name: _in_utc(row.get(name)) for name in _ATTRIBUTES}
    values["first_rows"] = tuple(row["first_rows"])
    values["deliveries"] = tuple(
        ChannelState(each["channel"], each["change"], each["outcome"], _in_utc(each["at"]), each["attempts"])
        for each in row["deliveries"]
    )
    return Alert(**values)


def newest_by_key(alerts: Sequence[Alert]) -> dict[str, Alert]:
    return {alert.key: alert for alert in sorted(alerts, key=lambda alert: alert.opened_at)}


def _in_utc(value: Any) -> Any:
    """Spark's times have no zone."""
    return value.replace(tzinfo=dt.UTC) if isinstance(value, dt.datetime) else value
