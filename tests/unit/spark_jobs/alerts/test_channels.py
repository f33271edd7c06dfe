"""Each alert arrives once, whatever a channel does: real servers on loopback that refuse, hang, or die in the middle."""

import hashlib
import hmac
from email.message import EmailMessage
from pathlib import Path

import pytest
from support.alert_lake import AlertLake, day, finding, noon
from support.alert_runs import Alerting, run_at
from support.free_ports import free_ports
from support.mail_server import MailServer
from support.webhook_server import DIE, HANG, REDIRECT, REFUSE, WebhookServer

from spark_jobs.alerts.alert_settings import Channel
from spark_jobs.lake.small_tables import SmallTables


def part(mail: EmailMessage, kind: str) -> str:
    found = mail.get_body((kind,))
    assert found is not None
    text: str = found.get_content()
    return text


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (REFUSE, "it answered with HTTP 500"),
        (HANG, "it did not answer within 1 s"),
        (DIE, "it closed the connection (RemoteDisconnected)"),
        (REDIRECT, "it answered with HTTP 307"),
    ],
)
def test_what_a_webhook_does_not_accept_is_sent_by_the_next_run_with_the_same_key(
    lake: AlertLake, webhook: WebhookServer, alerting: Alerting, behaviour: str, reason: str
) -> None:
    settings = alerting(hook=Channel(webhook=webhook.url, timeout_seconds=1))
    lake.add_day(day(1), finding())
    webhook.behaviours = [behaviour]

    assert run_at(settings, noon(1)).problems == (("hook", reason),)
    assert run_at(settings, noon(1)).sent == ("hook",)
    assert run_at(settings, noon(1)).sent == ()
    assert [each.behaviour for each in webhook.received] == [behaviour, "accept"]
    assert webhook.received[0].key == webhook.received[1].key
    assert webhook.received[0].body == webhook.received[1].body


def test_a_webhook_that_nobody_serves_is_named_without_its_address(lake: AlertLake, alerting: Alerting) -> None:
    lake.add_day(day(1), finding())
    settings = alerting(hook=Channel(webhook=f"http://127.0.0.1:{free_ports(1)[0]}/secret"))
    assert run_at(settings, noon(1)).problems == (("hook", "it could not be reached (ConnectionRefusedError)"),)


def test_one_channel_that_fails_keeps_no_other_from_its_message(
    lake: AlertLake, webhook: WebhookServer, mail: MailServer, alerting: Alerting
) -> None:
    settings = alerting(hook=Channel(webhook=webhook.url), mail=Channel(url=mail.url))
    lake.add_day(day(1), finding())
    mail.answers = ["451 not now"]

    first = run_at(settings, noon(1))
    assert (first.sent, first.problems) == (("hook",), (("mail", "the service did not accept the message"),))
    second = run_at(settings, noon(1))
    assert (second.sent, second.problems) == (("mail",), ())
    assert len(webhook.accepted) == len(mail.accepted) == 1


def test_a_channel_that_was_down_while_something_became_worse_gets_all_of_it_in_one_message(
    lake: AlertLake, webhook: WebhookServer, alerting: Alerting
) -> None:
    settings = alerting(hook=Channel(webhook=webhook.url))
    webhook.behaviours = [REFUSE, REFUSE]
    lake.add_day(day(1), finding(records=10), finding("gone"))
    run_at(settings, noon(1))
    lake.add_day(day(2), finding(records=50))
    run_at(settings, noon(2))
    run_at(settings, noon(2))
    [sent] = webhook.accepted
    assert [(alert["status"], alert["group_id"], alert["cost_records"]) for alert in sent.document["alerts"]] == [
        ("new", "billing", 50),
        ("over again", "gone", 100),
    ]


