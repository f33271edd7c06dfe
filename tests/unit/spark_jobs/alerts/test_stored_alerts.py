"""What is stored of alerts and silences is what the schema declares, and is read back as it was."""

import dataclasses
from pathlib import Path

from support.alert_lake import day, noon

import schemas
from spark_jobs.alerts.alert import SENT, Alert, ChannelState, Trouble, decoded, encoded
from spark_jobs.alerts.alert_store import open_alerts, read_alerts
from spark_jobs.alerts.lifecycle import Limits, Observed, advance
from spark_jobs.alerts.silences import Silence, decoded_silence, encoded_silence
from spark_jobs.lake.small_tables import SmallTables, open_small_tables
from spark_jobs.settings import load

SILENCE = Silence("s-1", noon(1), noon(2), None, "a reason", group_id="pay-*")


def an_alert() -> Alert:
    trouble = Trouble("lag", "critical", "eu", "billing\x00'\"", day(1), "title", first_rows=("a", "b"), incident="i")
    [alert] = advance([], Observed([trouble]), noon(1), Limits())
    return alert.with_state(ChannelState("hook", 1, SENT, noon(1), 0)).with_state(
        ChannelState("mail", 0, "failed", None, 3)
    )


def test_rows_have_the_columns_of_the_schema() -> None:
    assert set(encoded(an_alert())) == set(schemas.table("quality.alerts").column_names)
    assert set(encoded_silence(SILENCE)) == set(schemas.table("quality.silences").column_names)


def test_alerts_and_silences_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    alerts = [an_alert(), dataclasses.replace(an_alert(), resolved_at=noon(2), silence_reason="x", deliveries=())]
    tables = SmallTables(str(tmp_path), {})
    assert tables.read("quality.alerts") == []
    tables.replace("quality.alerts", [encoded(alert) for alert in alerts])
    tables.replace("quality.silences", [encoded_silence(SILENCE)])
    assert [decoded(row) for row in SmallTables(str(tmp_path), {}).read("quality.alerts")] == alerts
    assert [decoded_silence(row) for row in tables.read("quality.silences")] == [SILENCE]


def test_the_key_of_an_alert_is_the_same_whenever_it_returns_and_another_for_other_trouble() -> None:
    trouble = Trouble("lag", "critical", "eu", "billing", day(1), "title")
    same = dataclasses.replace(trouble, day=day(9), severity="warning", title="other")
    others = [dataclasses.replace(trouble, **{name: "other"}) for name in ("kind", "cluster", "group_id", "about")]
    assert same.key == trouble.key
    assert len({trouble.key, *(other.key for other in others)}) == 5


def test_what_a_channel_acknowledged_before_a_kill_is_known_to_whoever_opens_the_alerts_next(tmp_path: Path) -> None:
    settings, alert = load(lake=str(tmp_path), environment={}), an_alert()
    with open_alerts(settings) as store:
        store.write_alerts([alert])
        store.acknowledged.add("mail", [alert], noon(2))
        # A machine that lost power may have kept half of a line.
        with (tmp_path / ".alerts.acknowledged").open("a") as file:
            file.write('{"channel": "ma')
    known = alert.with_state(ChannelState("mail", 1, SENT, noon(2), 0))
    assert read_alerts(settings).alerts() == [known]
    with open_alerts(settings) as store:
        assert store.alerts() == [known]
    assert [decoded(row) for row in open_small_tables(settings).read("quality.alerts")] == [known]
    assert not (tmp_path / ".alerts.acknowledged").exists()


def test_an_acknowledgement_of_an_earlier_change_takes_back_nothing(tmp_path: Path) -> None:
    settings, alert = load(lake=str(tmp_path), environment={}), an_alert()
    with open_alerts(settings) as store:
        store.write_alerts(
            [dataclasses.replace(alert, change_count=2).with_state(ChannelState("hook", 2, SENT, noon(3), 0))]
        )
        store.acknowledged.add("hook", [alert], noon(2))
    assert read_alerts(settings).alerts()[0].state_of("hook") == ChannelState("hook", 2, SENT, noon(3), 0)
