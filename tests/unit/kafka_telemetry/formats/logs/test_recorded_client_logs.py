"""The recorded client logs, beside an independent search of their lines and the journals of the applications."""

import json
import re
from collections import Counter
from functools import cache
from typing import Any

import pytest
from support.recorded_logs import RECORDINGS, client_logs, groups_in_truth, journal, read_log

Rows = list[dict[str, Any]]


@cache
def client_rows(recording: str) -> dict[str, Rows]:
    return {name: read_log(text)[0] for name, text in client_logs(recording).items()}


def all_rows(recording: str) -> Rows:
    return [row for rows in client_rows(recording).values() for row in rows]


@pytest.mark.parametrize("recording", RECORDINGS)
def test_no_line_of_a_recorded_client_is_unknown(recording: str) -> None:
    rows = all_rows(recording)
    assert len(rows) > 1000
    assert {row["kind"] for row in rows} == {"event", "config"}


@pytest.mark.parametrize("recording", RECORDINGS)
def test_poll_timeouts_are_those_that_the_journal_expects(recording: str) -> None:
    timeouts = Counter(row["group_id"] for row in all_rows(recording) if row["event"] == "poll_timeout")
    truth = groups_in_truth(recording).items()
    assert timeouts
    assert timeouts == {
        group: facts["poll_timeout_leaves_expected"]
        for group, facts in truth
        if facts.get("poll_timeout_leaves_expected")
    }


@pytest.mark.parametrize("recording", RECORDINGS)
def test_each_assignment_of_the_journal_is_in_its_application_s_log_within_a_second(recording: str) -> None:
    missing = []
    assignments = [entry for entry in journal(recording) if entry["event"] == "assigned"]
    assert len(assignments) > 100
    for entry in assignments:
        rows = [
            row
            for row in client_rows(recording)[entry["app"]]
            if row["event"] in ("partitions_assigned", "assignment_reconciling")
            and row["client_id"] == entry["client"]
            and abs(row["happened_at"].timestamp() * 1000 - entry["ts"]) < 1000
        ]
        expected = set(entry["partitions"])
        if not any(expected == set((row["details"].get("partitions") or "").split(", ")) - {""} for row in rows):
            missing.append((entry["app"], entry["client"], entry["ts"], sorted(expected)))
    assert missing == []


@pytest.mark.parametrize("recording", RECORDINGS)
def test_positions_without_a_prefix_belong_to_the_client_that_was_assigned_the_partition(recording: str) -> None:
    checked = 0
    for app, rows in client_rows(recording).items():
        client_of: dict[str, str] = {}
        for row in rows:
            if row["event"] == "partitions_assigned":
                client_of |= dict.fromkeys(row["details"]["partitions"].split(", "), row["client_id"])
            elif row["event"] == "position_set":
                assert row["client_id"] == client_of[row["details"]["topic_partition"]], (app, row["text"])
                assert row["group_id"]
                checked += 1
    assert checked > 50


@pytest.mark.parametrize("recording", RECORDINGS)
def test_each_printed_configuration_has_all_of_its_settings(recording: str) -> None:
    printed = 0
    for app, text in client_logs(recording).items():
        configs = [row for row in client_rows(recording)[app] if row["kind"] == "config"]
        assert len(configs) == len(re.findall(r"ConsumerConfig values:", text))
        for row in configs:
            assert row["client_id"] == row["settings"]["client.id"]
            assert row["group_id"] == row["settings"]["group.id"]
            assert row["settings"]["isolation.level"] in ("read_uncommitted", "read_committed") or "share" in app
            assert 60 < len(row["settings"]) < 200
            printed += 1
    assert printed > 50


def test_a_setting_is_the_text_behind_its_equals_sign() -> None:
    rows = [row for row in client_rows("kafka-4.3")["basket-merge"] if row["kind"] == "config"]
    settings = rows[0]["settings"]
    assert settings["auto.offset.reset"] == "earliest"
    assert settings["sasl.jaas.config"] is None
    assert settings["interceptor.classes"] == "[]"
    assert settings["partition.assignment.strategy"].endswith("CooperativeStickyAssignor]")


def test_a_configuration_in_json_lines_has_its_settings() -> None:
    text = client_logs("kafka-4.3")["fraud-scoring-1"]
    assert json.loads(text.splitlines()[0])["logger_name"]
    row = next(row for row in client_rows("kafka-4.3")["fraud-scoring-1"] if row["kind"] == "config")
    assert row["logger"] == "org.apache.kafka.common.config.AbstractConfig"
    assert row["settings"]["group.id"] == "fraud-scoring"


@pytest.mark.parametrize("recording", RECORDINGS)
def test_each_detail_of_an_assignment_ends_at_the_end_of_its_line(recording: str) -> None:
    """An assignment is printed on several lines."""
    checked = 0
    for row in all_rows(recording):
        if row["event"] in ("assignment_updated", "assignment_reconciling"):
            values = [*row["details"].values(), row["member_id"] or ""]
            assert [value for value in values if value != value.strip() or "[" in value] == []
            checked += 1
    assert checked > 15
