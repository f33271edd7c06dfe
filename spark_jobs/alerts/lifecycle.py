"""What becomes of alerts when a run looks at the lake: they open, stay, become worse and end. Pure functions."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from spark_jobs.alerts.alert import OPENED, REPEATED, RESOLVED, WORSENED, Alert, Trouble, newest_by_key
from spark_jobs.alerts.alert_settings import SEVERITIES

ClusterDay = tuple[str, dt.date]
# An alert that later days neither confirm nor refute ends after so many days.
_LONGEST_UNCONFIRMED = 7


@dataclass(frozen=True)
class Observed:
    """What a run sees in the lake."""

    # Trouble of the recent days that is worth an alert.
    troubles: Sequence[Trouble]
    # The days that were looked at.
    recent: Set[ClusterDay] = frozenset()
    # Of these days and of earlier ones, on how many hours each source reported something.
    hours: Mapping[ClusterDay, Mapping[str, int]] = field(default_factory=dict)
    # Keys of trouble that exists or not, whatever the day: a halted delivery, a test that fails. Those that exist.
    lasting: Set[str] = frozenset()
    # Kinds of such trouble.
    lasting_kinds: Set[str] = frozenset()
    # Keys of failed runs that have succeeded since.
    succeeded: Set[str] = frozenset()

    def later_days(self, cluster: str, day: dt.date) -> list[dt.date]:
        return sorted(other for name, other in self.hours if name == cluster and other > day)

    def is_by_day(self, cluster: str, kind: str) -> bool:
        """Whether trouble of the kind is about an event day, and ends when a later day does not have it."""
        return bool(cluster) and kind not in self.lasting_kinds


@dataclass(frozen=True)
class Limits:
    worse_by_percent: int = 100
    repeat_after_hours: int = 0


def advance(alerts: Sequence[Alert], observed: Observed, now: dt.datetime, limits: Limits) -> list[Alert]:
    """All alerts as they are now. Called twice with the same lake, the second call changes nothing but `last_seen_at`."""
    newest = newest_by_key(alerts)
    opened: list[Alert] = []
    changed: dict[tuple[str, dt.datetime], Alert] = {}
    for key, of_key in _by_key(observed.troubles).items():
        latest = max(of_key, key=lambda trouble: trouble.day)
        known = newest.get(key)
        if known is None or (not known.is_open and _is_back(known, latest, observed)):
            known = _opened(latest, min(trouble.first_day or trouble.day for trouble in of_key), now)
            opened.append(known)
        elif known.is_open:
            known = _seen(known, latest, now, limits)
        changed[known.identity] = known
    current = [changed.get(alert.identity, alert) for alert in alerts] + opened
    return [_resolved(alert, now) if alert.is_open and _is_over(alert, observed) else alert for alert in current]


def _by_key(troubles: Iterable[Trouble]) -> dict[str, list[Trouble]]:
    by_key: dict[str, list[Trouble]] = {}
    for trouble in troubles:
        by_key.setdefault(trouble.key, []).append(trouble)
    return by_key


def _opened(trouble: Trouble, first_day: dt.date, now: dt.datetime) -> Alert:
    return Alert(
        *(trouble.key, now, trouble.kind, trouble.severity, trouble.cluster, trouble.group_id),
        *(trouble.title, trouble.evidence, trouble.cost, trouble.cost_records, trouble.cost_rank),
        *(trouble.recommendation, trouble.expected_effect, trouble.first_rows, trouble.subjects, trouble.incident),
        first_day=min(first_day, trouble.day),
        last_day=trouble.day,
        last_seen_at=now,
        worsened_at=None,
        resolved_at=None,
        change_count=1,
        last_change=OPENED,
        changed_at=now,
        reported_severity=trouble.severity,
        reported_cost_rank=trouble.cost_rank,
        reported_subjects=trouble.subjects,
        silenced_until=None,
        silence_reason=None,
    )


def _seen(alert: Alert, trouble: Trouble, now: dt.datetime, limits: Limits) -> Alert:
    alert = replace(
        alert,
        severity=trouble.severity,
        title=trouble.title,
        evidence=trouble.evidence,
        cost=trouble.cost,
        cost_records=trouble.cost_records,
        cost_rank=trouble.cost_rank,
        recommendation=trouble.recommendation,
        expected_effect=trouble.expected_effect,
        first_rows=trouble.first_rows,
        subjects=trouble.subjects,
        incident=trouble.incident,
        first_day=min(alert.first_day, trouble.first_day or trouble.day),
        last_day=max(alert.last_day, trouble.day),
        last_seen_at=now,
    )
    if _is_worse(alert, limits.worse_by_percent):
        return replace(
            _change(alert, WORSENED, now),
            worsened_at=now,
            reported_severity=alert.severity,
            reported_cost_rank=alert.cost_rank,
            reported_subjects=alert.subjects,
        )
    hours = limits.repeat_after_hours
    if hours and now - alert.changed_at >= dt.timedelta(hours=hours):
        return _change(alert, REPEATED, now)
    return alert


def _is_worse(alert: Alert, by_percent: int) -> bool:
    def grown(value: int, reported: int) -> bool:
        return value > reported and 100 * (value - reported) >= by_percent * reported

    return (
        SEVERITIES.index(alert.severity) < SEVERITIES.index(alert.reported_severity)
        or grown(alert.cost_rank, alert.reported_cost_rank)
        or grown(alert.subjects, alert.reported_subjects)
    )


def _resolved(alert: Alert, now: dt.datetime) -> Alert:
    return replace(_change(alert, RESOLVED, now), resolved_at=now)


def _change(alert: Alert, change: str, now: dt.datetime) -> Alert:
    return replace(alert, change_count=alert.change_count + 1, last_change=change, changed_at=now)


def _is_back(alert: Alert, trouble: Trouble, observed: Observed) -> bool:
    return trouble.day > alert.last_day or not observed.is_by_day(alert.cluster, alert.kind)


def _is_over(alert: Alert, observed: Observed) -> bool:
    if alert.kind in observed.lasting_kinds:
        return alert.key not in observed.lasting
    if not alert.cluster:
        return alert.key in observed.succeeded
    last = (alert.cluster, alert.last_day)
    if last in observed.recent and not any(
        trouble.key == alert.key and trouble.day == alert.last_day for trouble in observed.troubles
    ):
        return True  # Its last day was rebuilt, and no longer has it.
    later = observed.later_days(*last)
    return any(_covers(observed.hours[alert.cluster, day], observed.hours.get(last, {})) for day in later) or (
        bool(later) and (later[-1] - alert.last_day).days >= _LONGEST_UNCONFIRMED
    )


def _covers(hours: Mapping[str, int], before: Mapping[str, int]) -> bool:
    """Whether a day shows enough to say that something has ended: each source that reported on the day with the trouble, on
    half as many hours. The first minutes after midnight are not enough."""
    return all(2 * hours.get(source, 0) >= count for source, count in before.items())
