"""`lagoon alert` and `lagoon alerts` as a person or a scheduler calls them."""

import datetime as dt
import json
from pathlib import Path

import pytest
from support.alert_lake import AlertLake, day, finding
from support.webhook_server import WebhookServer
from typer.testing import CliRunner

from spark_jobs.alerts.last_run import mark_finished
from spark_jobs.alerts.run_outcome import alert_of_failure
from spark_jobs.cli import app
from spark_jobs.errors import UserError
from spark_jobs.lake.write_lock import LakeIsLockedError
from spark_jobs.settings import load

NOW = dt.datetime.now(dt.UTC)


@pytest.fixture
def config(lake: AlertLake, webhook: WebhookServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Settings whose one channel is the webhook, in the folder of the lake."""
    monkeypatch.setenv("HOOK", webhook.url)
    lake.add_day(day(1), finding(), finding("quiet", severity="warning"))
    file = lake.folder.parent / "lagoon.toml"
    file.write_text('[lagoon]\nlake = "lake"\n[alerts.channels.hook]\nwebhook_env = "HOOK"\n')
    return file


def lagoon(config: Path, *words: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, [*words, "--config", str(config)])
    assert done.exit_code == code, (done.output, done.exception)
    return done.output


def statuses(webhook: WebhookServer) -> list[list[str]]:
    return [[alert["status"] for alert in each.document["alerts"]] for each in webhook.accepted]


def test_the_step_sends_once_and_says_what_it_did(config: Path, webhook: WebhookServer) -> None:
    assert "To hook: Lagoon, critical: Group billing skipped" in lagoon(config, "alert", "--dry-run")
    assert webhook.received == []
    assert lagoon(config, "alert", "--day", "2026-03-01") == "1 alert changed: sent to hook.\n"
    assert lagoon(config, "alert", "--day", "2026-03-01") == "No alert has changed; 1 alert open.\n"
    assert statuses(webhook) == [["new"]]


def test_open_alerts_are_listed_and_can_be_silenced_and_unsilenced(config: Path, webhook: WebhookServer) -> None:
    lagoon(config, "alert")
    [listed] = json.loads(lagoon(config, "alerts", "list", "--format", "json"))
    assert (listed["group_id"], listed["outcome"], listed["sent_to"]) == ("billing", "sent", ["hook"])

    lagoon(config, "alerts", "silence", listed["key"], "--hours", "2", "--reason", "we know")
    [silenced] = json.loads(lagoon(config, "alerts", "list", "--format", "json"))
    assert (silenced["outcome"], silenced["silence_reason"]) == ("silenced", "we know")
    assert lagoon(config, "alerts", "unsilence", listed["key"]).startswith("1 silence ended.")
    [after] = json.loads(lagoon(config, "alerts", "list", "--format", "json"))
    assert (after["outcome"], after["silenced_until"]) == ("sent", None)
    assert statuses(webhook) == [["new"]]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--reason", "x", "--hours", "1"], "this silences everything"),
        (["--group", "a", "--reason", " ", "--hours", "1"], "a silence needs a reason"),
        (["--group", "a", "--reason", "x"], "a silence needs an end"),
        (["--group", "a", "--reason", "x", "--until", "2020-01-01T00:00"], "is in the past"),
        (["0123456789ab", "--reason", "x", "--hours", "1"], "there is no alert with the key"),
    ],
)
def test_a_silence_that_would_be_a_mistake_is_refused(config: Path, words: list[str], problem: str) -> None:
    done = CliRunner().invoke(app, ["alerts", "silence", *words, "--config", str(config)])
    assert problem in str(done.exception)


def test_a_test_message_reaches_every_channel_or_the_command_fails(config: Path, webhook: WebhookServer) -> None:
    assert lagoon(config, "alerts", "test") == "hook: accepted\n"
    assert webhook.accepted[0].document["title"] == "Lagoon: a test message"
    webhook.behaviours = ["refuse"]
    assert lagoon(config, "alerts", "test", "--channel", "hook", code=1) == "hook: it answered with HTTP 500\n"


def test_the_check_fails_if_no_run_has_finished_lately(config: Path, lake: AlertLake) -> None:
    # The ledger has a run of months ago.
    assert "are allowed" in lagoon(config, "alerts", "check", code=1)
    settings = load(file=str(config))
    mark_finished(settings, dt.datetime.now(dt.UTC) - dt.timedelta(hours=30))
    assert "30.0 hours ago; 26 are allowed." in lagoon(config, "alerts", "check", code=1)
    lagoon(config, "alerts", "check", "--hours", "40")
    lagoon(config, "alert")
    lagoon(config, "alerts", "check")
    assert (lake.folder / ".last_run").is_file()


def test_a_run_that_fails_is_an_alert_once_until_a_run_succeeds(config: Path, webhook: WebhookServer) -> None:
    for _ in range(2):
        with pytest.raises(UserError), alert_of_failure("run", None, str(config)):
            raise UserError("the disk is full", "Free some space")
    [sent] = webhook.accepted
    [alert] = sent.document["alerts"]
    assert (alert["kind"], alert["evidence"]) == ("run_failed", "the disk is full. Free some space.")
    lagoon(config, "alert", "--day", str(NOW.date()))
    assert statuses(webhook) == [["new"], ["new", "ended"]]


def test_another_run_on_the_lake_is_no_failure(config: Path, webhook: WebhookServer) -> None:
    with pytest.raises(LakeIsLockedError), alert_of_failure("run", None, str(config)):
        raise LakeIsLockedError("the lake is being written", "Wait")
    assert webhook.received == []


def test_a_scheduler_reports_a_task_that_failed(config: Path, webhook: WebhookServer) -> None:
    assert lagoon(config, "alert", "--failed", "silver") == "1 alert changed: sent to hook.\n"
    assert lagoon(config, "alert", "--failed=silver") == ""
    assert [alert["title"] for alert in webhook.accepted[0].document["alerts"]] == [
        f"lagoon silver failed on {NOW.date()}"
    ]


def test_a_scheduler_reports_a_run_that_is_late(config: Path, webhook: WebhookServer) -> None:
    assert lagoon(config, "alert", "--late", "telemetry_daily") == "1 alert changed: sent to hook.\n"
    assert lagoon(config, "alert", "--late=telemetry_daily") == ""
    assert [alert["title"] for alert in webhook.accepted[0].document["alerts"]] == [
        f"The run telemetry_daily is late on {NOW.date()}"
    ]


def test_a_lake_that_is_filled_day_by_day_sends_nothing_for_days_that_are_long_over(
    config: Path, webhook: WebhookServer, tmp_path: Path
) -> None:
    for number in (1, 2, 5):
        file = tmp_path / "landing" / "group_logs" / "cluster=eu" / f"date={day(number)}" / "server.log"
        file.parent.mkdir(parents=True)
        file.write_text("x")
    landing = ("--landing", str(tmp_path / "landing"))
    for number in (1, 2):
        assert "is history" in lagoon(config, "alert", "--day", str(day(number)), *landing)
    assert webhook.received == []
    lagoon(config, "alert", "--day", str(day(5)), *landing)
    assert statuses(webhook) == [["new"]]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[alerts.channels.a]", "alerts.channels.a in"),
        ('[alerts.channels.a]\nurl = "x"\nwebhook = "http://y/"', "has url and webhook"),
        ('[alerts.channels.a]\nwebhook = "ftp://secret/"', "does not begin with http:// or https://"),
        ('[alerts.channels.a]\nurl = ["secret"]', "alerts.channels.a.url in"),
        ('[alerts.channels.a]\nurll = "secret"', "Did you mean alerts.channels.a.url"),
        ('[alerts.teams.a]\ngroups = "x"', "Give a list of texts"),
        ('[alerts.teams.a]\nchannels = ["b"]', "names the channel 'b', which does not exist"),
        ('[alerts.conditions.a]\nseverities = ["bad"]', "Give a list of critical, warning, info"),
        ("[alerts.conditions.a]\nrecords_at_least = -1", "Give a whole number from 0"),
    ],
)
def test_a_wrong_setting_is_named_without_its_value(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "lagoon.toml"
    file.write_text(text)
    with pytest.raises(UserError) as raised:
        load(file=str(file), environment={})
    assert problem in str(raised.value)
    assert "secret" not in str(raised.value)
