"""A lake without Spark, and servers on loopback that alerts are sent to."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.alert_lake import AlertLake
from support.alert_runs import Alerting
from support.mail_server import MailServer, mail_server
from support.webhook_server import WebhookServer, webhook_server

from spark_jobs.alerts.alert_settings import AlertSettings, Channel, Condition, Team
from spark_jobs.settings import Settings, load


@pytest.fixture
def lake(tmp_path: Path) -> AlertLake:
    return AlertLake(tmp_path / "lake")


@pytest.fixture
def webhook() -> Iterator[WebhookServer]:
    with webhook_server() as server:
        yield server


@pytest.fixture
def mail() -> Iterator[MailServer]:
    with mail_server() as server:
        yield server


@pytest.fixture
def alerting(lake: AlertLake) -> Alerting:
    """A function that returns settings with these channels."""

    def settings(
        *,
        conditions: dict[str, Condition] | None = None,
        teams: dict[str, Team] | None = None,
        values: dict[str, Any] | None = None,
        **channels: Channel,
    ) -> Settings:
        loaded = load(lake=str(lake.folder), environment={})
        chosen = AlertSettings(conditions or loaded.alerts.conditions, channels, teams or {})
        return replace(loaded, alerts=chosen, values={**loaded.values, **(values or {})})

    return settings
