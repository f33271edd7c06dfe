"""What one channel is sent by one run, whatever the format: sections of notices, worst first."""

import datetime as dt
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from spark_jobs.alerts.alert import REPEATED, RESOLVED, WORSENED, Alert
from spark_jobs.alerts.alert_settings import SEVERITIES
from spark_jobs.progress import counted

NEW, WORSE, STILL_OPEN, OVER, ENDED = "new", "worse", "still open", "over again", "ended"
# In the order in which they are shown.
STATUSES = (NEW, WORSE, STILL_OPEN, OVER, ENDED)
# So many alerts of one incident, or of one kind, are one item.
_OF_ONE_INCIDENT, _OF_ONE_KIND = 3, 6
_FIRST_ROWS = 5
_PLAIN = re.compile(r"\w[\w.-]{0,199}", re.ASCII)


@dataclass(frozen=True)
class Notice:
    """An alert, or many that have one incident or kind. All its texts may quote telemetry, apart from the command."""

    severity: str
    headline: str
    # Label and text.
    facts: tuple[tuple[str, str], ...]
    rows: tuple[str, ...] = ()
    advice: str = ""
    command: str = ""
    alerts: int = 1


@dataclass(frozen=True)
class Section:
    status: str
    items: tuple[Notice, ...]

    @property
    def alerts(self) -> int:
        return sum(item.alerts for item in self.items)


@dataclass(frozen=True)
class Message:
    # The same for the same alerts in the same state, so that a receiver can know a repeated one.
    id: str
    severity: str
    title: str
    summary: str
    sections: tuple[Section, ...]
    # Where the day's report is: a path or an address.
    reports: tuple[str, ...]
    commands: tuple[tuple[str, str], ...]
    alerts: tuple[tuple[str, Alert], ...] = ()

    @property
    def only_ended(self) -> bool:
        return all(section.status in (OVER, ENDED) for section in self.sections)


def compose(channel: str, alerts: Sequence[Alert], reports: Sequence[str], lake_option: str) -> Message:
    """The message about these alerts, each of which the channel has to get."""
    ranked = sorted(alerts, key=lambda a: (SEVERITIES.index(a.severity), -a.cost_rank, a.kind, a.group_id, a.key))
    by_status: dict[str, list[Alert]] = {}
    for alert in ranked:
        by_status.setdefault(status(alert, channel), []).append(alert)
    sections = tuple(
        Section(name, tuple(_notices(by_status[name], name, lake_option))) for name in STATUSES if name in by_status
    )
    matter = [alert for name in (NEW, WORSE, STILL_OPEN) for alert in by_status.get(name, ())] or ranked
    return Message(
        id=_message_id(channel, ranked),
        severity=matter[0].severity,
        title=_title(matter, by_status),
        summary="Alerts: " + ", ".join(f"{len(by_status[name]):,} {name}" for name in STATUSES if name in by_status),
        sections=sections,
        reports=tuple(reports),
        commands=(
            ("All open alerts", f"lagoon alerts list{lake_option}"),
            ("Not now", f'lagoon alerts silence KEY --hours 8 --reason "…"{lake_option}'),
        ),
        alerts=tuple((name, alert) for name in STATUSES for alert in by_status.get(name, ())),
    )


def status(alert: Alert, channel: str) -> str:
    """What the alert is to somebody who knows what the channel has got so far."""
    state = alert.state_of(channel)
    if state is None or state.change == 0:
        return NEW if alert.is_open else OVER
    if alert.last_change == RESOLVED:
        return ENDED
    missed_worse = alert.worsened_at is not None and state.at is not None and alert.worsened_at > state.at
    return (
        WORSE if alert.last_change == WORSENED or missed_worse else STILL_OPEN if alert.last_change == REPEATED else NEW
    )


def _message_id(channel: str, alerts: Iterable[Alert]) -> str:
    parts = sorted(f"{alert.key} {alert.opened_at.isoformat()} {alert.change_count}" for alert in alerts)
    return hashlib.sha256("\n".join([channel, *parts]).encode()).hexdigest()[:32]


def _title(alerts: Sequence[Alert], by_status: dict[str, list[Alert]]) -> str:
    if not {NEW, WORSE, STILL_OPEN} & by_status.keys():
        what = f"{counted(len(alerts), 'alert')} ended"
    elif len(alerts) == 1:
        prefix = "" if NEW in by_status else f"{next(iter(by_status))}: " if len(by_status) == 1 else ""
        return f"Lagoon, {alerts[0].severity}: {prefix}{alerts[0].title}"
    else:
        counts = Counter(alert.severity for alert in alerts)
        what = ", ".join(f"{counts[severity]:,} {severity}" for severity in SEVERITIES if severity in counts)
    clusters = sorted({alert.cluster for alert in alerts if alert.cluster})
    where = f" on {clusters[0]}" if len(clusters) == 1 else f" on {len(clusters)} clusters" if clusters else ""
    return f"Lagoon: {what}{where}, {max(alert.last_day for alert in alerts)}"


