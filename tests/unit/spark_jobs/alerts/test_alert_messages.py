"""What messages say and how much of it, to whom, and that names in them are text."""

import dataclasses
import re

import pytest
from support.alert_lake import AlertLake, day, finding, noon
from support.alert_runs import Alerting, run_at
from support.hostile_names import ACTING, GROUPS
from support.mail_server import MailServer
from support.webhook_server import WebhookServer

from spark_jobs.alerts.alert_settings import Channel, Condition, Team
from spark_jobs.alerts.alert_step import Occasion, preview
from spark_jobs.alerts.message import Message
from spark_jobs.alerts.render import render

MENTIONS = ["@here", "@everyone", "<!channel>", "<@U123>", "<@&77>", "x @all y", "#general", ":rotating_light:"]
MARKUP = ["*bold* _x_ `code` ~gone~", "[click](http://evil.example)", "<img src=x onerror=alert(1)>", "| a | b |"]
ALL_NAMES = [*GROUPS.values(), *MENTIONS, *MARKUP]


def message_of(alerting: Alerting, number: int = 1) -> Message:
    [outgoing] = preview(alerting(hook=Channel(webhook="http://127.0.0.1:9/")), Occasion(now=noon(number)))
    return outgoing.message


def test_a_message_says_what_broke_since_when_what_it_costs_and_what_to_do(lake: AlertLake, alerting: Alerting) -> None:
    lake.add_day(day(1), finding()).add_day(day(2), finding(first_seen_day=day(1)))
    message = message_of(alerting, 2)
    rendered = render(message, "text", 0, 0)
    assert rendered.title == "Lagoon, critical: Group billing skipped records on orders-0"
    key = message.alerts[0][1].key
    assert rendered.body.splitlines() == [
        "Alerts: 1 new",
        "",
        "NEW (1)",
        "",
        "CRITICAL  Group billing skipped records on orders-0",
        f"  Where: group billing of cluster eu (skipped_records, key {key})",
        "  Since: 2026-03-01, 2 days",
        "  Evidence: 3 times, first at 11:28",
        "  Cost: 100 records never read",
        "  To do: Retain the topic longer",
        f"  lagoon explain billing --day 2026-03-02 --cluster eu --lake {lake.folder}",
        "",
        f"All open alerts: lagoon alerts list --lake {lake.folder}",
        f'Not now: lagoon alerts silence KEY --hours 8 --reason "…" --lake {lake.folder}',
    ]


def test_500_groups_of_one_incident_are_one_message_that_names_it_and_counts_them(
    lake: AlertLake, webhook: WebhookServer, alerting: Alerting
) -> None:
    groups = [f"group-{number:03}" for number in range(500)]
    lake.add_incident(day(1), *groups)
    lake.add_day(day(1), *(finding(group, records=number) for number, group in enumerate(groups)), finding("alone"))
    run_at(alerting(hook=Channel(webhook=webhook.url)), noon(1))

    [sent] = webhook.accepted
    assert sent.document["title"] == "Lagoon: 501 critical on eu, 2026-03-01"
    assert len(sent.document["alerts"]) == 501
    lines = sent.document["text"].splitlines()
    assert (
        "CRITICAL  500 groups during one incident, broker restarted: broker 1, 2026-03-01 11:31 to 11:32 UTC" in lines
    )
    assert "  Kinds: 500 skipped_records" in lines
    assert "  Cost: 124,750 records in all, as far as they can be counted" in lines
    assert "  - and 495 more" in lines
    assert "CRITICAL  Group alone skipped records on orders-0" in lines
    assert len(lines) < 40


def test_a_message_keeps_to_the_length_that_a_channel_takes_and_says_what_it_leaves_out(
    lake: AlertLake, alerting: Alerting
) -> None:
    kinds = [f"kind_{number}" for number in range(60)]
    lake.add_day(day(1), *(finding("g" * 10_000, kind=kind, evidence="e" * 5_000) for kind in kinds))
    message = message_of(alerting)
    for message_format in ("text", "markdown", "html"):
        for limit in (35_000, 15_000, 4_000, 1_000, 600, 60, 20):
            rendered = render(message, message_format, 120, limit)
            assert 0 < len(rendered.body) <= limit
            assert len(rendered.title) <= 120
        assert "more alert" in render(message, message_format, 120, 15_000).body
        assert render(message, message_format, 120, 20).body == "Alerts: 60 new"


