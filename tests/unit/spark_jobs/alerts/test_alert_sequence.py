"""What is sent over simulated days: once, and again when something changes."""

import datetime as dt

from support.alert_lake import AlertLake, day, finding, noon
from support.alert_runs import Alerting, run_at
from support.webhook_server import WebhookServer

from spark_jobs.alerts.alert_settings import Channel
from spark_jobs.alerts.alert_step import Occasion, run_alerts
from spark_jobs.alerts.silence_commands import add_silence, end_silences
from spark_jobs.settings import Settings


def messages(webhook: WebhookServer) -> list[list[tuple[str, str]]]:
    """Status and group of the alerts of each message that the webhook has accepted."""
    return [[(alert["status"], alert["group_id"]) for alert in each.document["alerts"]] for each in webhook.accepted]


def hook(webhook: WebhookServer) -> Channel:
    return Channel(webhook=webhook.url)


def key_of(webhook: WebhookServer) -> str:
    key: str = webhook.accepted[0].document["alerts"][0]["key"]
    return key


def test_an_alert_opens_stays_becomes_worse_is_silenced_ends_and_opens_anew(
    lake: AlertLake, webhook: WebhookServer, alerting: Alerting
) -> None:
    settings = alerting(hook=hook(webhook))

    def after_day(number: int, *found: dict[str, object]) -> list[list[tuple[str, str]]]:
        lake.add_day(day(number), *found)
        before = len(webhook.accepted)
        run_at(settings, noon(number))
        run_at(settings, noon(number) + dt.timedelta(minutes=1))
        return messages(webhook)[before:]

    assert after_day(1, finding(records=100)) == [[("new", "billing")]]
    assert after_day(2, finding(records=100)) == []
    assert after_day(3, finding(records=200)) == [[("worse", "billing")]]
    silence = (key_of(webhook), "*", "*", "*")
    add_silence(settings, silence, noon(3), noon(4) + dt.timedelta(hours=1), "we know")
    assert after_day(4, finding(records=800)) == []
    assert after_day(5) == [[("ended", "billing")]]
    assert after_day(6) == []
    assert after_day(7, finding(records=100)) == [[("new", "billing")]]


def test_what_is_still_open_when_a_silence_expires_is_sent_then(
    lake: AlertLake, webhook: WebhookServer, alerting: Alerting
) -> None:
    settings = alerting(hook=hook(webhook))
    lake.add_day(day(1))
    run_at(settings, noon(1))
    add_silence(settings, ("", "*", "*", "bill*"), noon(1), noon(2) + dt.timedelta(hours=1), "a test")

    lake.add_day(day(2), finding())
    run_at(settings, noon(2))
    assert messages(webhook) == []
    run_at(settings, noon(2) + dt.timedelta(hours=2))
    assert messages(webhook) == [[("new", "billing")]]


def test_what_begins_and_ends_while_it_is_silenced_is_never_sent(
    lake: AlertLake, webhook: WebhookServer, alerting: Alerting
) -> None:
    settings = alerting(hook=hook(webhook))
    lake.add_day(day(1))
    run_at(settings, noon(1))
    add_silence(settings, ("", "*", "*", "bill*"), noon(1), noon(3) + dt.timedelta(hours=1), "a test")
    lake.add_day(day(2), finding())
    run_at(settings, noon(2))
    lake.add_day(day(3))
    run_at(settings, noon(3))
    run_at(settings, noon(3) + dt.timedelta(hours=2))
    assert messages(webhook) == []


def test_an_ended_silence_no_longer_holds(lake: AlertLake, webhook: WebhookServer, alerting: Alerting) -> None:
    settings = alerting(hook=hook(webhook))
    lake.add_day(day(1))
    run_at(settings, noon(1))
    added = add_silence(settings, ("", "*", "*", "bill*"), noon(1), noon(9), "a test")
    lake.add_day(day(2), finding())
    run_at(settings, noon(2))
    end_silences(settings, added.partition(":")[0], noon(2))
    run_at(settings, noon(2))
    assert messages(webhook) == [[("new", "billing")]]


def test_a_higher_severity_and_more_subjects_are_worse_and_less_of_them_is_not(
    lake: AlertLake, webhook: WebhookServer, alerting: Alerting
) -> None:
    settings = alerting(hook=hook(webhook))
    partitions = [finding(records=None, subject=f"orders-{number}") for number in range(4)]
    for number, found in enumerate((partitions[:2], partitions[:3], partitions, partitions[:1], partitions), 1):
        lake.add_day(day(number), *found)
        run_at(settings, noon(number))
    # Two partitions, then four; four once more after one is nothing new.
    assert messages(webhook) == [[("new", "billing")], [("worse", "billing")]]