def test_a_channel_that_is_added_gets_what_is_open(
    lake: AlertLake, webhook: WebhookServer, mail: MailServer, alerting: Alerting
) -> None:
    lake.add_day(day(1), finding(), finding("gone"))
    run_at(alerting(hook=Channel(webhook=webhook.url)), noon(1))
    lake.add_day(day(2), finding())
    both = alerting(hook=Channel(webhook=webhook.url), mail=Channel(url=mail.url))
    run_at(both, noon(2))
    run_at(both, noon(2))
    [sent] = mail.accepted
    assert "Group billing skipped records" in part(sent, "html")
    assert "Group gone" not in part(sent, "html")


def test_the_body_of_a_webhook_is_signed_and_has_everything_that_is_known(
    lake: AlertLake, webhook: WebhookServer, alerting: Alerting, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("s3cret\n")
    lake.add_day(day(1), finding(), finding(subject="orders-1", records=20, title="another"))
    run_at(alerting(hook=Channel(webhook=webhook.url, secret_file=str(secret))), noon(1))

    [sent] = webhook.accepted
    signed = f"{sent.headers['X-Lagoon-Timestamp']}.".encode() + sent.body
    digest = hmac.new(b"s3cret", signed, hashlib.sha256).hexdigest()
    assert sent.headers["X-Lagoon-Signature"] == f"sha256={digest}"
    assert sent.document["id"] == sent.key
    [alert] = sent.document["alerts"]
    assert alert == {
        **{"status": "new", "key": alert["key"], "kind": "skipped_records", "severity": "critical", "cluster": "eu"},
        **{"group_id": "billing", "title": "Group billing skipped records on orders-0"},
        "evidence": "3 times, first at 11:28",
        "cost": "100 records never read. In all 120 records in 2 rows",
        **{"cost_records": 120, "recommendation": "Retain the topic longer", "expected_effect": ""},
        **{"first_rows": ["another"], "subjects": 2, "incident": None},
        **{"first_day": "2026-03-01", "last_day": "2026-03-01", "opened_at": "2026-03-02T12:00:00Z"},
        **{"worsened_at": None, "resolved_at": None, "change_count": 1},
    }


def test_a_mail_has_html_and_text_and_the_report_if_the_channel_asks_for_it(
    lake: AlertLake, mail: MailServer, alerting: Alerting
) -> None:
    lake.add_day(day(1), finding())
    report = lake.folder / "reports" / "2026-03-01-eu.html"
    report.parent.mkdir()
    report.write_text("<html>the day</html>")
    run_at(alerting(mail=Channel(url=mail.url, attach_report=True)), noon(1))

    [sent] = mail.accepted
    assert sent["Subject"] == "Lagoon, critical: Group billing skipped records on orders-0"
    assert "<b>Group billing skipped records on orders-0</b>" in part(sent, "html")
    assert "Group billing skipped records on orders-0" in part(sent, "plain")
    [attached] = sent.iter_attachments()
    assert attached.get_filename() == report.name
    assert str(report) in part(sent, "html")


def test_a_secret_is_neither_stored_nor_part_of_a_reason(
    lake: AlertLake, webhook: WebhookServer, alerting: Alerting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOOK", webhook.url)
    monkeypatch.setenv("SLACK", "notaservice://very-secret-token/xoxb")
    webhook.behaviours = [REFUSE]
    settings = alerting(
        hook=Channel(webhook_env="HOOK"), slack=Channel(url_env="SLACK"), unset=Channel(url_env="NOT_SET")
    )
    lake.add_day(day(1), finding())
    done = run_at(settings, noon(1))
    assert dict(done.problems) == {
        "hook": "it answered with HTTP 500",
        "slack": "its URL is not one that Apprise understands",
        "unset": "the environment variable NOT_SET is not set",
    }
    files = [file for file in lake.folder.rglob("*") if file.is_file()]
    assert len(files) > 10
    assert [file for file in files if b"very-secret" in file.read_bytes()] == []
    assert "very-secret" not in repr(settings)
    [row] = SmallTables(str(lake.folder), {}).read("quality.alerts")
    assert "very-secret" not in str(row)