def _notices(alerts: Sequence[Alert], name: str, lake_option: str) -> list[Notice]:
    """In the order of the worst alert of each."""
    incidents = Counter(alert.incident for alert in alerts if alert.incident)
    kinds = Counter((alert.severity, alert.kind) for alert in alerts)
    grouped: dict[object, list[Alert]] = {}
    for alert in alerts:
        place: object = alert.identity
        if alert.incident and incidents[alert.incident] >= _OF_ONE_INCIDENT:
            place = alert.incident
        elif kinds[alert.severity, alert.kind] >= _OF_ONE_KIND:
            place = (alert.severity, alert.kind)
        grouped.setdefault(place, []).append(alert)
    return [
        _notice(of_place[0], name, lake_option)
        if len(of_place) == 1
        else _notice_of_many(of_place, place if isinstance(place, str) else None)
        for place, of_place in grouped.items()
    ]


def _notice(alert: Alert, name: str, lake_option: str) -> Notice:
    facts = [("Where", _where(alert)), ("Since", _since(alert))]
    if name in (ENDED, OVER):
        ended = f"{alert.resolved_at:%Y-%m-%d %H:%M} UTC; last seen on {alert.last_day}" if alert.resolved_at else ""
        facts.append(("Ended", ended))
    facts += [("Evidence", alert.evidence), ("Cost", alert.cost)]
    if alert.incident:
        facts.append(("Incident", alert.incident))
    more = alert.subjects - 1 - len(alert.first_rows)
    rows = (*alert.first_rows, *([f"and {more:,} more"] if alert.first_rows and more > 0 else []))
    is_over = name in (ENDED, OVER)
    hidden = ("Evidence",) if name == ENDED else ()
    expected = f". Expected: {alert.expected_effect}" if alert.expected_effect else ""
    return Notice(
        alert.severity,
        alert.title,
        tuple((label, text) for label, text in facts if text and label not in hidden),
        () if name == ENDED else rows,
        "" if is_over else f"{alert.recommendation}{expected}",
        "" if is_over else _command(alert, lake_option),
    )


def _command(alert: Alert, lake_option: str) -> str:
    """What shows the group's day; nothing if a name could act in a shell or a message."""
    if not (_PLAIN.fullmatch(alert.group_id) and _PLAIN.fullmatch(alert.cluster)):
        return ""
    return f"lagoon explain {alert.group_id} --day {alert.last_day} --cluster {alert.cluster}{lake_option}"


def _notice_of_many(alerts: Sequence[Alert], incident: str | None) -> Notice:
    first = alerts[0]
    groups = len({(alert.cluster, alert.group_id) for alert in alerts if alert.group_id}) or len(alerts)
    kinds = Counter(alert.kind for alert in alerts)
    records = [alert.cost_records for alert in alerts if alert.cost_records is not None]
    facts = [
        ("Where", ", ".join(sorted({alert.cluster for alert in alerts if alert.cluster})[:_FIRST_ROWS])),
        ("Since", _since(min(alerts, key=lambda alert: alert.first_day))),
        ("Kinds", ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common())),
        ("Cost", f"{sum(records):,} records in all, as far as they can be counted" if records else first.cost),
    ]
    rows = [alert.title for alert in alerts[:_FIRST_ROWS]]
    if len(alerts) > len(rows):
        rows.append(f"and {len(alerts) - len(rows):,} more")
    what = f"during one incident, {incident}" if incident else f"have {first.kind}"
    return Notice(
        min((alert.severity for alert in alerts), key=SEVERITIES.index),
        f"{counted(groups, 'group')} {what}",
        tuple((label, text) for label, text in facts if text),
        tuple(rows),
        first.recommendation,
        alerts=len(alerts),
    )


def _where(alert: Alert) -> str:
    group = f"group {alert.group_id}" if alert.group_id else ""
    cluster = f"cluster {alert.cluster}" if alert.cluster else ""
    where = " of ".join(part for part in (group, cluster) if part)
    return f"{where} ({alert.kind}, key {alert.key})".strip()


def _since(alert: Alert) -> str:
    days: int = (alert.last_day - alert.first_day + dt.timedelta(1)).days
    return str(alert.first_day) if days == 1 else f"{alert.first_day}, {counted(days, 'day')}"
