"""Silences: for how long, and why, alerts are recorded and not sent. The codec of quality.silences."""

import datetime as dt
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from spark_jobs.alerts.alert import Alert
from spark_jobs.alerts.alert_settings import matches

TABLE = "quality.silences"


@dataclass(frozen=True)
class Silence:
    """One row of quality.silences. An alert has to match all of key, kind, cluster and group."""

    silence_id: str
    created_at: dt.datetime
    expires_at: dt.datetime
    ended_at: dt.datetime | None
    reason: str
    # Empty: any alert.
    key: str = ""
    # Patterns.
    kind: str = "*"
    cluster: str = "*"
    group_id: str = "*"

    def is_active(self, now: dt.datetime) -> bool:
        return self.ended_at is None and now < self.expires_at

    def is_about(self, alert: Alert) -> bool:
        return (
            self.key in ("", alert.key)
            and matches(alert.kind, (self.kind,))
            and matches(alert.cluster, (self.cluster,))
            and matches(alert.group_id, (self.group_id,))
        )


def new_silence_id() -> str:
    return f"s-{secrets.token_hex(3)}"


def encoded_silence(silence: Silence) -> dict[str, Any]:
    """A row of quality.silences. Attributes have the names of its columns: test_stored_alerts.py compares them."""
    return asdict(silence)


def decoded_silence(row: Mapping[str, Any]) -> Silence:
    def in_utc(name: str) -> dt.datetime:
        # Spark's times have no zone.
        time: dt.datetime = row[name]
        return time.replace(tzinfo=dt.UTC)

    return Silence(
        *(row["silence_id"], in_utc("created_at"), in_utc("expires_at")),
        *(in_utc("ended_at") if row["ended_at"] else None, row["reason"]),
        *(row["key"], row["kind"], row["cluster"], row["group_id"]),
    )


def longest_silence(alert: Alert, silences: Sequence[Silence], now: dt.datetime) -> Silence | None:
    """The silence that keeps the alert from being sent now; of several the one that expires last."""
    about = [silence for silence in silences if silence.is_active(now) and silence.is_about(alert)]
    return max(about, key=lambda silence: silence.expires_at, default=None)
