"""Adds and ends silences, for `lagoon alerts silence` and `unsilence`."""

import datetime as dt
from dataclasses import replace

from spark_jobs.alerts.alert_store import open_alerts
from spark_jobs.alerts.routing import route
from spark_jobs.alerts.silences import Silence, new_silence_id
from spark_jobs.errors import UsageError
from spark_jobs.progress import counted
from spark_jobs.settings import Settings


def add_silence(
    settings: Settings, chosen: tuple[str, str, str, str], now: dt.datetime, expiry: dt.datetime, reason: str
) -> str:
    """`chosen` are the key of an alert, or nothing, and patterns of kinds, clusters and groups. Returns what was done."""
    key, *patterns = chosen
    if not key and set(patterns) == {"*"}:
        raise UsageError("this silences everything", "Name a key, or one of --group, --kind and --cluster")
    if not reason.strip():
        raise UsageError("a silence needs a reason", "Name it with --reason")
    silence = Silence(new_silence_id(), now, expiry, None, reason.strip(), *chosen)
    with open_alerts(settings) as store:
        alerts, silences = store.alerts(), store.silences()
        if key and key not in {alert.key for alert in alerts}:
            raise UsageError(f"there is no alert with the key {key}", "`lagoon alerts list --all` prints all keys")
        store.write_silences([*silences, silence])
        # What is listed from now on says so.
        store.write_alerts(route(alerts, settings.alerts, [*silences, silence], now))
        open_now = sum(alert.is_open and silence.is_about(alert) for alert in alerts)
    return (
        f"{silence.silence_id}: {counted(open_now, 'open alert')}, and what matches later, silenced until "
        f"{expiry:%Y-%m-%d %H:%M} UTC. `lagoon alerts unsilence {silence.silence_id}` ends it."
    )


def end_silences(settings: Settings, name: str, now: dt.datetime) -> str:
    """`name` is that of a silence, or the key of an alert. Returns what was done."""
    with open_alerts(settings) as store:
        alerts, silences = store.alerts(), store.silences()
        ended = [each for each in silences if name in (each.silence_id, each.key) and each.is_active(now)]
        if not ended:
            known = ", ".join(each.silence_id for each in silences if each.is_active(now))
            raise UsageError(f"no silence {name} is active", f"Active are: {known}" if known else "None is active")
        left = [replace(each, ended_at=now) if each in ended else each for each in silences]
        store.write_silences(left)
        store.write_alerts(route(alerts, settings.alerts, left, now))
    return f"{counted(len(ended), 'silence')} ended. The next run sends what is open."
