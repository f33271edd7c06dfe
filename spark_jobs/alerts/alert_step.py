"""The step `alert` of a run: looks at the lake, writes what changed, sends each channel one message about it."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from spark_jobs.alerts.alert import FAILED, SENT, Alert, ChannelState, Trouble
from spark_jobs.alerts.alert_store import AlertStore, open_alerts, read_alerts
from spark_jobs.alerts.conditions import Conditions
from spark_jobs.alerts.delivery import Outgoing, send_all
from spark_jobs.alerts.lifecycle import Limits, Observed, advance
from spark_jobs.alerts.message import compose
from spark_jobs.alerts.observe import observe, succeeded_runs
from spark_jobs.alerts.routing import route
from spark_jobs.dashboard.day_file import day_file_path
from spark_jobs.lake.lake_folder import lake_folder
from spark_jobs.lake.location import is_default_lake, local_path
from spark_jobs.report.lake_reader import LakeReader
from spark_jobs.settings import Settings
from spark_jobs.visible_text import shell_quoted

_MOST_REPORTS = 3


@dataclass(frozen=True)
class AlertRun:
    """What a run did about alerts."""

    # All that are open, and those that changed.
    open: int = 0
    changed: int = 0
    sent: tuple[str, ...] = ()
    # Channels that did not accept their message, with the reason.
    problems: tuple[tuple[str, str], ...] = ()
    without_channel: int = 0


@dataclass(frozen=True)
class Occasion:
    """Why alerts are looked at now."""

    now: dt.datetime = field(default_factory=lambda: dt.datetime.now(dt.UTC))
    # The day of delivery that is done.
    until: dt.date | None = None
    # A run that has just failed: then nothing else is looked at.
    failure: Trouble | None = None
    # Whether every layer was run, of every delivery: whatever failed before has succeeded now.
    is_whole_run: bool = False


def run_alerts(settings: Settings, occasion: Occasion) -> AlertRun:
    with open_alerts(settings) as store:
        before = store.alerts()
        alerts = _current(settings, store, before, occasion)
        # Before anything is sent: what is sent and then forgotten would be sent a second time.
        if alerts != before:
            store.write_alerts(alerts)
        sent, problems = [], []

        def accepted(outgoing: Outgoing) -> None:
            store.acknowledged.add(outgoing.channel, (alert for _, alert in outgoing.message.alerts), occasion.now)

        for result in send_all(_outgoing(settings, alerts), settings.alerts.channels, accepted):
            alerts = _after(alerts, result.outgoing, result.problem, occasion.now)
            store.write_alerts(alerts)
            if result.problem is None:
                sent.append(result.outgoing.channel)
            else:
                problems.append((result.outgoing.channel, result.problem))
    known = {alert.identity: alert.change_count for alert in before}
    return AlertRun(
        sum(alert.is_open for alert in alerts),
        sum(known.get(alert.identity) != alert.change_count for alert in alerts),
        tuple(sent),
        tuple(problems),
        sum(alert.is_open and not alert.deliveries for alert in alerts),
    )


def preview(settings: Settings, occasion: Occasion) -> list[Outgoing]:
    """The messages that a run would send now. Writes nothing."""
    store = read_alerts(settings)
    return _outgoing(settings, _current(settings, store, store.alerts(), occasion))


def _current(settings: Settings, store: AlertStore, before: Sequence[Alert], occasion: Occasion) -> list[Alert]:
    conditions = Conditions(tuple(settings.alerts.conditions.values()))
    if occasion.failure is not None:
        observed = Observed(conditions.select([occasion.failure]))
    else:
        reader = LakeReader(settings)
        seen = observe(reader, conditions, settings.integer("alerts.recent_days"))
        succeeded = succeeded_runs(reader, before, occasion.until, occasion.is_whole_run)
        observed = replace(seen, succeeded=succeeded)
    limits = Limits(settings.integer("alerts.worse_by_percent"), settings.integer("alerts.repeat_after_hours"))
    alerts = advance(before, observed, occasion.now, limits)
    return route(alerts, settings.alerts, store.silences(), occasion.now)


def _outgoing(settings: Settings, alerts: Sequence[Alert]) -> list[Outgoing]:
    option = "" if is_default_lake(settings.lake) else f" --lake {shell_quoted(settings.lake)}"
    outgoing = []
    for channel in settings.alerts.channels:
        waiting = [alert for alert in alerts if alert.is_waiting_for(channel)]
        if waiting:
            files = _report_files(settings, waiting)
            message = compose(channel, waiting, [_shown(settings, file) for file in files], option)
            outgoing.append(Outgoing(channel, message, _attachments(settings, files)))
    return outgoing


def _report_files(settings: Settings, alerts: Sequence[Alert]) -> list[str]:
    """The reports of the newest day of each cluster, as far as they exist."""
    days: dict[str, dt.date] = {}
    for alert in alerts:
        if alert.cluster:
            days[alert.cluster] = max(alert.last_day, days.get(alert.cluster, alert.last_day))
    files = lake_folder(settings)
    paths = [day_file_path(cluster, day) for cluster, day in sorted(days.items())]
    return [path for path in paths if files.modified_at(path)][:_MOST_REPORTS]


def _attachments(settings: Settings, files: Sequence[str]) -> list[str]:
    """Only what is on this machine can be attached."""
    lake = local_path(settings.lake)
    return [] if lake is None else [str(lake / file) for file in files]


def _shown(settings: Settings, file: str) -> str:
    hosted_at, lake = settings.text("alerts.report_url").rstrip("/"), local_path(settings.lake)
    if hosted_at:
        return f"{hosted_at}/{PurePosixPath(file).name.replace('%', '%25')}"
    return str((lake / file).absolute()) if lake is not None else lake_folder(settings).address(file)


def _after(alerts: Sequence[Alert], outgoing: Outgoing, problem: str | None, now: dt.datetime) -> list[Alert]:
    """The alerts when a channel has answered."""
    in_message = {alert.identity for _, alert in outgoing.message.alerts}
    return [
        _with_answer(alert, outgoing.channel, problem, now) if alert.identity in in_message else alert
        for alert in alerts
    ]


def _with_answer(alert: Alert, channel: str, problem: str | None, now: dt.datetime) -> Alert:
    state = alert.state_of(channel)
    assert state is not None
    if problem is None:
        return alert.with_state(ChannelState(channel, alert.change_count, SENT, now, 0))
    return alert.with_state(state._replace(outcome=FAILED, attempts=state.attempts + 1))