@pytest.mark.parametrize("message_format", ["text", "markdown", "html"])
def test_names_of_telemetry_are_text_in_every_format(lake: AlertLake, alerting: Alerting, message_format: str) -> None:
    found = [
        finding(name, kind=f"kind_{number}", subject=name, cost=name, recommendation=name, expected_effect=name)
        for number, name in enumerate(ALL_NAMES)
    ]
    assert len(found) > 25
    lake.add_day(day(1), *found, cluster="\n# @here <b>")
    rendered = render(message_of(alerting), message_format, 0, 0)
    for text in (rendered.title, rendered.body):
        for acting in (*ACTING, "@here", "@everyone", "@all", "<!channel", "<@", "<img", "<script", "http://evil"):
            # The zero-width space is what a mention is broken with.
            assert acting == "\u200b" or acting not in text
    assert not any(line.startswith(("FORGED", "# ")) for line in rendered.body.splitlines())
    if message_format != "html":
        # What is left are the marks and commands of our own.
        ours = re.compile(r"\*\*(critical|NEW \(32\)|To do:)\*\*|`lagoon [^`]*`")
        assert not set("*`[]<>|~") & set(ours.sub("", rendered.body))


def test_a_webhook_gets_hostile_names_unchanged(lake: AlertLake, webhook: WebhookServer, alerting: Alerting) -> None:
    lake.add_day(day(1), *(finding(name) for name in ALL_NAMES))
    run_at(alerting(hook=Channel(webhook=webhook.url)), noon(1))
    [sent] = webhook.accepted
    assert {alert["group_id"] for alert in sent.document["alerts"]} == set(ALL_NAMES)


def test_a_mail_with_hostile_names_has_one_subject_line_and_no_markup_of_theirs(
    lake: AlertLake, mail: MailServer, alerting: Alerting
) -> None:
    name = "x\r\nBcc: all@example.org\r\n\r\n<script>alert(1)</script> @here"
    lake.add_day(day(1), finding(name))
    run_at(alerting(mail=Channel(url=mail.url)), noon(1))
    [sent] = mail.accepted
    assert sent["Bcc"] is None
    assert sent["To"] == "oncall@example.org"
    body = sent.get_body(("html",))
    assert body is not None
    assert "<script" not in body.get_content()
    assert "&lt;script&gt;" in body.get_content()


def test_teams_get_what_is_about_their_groups_and_channels_of_no_team_get_everything(
    lake: AlertLake, alerting: Alerting
) -> None:
    def address(name: str) -> Channel:
        return Channel(webhook=f"http://127.0.0.1:9/{name}")

    settings = alerting(
        everything=address("everything"),
        payments=address("payments"),
        orders=dataclasses.replace(address("orders"), severities=("warning",)),
        conditions={"all": Condition()},
        teams={
            "payments": Team(groups=("pay-*", "[odd]*"), channels=("payments",)),
            "orders": Team(groups=("*",), clusters=("eu",), channels=("orders",)),
        },
    )
    lake.add_day(day(1), finding("pay-in"), finding("[odd] one"), finding("late", severity="warning"))
    sent = {
        each.channel: sorted(alert.group_id for _, alert in each.message.alerts)
        for each in preview(settings, Occasion(now=noon(1)))
    }
    assert sent == {
        "everything": ["[odd] one", "late", "pay-in"],
        "payments": ["[odd] one", "pay-in"],
        "orders": ["late"],
    }


@pytest.mark.parametrize(
    ("condition", "groups"),
    [
        (Condition(severities=("warning",)), ["late"]),
        (Condition(kinds=("skip*",)), ["a", "b"]),
        (Condition(groups=("a", "l*")), ["a", "late"]),
        (Condition(clusters=("us",)), []),
        (Condition(records_at_least=150), ["b"]),
    ],
)
def test_a_condition_chooses_by_severity_kind_cluster_group_and_cost(
    lake: AlertLake, alerting: Alerting, condition: Condition, groups: list[str]
) -> None:
    late = finding("late", severity="warning", kind="lag", records=20)
    # Together they cost enough.
    lake.add_day(day(1), finding("a"), finding("b"), finding("b", subject="orders-1"), late)
    settings = alerting(hook=Channel(webhook="http://127.0.0.1:9/"), conditions={"chosen": condition})
    found = [alert.group_id for each in preview(settings, Occasion(now=noon(1))) for _, alert in each.message.alerts]
    assert sorted(found) == groups