def test_an_open_alert_is_repeated_after_the_chosen_hours_only(
    lake: AlertLake, webhook: WebhookServer, alerting: Alerting
) -> None:
    settings = alerting(hook=hook(webhook), values={"alerts.repeat_after_hours": 48})
    for number in range(1, 6):
        lake.add_day(day(number), finding())
        run_at(settings, noon(number))
    assert messages(webhook) == [[("new", "billing")], [("still open", "billing")], [("still open", "billing")]]


def test_the_first_minutes_of_a_day_end_nothing(lake: AlertLake, webhook: WebhookServer, alerting: Alerting) -> None:
    settings = alerting(hook=hook(webhook))
    lake.add_day(day(1), finding())
    run_at(settings, noon(1))
    lake.add_day(day(2), hours=1)
    run_at(settings, noon(1) + dt.timedelta(hours=1))
    assert messages(webhook) == [[("new", "billing")]]
    lake.add_day(day(2), hours=24)
    run_at(settings, noon(2))
    assert messages(webhook)[1:] == [[("ended", "billing")]]


def test_a_finding_that_a_late_file_takes_away_has_ended(
    lake: AlertLake, webhook: WebhookServer, alerting: Alerting
) -> None:
    settings = alerting(hook=hook(webhook))
    lake.add_day(day(1), finding())
    run_at(settings, noon(1))
    lake.add_day(day(1))
    run_at(settings, noon(1) + dt.timedelta(hours=1))
    assert messages(webhook) == [[("new", "billing")], [("ended", "billing")]]


def test_what_was_over_before_any_run_saw_it_is_sent_as_over(
    lake: AlertLake, webhook: WebhookServer, alerting: Alerting
) -> None:
    lake.add_day(day(1), finding()).add_day(day(2))
    settings = alerting(hook=hook(webhook))
    run_at(settings, noon(2))
    run_at(settings, noon(2))
    assert messages(webhook) == [[("over again", "billing")]]


def test_history_sends_nothing(lake: AlertLake, webhook: WebhookServer, alerting: Alerting) -> None:
    settings = alerting(hook=hook(webhook))
    lake.add_day(day(40), finding("today"))
    run_at(settings, noon(40))
    assert messages(webhook) == [[("new", "today")]]
    for number in range(1, 31):
        lake.add_day(day(number), *(finding(f"group-{number}-{other}") for other in range(3)))
        run_alerts(settings, Occasion(now=noon(40), until=day(number)))
    assert messages(webhook) == [[("new", "today")]]


def test_thirty_days_at_once_are_one_message_about_the_newest_ones(
    lake: AlertLake, webhook: WebhookServer, alerting: Alerting
) -> None:
    for number in range(1, 31):
        lake.add_day(day(number), finding(f"group-{number}"))
    run_at(alerting(hook=hook(webhook)), noon(30))
    assert messages(webhook) == [[("new", "group-30"), ("over again", "group-28"), ("over again", "group-29")]]


def test_a_day_that_lies_after_the_newest_delivery_is_a_wrong_clock_and_makes_nothing_history(
    lake: AlertLake, webhook: WebhookServer, alerting: Alerting
) -> None:
    lake.strays = {day(400)}
    lake.add_day(day(1), finding()).add_day(day(400), hours=1)
    run_at(alerting(hook=hook(webhook)), noon(1))
    assert messages(webhook) == [[("new", "billing")]]


def test_a_halted_delivery_is_an_alert_until_it_passes(
    lake: AlertLake, webhook: WebhookServer, alerting: Alerting
) -> None:
    settings: Settings = alerting(hook=hook(webhook))
    lake.add_day(day(1))
    lake.judge(day(1), "halted")
    run_at(settings, noon(1))
    lake.add_day(day(2))
    run_at(settings, noon(2))
    lake.judge(day(1), "done")
    run_at(settings, noon(2))
    lake.judge(day(1), "halted")
    run_at(settings, noon(2))
    sent = [[(alert["status"], alert["kind"]) for alert in each.document["alerts"]] for each in webhook.accepted]
    assert sent == [[("new", "delivery_halted")], [("ended", "delivery_halted")], [("new", "delivery_halted")]]
