"""Airflow sends an alert when no task of a run ever starts, and when a task can't run."""

import datetime as dt
from pathlib import Path

import pytest
from support.airflow_environment import installed_airflow
from support.alert_lake import AlertLake
from support.local_airflow import LocalAirflow, wait_for
from support.webhook_server import WebhookServer, webhook_server

pytestmark = pytest.mark.slow

airflow_environment = pytest.fixture(scope="module")(installed_airflow)
DAG = "telemetry_daily"


def titles(webhook: WebhookServer) -> list[str]:
    return [alert["title"] for each in webhook.accepted for alert in each.document["alerts"]]


@pytest.mark.timeout(1200)
@pytest.mark.usefixtures("airflow_environment")
def test_a_run_that_does_not_start_and_a_task_that_cannot_run_send_one_alert_each(
    tmp_path: Path,
) -> None:
    lake, settings = tmp_path / "lake", tmp_path / "lagoon.toml"
    # What was sent is written in the lake.
    AlertLake(lake).add_day(dt.date(2026, 11, 18))
    with webhook_server() as webhook:
        settings.write_text(
            f'[alerts.conditions.runs]\nkinds = ["run_failed"]\n[alerts.channels.oncall]\nwebhook = "{webhook.url}"\n'
        )
        airflow = LocalAirflow(
            tmp_path / "airflow",
            LAGOON_LANDING=str(tmp_path / "landing"),
            LAGOON_LAKE=str(lake),
            LAGOON_SPARK_JAVA_HOME=str(tmp_path / "java-that-is-gone"),
            LAGOON_CONFIG=str(settings),
            LAGOON_POOL="lake",
            LAGOON_RETRY_MINUTES="0.05",
            LAGOON_LATE_AFTER_HOURS="0.001",
            LAGOON_LAST_DAY="2020-01-01",
        )
        airflow.start()
        try:
            airflow.command("pools", "set", "lake", "0", "no task of Lagoon starts")
            airflow.unpause(DAG)
            run = airflow.trigger(DAG, day="2026-11-18")
            wait_for(lambda: bool(titles(webhook)), seconds=120)
            assert {state for state, _ in airflow.tasks(DAG, run).values()} <= {None, "scheduled"}
            airflow.command("pools", "set", "lake", "1", "one writer")
            wait_for(lambda: len(titles(webhook)) > 1, seconds=300)
            assert airflow.tasks(DAG, run)["bronze"] == ("failed", 3)
            late, failed = titles(webhook)[:2]
            assert late.startswith("The run telemetry_daily is late")
            assert failed.startswith("lagoon bronze failed on ")
        finally:
            airflow.stop()
