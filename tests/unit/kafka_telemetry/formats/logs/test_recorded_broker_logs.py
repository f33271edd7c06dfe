"""The recorded broker logs, beside an independent search of their lines and the journals of the applications."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from support.recorded_logs import RECORDINGS, broker_log, groups_in_truth, read_log

from kafka_telemetry.formats.logs.templates.broker_templates import IGNORED

Rows = list[dict[str, Any]]
ENTRY_START = re.compile(r"\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3})\] ([A-Z]+) ")
GROUP_LOGGER = re.compile(r"\((?:kafka|org\.apache\.kafka)\.coordinator\.group\.[\w.$]+\)$")


@cache
def broker_rows(recording: str) -> Rows:
    return read_log(broker_log(recording))[0]


def rows_of_event(recording: str, event: str) -> Rows:
    return [row for row in broker_rows(recording) if row["event"] == event]


def coordinator_lines(recording: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(broker_log(recording).splitlines(), 1):
        if ENTRY_START.match(line) and GROUP_LOGGER.search(line):
            yield number, line


def matches_in_lines(recording: str, *patterns: str) -> Iterator[re.Match[str]]:
    for _, line in coordinator_lines(recording):
        yield from filter(None, (re.search(pattern, line) for pattern in patterns))


@pytest.mark.parametrize("recording", RECORDINGS)
def test_every_coordinator_line_is_understood_or_listed_as_ignored(recording: str) -> None:
    understood = {row["source_position"] for row in broker_rows(recording)}
    others = [line for number, line in coordinator_lines(recording) if number not in understood]
    prefix = r"\[Group[^\]]*\]:? "
    ignored = [re.compile(prefix + template.pattern.replace("(?s)^", "", 1).removesuffix("$")) for template in IGNORED]
    assert understood
    assert [line for line in others if not any(pattern.search(line) for pattern in ignored)] == []
    assert not [row for row in broker_rows(recording) if row["kind"] != "event"]


@pytest.mark.parametrize("recording", RECORDINGS)
def test_understood_and_other_entries_add_up_to_the_entries_of_the_file(recording: str) -> None:
    text = broker_log(recording)
    rows, receipt = read_log(text)
    assert receipt.format == "log: kafka"
    assert receipt.records == sum(1 for line in text.splitlines() if ENTRY_START.match(line))
    assert receipt.records == receipt.understood + receipt.not_understood + receipt.ignored
    assert receipt.understood == len(rows)


@pytest.mark.parametrize("recording", RECORDINGS)
def test_the_generations_are_those_of_the_stabilized_lines(recording: str) -> None:
    pattern = r"Stabilized group (.*) generation (\d+) (?:\(.*\) )?with (\d+) members"
    expected = Counter(match.groups() for match in matches_in_lines(recording, pattern))
    generations = Counter(
        (row["group_id"], str(row["generation"]), row["details"]["member_count"])
        for row in rows_of_event(recording, "stabilized")
    )
    assert generations
    assert generations == expected


@pytest.mark.parametrize("recording", RECORDINGS)
def test_each_rebalance_has_its_group_old_generation_and_reason(recording: str) -> None:
    pattern = (
        r"Preparing to rebalance group (.*) in state \w+ with old generation (\d+) .*?\(reason: (.*)\)\.? \([\w.]+\)$"
    )
    expected = Counter(match.groups() for match in matches_in_lines(recording, pattern))
    rows = rows_of_event(recording, "preparing_rebalance")
    assert rows
    assert Counter((row["group_id"], str(row["generation"]), row["reason_text"]) for row in rows) == expected
    assert not [row for row in rows if row["reason"] == "unknown"]


@pytest.mark.parametrize(
    ("event", "patterns"),
    [
        (
            "member_expired",
            [
                r"\[GroupId (?P<group>.*)\] Member (?P<member>\S+) fenced from the group because the member session expired",
                r"Member (?P<member>\S+) in group (?P<group>.*) has failed, removing it from the group",
            ],
        ),
        (
            "member_left",
            [
                r"Member MemberMetadata\(memberId=(?P<member>\S+), group.* has left group (?P<group>.*) through explicit",
                r"\[Group(?:Id)? (?P<group>.*)\] (?:Dynamic m|M)ember (?P<member>\S+) has left group through explicit",
                r"\[GroupId (?P<group>.*)\] Member (?P<member>\S+) left the (?:consumer|share) group",
            ],
        ),
        (
            "static_member_away",
            [r"\[GroupId (?P<group>.*)\] Static member (?P<member>\S+) with instance id .* temporarily left"],
        ),
    ],
)
@pytest.mark.parametrize("recording", RECORDINGS)
def test_members_that_left_are_those_of_the_log(recording: str, event: str, patterns: list[str]) -> None:
    expected = Counter((match["group"], match["member"]) for match in matches_in_lines(recording, *patterns))
    members = Counter((row["group_id"], row["member_id"]) for row in rows_of_event(recording, event))
    assert members == expected
    assert members or event == "static_member_away"


@pytest.mark.parametrize("recording", RECORDINGS)
def test_leaves_after_a_poll_timeout_are_those_of_the_log_and_of_the_journal(recording: str) -> None:
    pattern = r"has left group (?P<scala>.*) through|\[Group (?P<java>.*)\] Member"
    lines = [line for _, line in coordinator_lines(recording) if "has left group" in line]
    timeouts = [line for line in lines if "client reason: consumer poll timeout has expired" in line]
    found = list(filter(None, (re.search(pattern, line) for line in timeouts)))
    assert len(found) == len(timeouts)
    leaves = Counter(
        row["group_id"] for row in rows_of_event(recording, "member_left") if row["reason"] == "poll_interval"
    )
    assert leaves == Counter(match["scala"] or match["java"] for match in found)
    assert {group: leaves[group] for group in groups_in_truth(recording) if leaves[group]} == {
        group: truth["poll_timeout_leaves_expected"]
        for group, truth in groups_in_truth(recording).items()
        if truth.get("poll_timeout_leaves_expected") and truth["protocol"] == "classic"
    }


@pytest.mark.parametrize("recording", RECORDINGS)
def test_fenced_instances_are_those_of_the_journal_and_have_their_group(recording: str) -> None:
    fenced = rows_of_event(recording, "member_fenced")
    expected = {group for group, truth in groups_in_truth(recording).items() if truth.get("fenced")}
    assert expected
    assert {row["group_id"] for row in fenced} == expected
    assert len(fenced) == sum(
        1
        for _, line in coordinator_lines(recording)
        if "is fenced by" in line or "cannot join the group because the instance id is" in line
    )


@pytest.mark.parametrize("recording", RECORDINGS)
def test_static_replacements_are_those_of_the_log(recording: str) -> None:
    patterns = (
        r"groupInstanceId=(?P<instance>\S+) and unknown member id joins group (?P<group>.*) in "
        r".*mapped member (?P<old>\S+) with",
        r"\[GroupId (?P<group>.*)\] Static member with instance id (?P<instance>\S+) re-joins "
        r".* existing member (?P<old>\S+)\.",
    )
    expected = Counter(
        (match["group"], match["instance"], match["old"]) for match in matches_in_lines(recording, *patterns)
    )
    replacements = Counter(
        (row["group_id"], row["instance_id"], row["details"]["old_member_id"])
        for row in rows_of_event(recording, "static_member_replaced")
    )
    assert replacements
    assert replacements == expected
    assert not [row for row in rows_of_event(recording, "static_rejoined_quietly") if not row["group_id"]]


# (leaves in the log, closes in the journal) where the two differ; the log is right.
OTHER_CLOSES = {
    # One that failed because it had no offset and closed: the journal calls it an error, not a graceful close.
    "archive-verifier": (2, 1),
    # It assigns its partitions itself and is no member that could leave.
    "batch-reconciler": (0, 1),
    # Refused because of its session timeout, it never became a member (not in the journal of every recording).
    "geo-lookup-fast": (0, 1),
    # A KIP-848 member leaves after a poll timeout like any other: only the client's log contains the reason.
    "rates-report": (3, 2),
}


@pytest.mark.parametrize("recording", RECORDINGS)
def test_graceful_leaves_are_those_of_the_journal(recording: str) -> None:
    leaves = Counter(
        row["group_id"]
        for row in broker_rows(recording)
        if row["event"] in ("member_left", "pending_member_left") and row["reason"] == "member_left"
    )
    truth = groups_in_truth(recording).items()
    expected = {group: facts["graceful_leaves"] for group, facts in truth if facts.get("graceful_leaves")}
    differing = {group: (leaves[group], count) for group, count in expected.items() if leaves[group] != count}
    assert len(expected) > 20
    assert differing.items() <= OTHER_CLOSES.items()


# The log is right: this instance came back after its session had expired, not before.
OTHER_EXPIRIES = {"kafka-3.9-lag-exporter": {"pricing-engine": (3, 2)}}


@pytest.mark.parametrize("recording", RECORDINGS)
def test_expired_members_are_those_that_the_journal_expects(recording: str) -> None:
    expired = Counter(row["group_id"] for row in rows_of_event(recording, "member_expired"))
    truth = groups_in_truth(recording).items()
    expected = {
        group: facts["session_expiries_expected"] for group, facts in truth if facts["session_expiries_expected"]
    }
    assert len(expected) >= 3
    differing = {group: (expired[group], count) for group, count in expected.items() if expired[group] != count}
    assert differing == OTHER_EXPIRIES.get(recording, {})


@pytest.mark.parametrize("recording", RECORDINGS)
def test_each_row_has_the_time_and_the_level_of_its_line(recording: str) -> None:
    lines = broker_log(recording).splitlines()
    rows = broker_rows(recording)
    assert rows
    for row in rows:
        start = ENTRY_START.match(lines[row["source_position"] - 1])
        assert start is not None
        assert row["happened_at"].isoformat(" ", "milliseconds") == start[1].replace(",", ".") + "+00:00"
        assert row["level"] == start[2]
