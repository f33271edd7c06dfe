"""Runs the step that sends alerts, at a time of the test's choice."""

import datetime as dt
from collections.abc import Callable

from spark_jobs.alerts.alert_step import AlertRun, Occasion, run_alerts
from spark_jobs.settings import Settings

# A function that returns settings with the named channels.
Alerting = Callable[..., Settings]


def run_at(settings: Settings, now: dt.datetime) -> AlertRun:
    return run_alerts(settings, Occasion(now=now))
