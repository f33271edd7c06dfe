"""Rebalances and sessions of the recordings, against the broker's log read line by line and the journals."""

import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql import Row
from support.log_read_by_eye import RECORDED, Generation, Member, broker_log, client_logs

from spark_jobs.lake.tables import Lake

# The cluster that delivers each recording whole, and those whose only source is the broker's log.
WHOLE = {"recorded": "kafka-4.3", "kafka-3.9": "kafka-3.9", "kafka-3.9-lag-exporter": "kafka-3.9-lag-exporter"}
BROKER = {"kafka-3.9-broker": "kafka-3.9", "kafka-4.3-broker": "kafka-4.3"}
CLIENTS = {"kafka-3.9-clients": "kafka-3.9", "kafka-4.3-clients": "kafka-4.3"}
OFFSETS = {"kafka-3.9-offsets": "kafka-3.9", "kafka-4.3-offsets": "kafka-4.3"}
WITH_BROKER = WHOLE | BROKER

Rebalances = Callable[[str], dict[Generation, Row]]
Sessions = Callable[[str], list[Row]]


def whole(recording: str) -> str:
    return next(cluster for cluster, of in WHOLE.items() if of == recording)


@pytest.fixture(scope="module")
def rows(request: pytest.FixtureRequest) -> Callable[[str, str], list[Row]]:
    known: dict[str, list[Row]] = {}

    def read(table: str, cluster: str) -> list[Row]:
        if table not in known:
            lakes: list[Lake] = [
                request.getfixturevalue("recorded_job").lake,
                request.getfixturevalue("lake_of_parts"),
            ]
            known[table] = [row for lake in lakes for row in lake.read(table).collect()]
        return [row for row in known[table] if row.cluster == cluster]

    return read


@pytest.fixture(scope="module")
def rebalances(rows: Callable[[str, str], list[Row]]) -> Rebalances:
    def of(cluster: str) -> dict[Generation, Row]:
        told = rows("silver.rebalances", cluster)
        found = {(row.group_id, row.generation): row for row in told}
        assert len(found) == len(told) > 60
        assert {row.incarnation for row in told} == {1}
        return found

    return of


@pytest.fixture(scope="module")
def sessions(rows: Callable[[str, str], list[Row]]) -> Sessions:
    return lambda cluster: rows("silver.member_sessions", cluster)


def truth(recording: str) -> dict[str, Any]:
    groups: dict[str, Any] = json.loads((RECORDED / recording / "truth.json").read_text())["groups"]
    return groups


def ended(sessions: list[Row], *by: str) -> list[Member]:
    return sorted((row.group_id, row.member_id) for row in sessions if row.ended_by in by)


@pytest.mark.parametrize("cluster", WITH_BROKER)
def test_generations_with_members_are_those_that_the_broker_stabilized_or_bumped(
    rebalances: Rebalances, cluster: str
) -> None:
    log = broker_log(WITH_BROKER[cluster])
    told = rebalances(cluster)
    by_log = {key for key, row in told.items() if "broker_log" in row.evidence}
    assert len(log.stabilized) > 70
    assert by_log == {*log.stabilized, *log.bumped}
    # What only the topic tells: share groups bump their epochs without a line.
    others = {key for key in told if key not in by_log}
    assert others == ({("image-resize", 4)} if cluster == "recorded" else set())
    assert all(told[key].group_type == "share" and told[key].evidence == ["offsets_topic"] for key in others)


@pytest.mark.parametrize("recording", ["kafka-3.9", "kafka-4.3"])
def test_a_rebalance_that_all_three_sources_tell_of_is_one_row(rebalances: Rebalances, recording: str) -> None:
    told = rebalances(whole(recording))
    for source, cluster in (
        ("broker_log", f"{recording}-broker"),
        ("client_log", f"{recording}-clients"),
        ("offsets_topic", f"{recording}-offsets"),
    ):
        alone = rebalances(cluster)
        assert {key for key, row in told.items() if source in row.evidence} == set(alone)
        assert all(row.evidence == [source] for row in alone.values())
    assert sum(len(row.evidence) == 3 for row in told.values()) > 60


@pytest.mark.parametrize("cluster", WITH_BROKER)
def test_join_and_sync_phases_last_as_long_as_the_log_says(rebalances: Rebalances, cluster: str) -> None:
    log = broker_log(WITH_BROKER[cluster])
    told = rebalances(cluster)
    expected = {key: (log.began[key].at, at, log.received.get(key)) for key, (at, _) in log.stabilized.items()}
    found = {key: told[key][("started_at")] and (told[key].started_at, told[key].stabilized_at, told[key].completed_at) for key in expected}  # fmt: skip
    assert len(expected) > 70
    assert found == expected
    epochs = {key: row.started_at for key, row in told.items() if key in log.bumped}
    assert epochs == log.bumped


@pytest.mark.parametrize("cluster", WITH_BROKER)
def test_reason_its_text_and_the_member_are_those_of_the_line(rebalances: Rebalances, cluster: str) -> None:
    log = broker_log(WITH_BROKER[cluster])
    told = rebalances(cluster)
    for key in log.stabilized:
        began, row = log.began[key], told[key]
        assert (row.reason, row.trigger_member_id) == (began.reason, began.member), key
        assert row.reason_text in began.texts
    assert len({log.began[key].reason for key in log.stabilized}) >= 7
    # How many members are in it.
    assert {key: told[key].members_after for key in log.stabilized} == {
        key: members for key, (_, members) in log.stabilized.items()
    }


# Of groups with epochs the log does not say it in one line, so it was read by eye.
REASONS_OF_EPOCHS = {
    ("customer-profile", 2): "member_joined",
    ("customer-profile", 3): "member_joined",
    ("customer-profile", 4): "member_left",
    ("customer-profile", 5): "member_left",
    ("customer-profile", 6): "member_left",
    ("image-resize", 2): "member_joined",
    ("image-resize", 3): "member_joined",
    ("inventory-forecast", 2): "member_joined",
    ("inventory-forecast", 3): "member_joined",
    ("inventory-forecast", 4): "member_left",
    ("inventory-sync", 2): "member_joined",
    ("inventory-sync", 3): "member_joined",
    ("inventory-sync", 4): "member_joined",
    ("inventory-sync", 5): "session_timeout",
    ("inventory-sync", 6): "member_left",
    # Its members subscribe by a regular expression, which the broker resolves later.
    ("logs-router", 2): "subscription_or_topics_changed",
    ("logs-router", 3): "subscription_or_topics_changed",
    ("logs-router", 4): "member_left",
    ("rates-cache", 2): "member_joined",
    ("rates-cache", 3): "member_joined",
    ("rates-cache", 4): "session_timeout",
    ("rates-report", 2): "member_joined",
    ("rates-report", 3): "member_joined",
    ("rates-report", 4): "member_left",
    ("rates-report", 5): "member_joined",
    ("rates-report", 6): "member_left",
}


@pytest.mark.parametrize("cluster", ["recorded", "kafka-4.3-broker"])
def test_an_epoch_answers_to_what_the_log_says_before_it(rebalances: Rebalances, cluster: str) -> None:
    told = rebalances(cluster)
    found = {key: told[key].reason for key in broker_log("kafka-4.3").bumped}
    # That this member stopped polling its client alone says.
    of_clients = {("rates-report", 4): "poll_interval"} if cluster == "recorded" else {}
    assert found == REASONS_OF_EPOCHS | of_clients


@pytest.mark.parametrize("cluster", WITH_BROKER)
def test_evictions_and_members_that_stopped_polling_are_those_of_the_log(sessions: Sessions, cluster: str) -> None:
    log = broker_log(WITH_BROKER[cluster])
    told = sessions(cluster)
    assert len(log.evicted) >= 4
    assert ended(told, "session_timeout") == sorted(log.evicted)
    assert len(log.stopped_polling) == 2
    # A KIP-848 broker does not say that it was polling that stopped: its client does.
    of_clients = [("rates-report", "V-Ggw-BDSB-8l2nwxOyjEg")] if cluster == "recorded" else []
    assert ended(told, "poll_interval") == sorted([*log.stopped_polling, *of_clients])


@pytest.mark.parametrize("cluster", WITH_BROKER)
def test_those_that_left_by_themselves_are_those_of_the_log(sessions: Sessions, cluster: str) -> None:
    log = broker_log(WITH_BROKER[cluster])
    assert len(log.left) > 60
    assert {*ended(sessions(cluster), "left", "poll_interval")} == log.left


@pytest.mark.parametrize("cluster", WITH_BROKER)
def test_static_members_are_replaced_and_fenced_if_they_still_spoke_as_the_log_says(
    sessions: Sessions, cluster: str
) -> None:
    log = broker_log(WITH_BROKER[cluster])
    told = sessions(cluster)
    fenced = {member for _, member in ended(told, "fenced")}
    assert log.fenced
    assert fenced == log.fenced
    assert {*ended(told, "replaced")} == {one for one in log.replaced if one[1] not in log.fenced}


@pytest.mark.parametrize("cluster", WITH_BROKER)
def test_each_member_that_the_broker_knew_has_a_session_that_ended_in_one_of_these_ways(
    sessions: Sessions, cluster: str
) -> None:
    told = Counter(row.ended_by for row in sessions(cluster))
    assert set(told) <= {"left", "poll_interval", "session_timeout", "fenced", "replaced"}
    assert told.total() > 70


# How many left in the log and closed in the journal, where the two differ; the log is right.
CLOSED_OTHERWISE = {
    # One that failed for want of an offset and closed: the journal calls it an error, not a graceful close.
    ("archive-verifier", (2, 1)),
    # It assigns its partitions itself and is no member that could leave.
    ("batch-reconciler", (0, 1)),
}
JOURNALS = {
    "recorded": (CLOSED_OTHERWISE, set[Any]()),
    "kafka-3.9": (CLOSED_OTHERWISE, set[Any]()),
    "kafka-3.9-lag-exporter": (
        # Closed before the coordinator had let it in.
        CLOSED_OTHERWISE | {("geo-lookup-fast", (0, 1))},
        # This instance came back after its session had run out, not before it.
        {("pricing-engine", (3, 2))},
    ),
}


@pytest.mark.parametrize("cluster", WHOLE)
def test_the_journal_tells_the_same_ends_but_where_the_log_knows_better(sessions: Sessions, cluster: str) -> None:
    told = Counter((row.group_id, row.ended_by) for row in sessions(cluster))
    groups = truth(WHOLE[cluster])

    def differing(ended_by: str, name: str) -> set[tuple[str, tuple[int, int]]]:
        by_journal = {group: len(of) if isinstance(of := facts.get(name) or 0, list) else of for group, facts in groups.items()}  # fmt: skip
        assert sum(by_journal.values()) > 0
        return {(g, (told[g, ended_by], count)) for g, count in by_journal.items() if told[g, ended_by] != count}

    closed, expired = JOURNALS[cluster]
    assert differing("left", "graceful_leaves") == closed
    assert differing("session_timeout", "session_expiries_expected") == expired
    assert differing("poll_interval", "poll_timeout_leaves_expected") == set()
    assert differing("fenced", "fenced") == set()


@pytest.mark.parametrize("cluster", WHOLE)
def test_those_whom_the_journal_saw_killed_were_evicted(sessions: Sessions, cluster: str) -> None:
    told = {(row.group_id, row.client_id) for row in sessions(cluster) if row.ended_by == "session_timeout"}
    killed = {(group, client) for group, facts in truth(WHOLE[cluster]).items() for client in facts["killed"]}
    assert len(killed) >= 2
    assert killed <= told


@pytest.mark.parametrize("cluster", WHOLE)
def test_members_that_the_journal_knows_were_members_and_no_others(sessions: Sessions, cluster: str) -> None:
    groups = truth(WHOLE[cluster])
    known = {(g, member) for g, facts in groups.items() for one in facts["members"] for member in one.get("member_ids", ())}  # fmt: skip
    told = {(row.group_id, row.member_id) for row in sessions(cluster) if row.group_id in groups}
    assert len(known) > 60
    assert known - told == set()
    # Share members print no id in the journal; nor does who was fenced before it had joined, or was gone before it wrote.
    unnamed = {"image-resize", "rates-cache", "tmp-migration-devices"}
    assert {group for group, _ in told - known} <= unnamed


@pytest.mark.parametrize("recording", ["kafka-3.9", "kafka-4.3"])
def test_who_came_and_who_went_is_the_same_by_the_log_and_by_the_topic(rebalances: Rebalances, recording: str) -> None:
    told = rebalances(whole(recording))
    by_log, by_topic = rebalances(f"{recording}-broker"), rebalances(f"{recording}-offsets")
    counts = ("members_before", "members_after", "members_joined", "members_left", "members_evicted")
    assert len(by_log) >= 72
    for key, row in by_log.items():
        assert [row[name] for name in counts] == [told[key][name] for name in counts], key
        assert None not in [row[name] for name in counts]
    for key, row in by_topic.items():
        of_topic = {name: row[name] for name in counts if row[name] is not None}
        assert of_topic == {name: told[key][name] for name in of_topic}, key
        assert row.members_after is not None


GENERATION = re.compile(
    r"groupId=(?P<group>[^\]]+)\] Success\w+ (?:joined|synced) group (?:with|in) generation Generation"
    r"\{generationId=(?P<generation>\d+), memberId='(?P<member>[^']+)'"
)
EPOCH = re.compile(
    r"groupId=(?P<group>[^\]]+)\] Member (?P<member>\S+) with epoch (?P<generation>\d+) transitioned from \w+ to \w+"
)
ASSIGNED = re.compile(
    r"groupId=(?P<group>[^\]]+)\] Finished assignment for group at generation (?P<generation>\d+): (?P<what>.*)"
)
CLOSING = re.compile(
    r"groupId=(?P<group>[^\]]+)\] (?:Member (?P<member>\S+) sending LeaveGroup request to coordinator .* due to (?P<why>.*)"
    r"|Member (?P<by_epoch>\S+) with epoch -1 transitioned from LEAVING to (?P<to>\w+))"
)


@pytest.mark.parametrize("cluster", CLIENTS)
def test_client_logs_alone_tell_the_generations_that_their_members_joined(
    rebalances: Rebalances, sessions: Sessions, cluster: str
) -> None:
    lines = [line for _, text in client_logs(CLIENTS[cluster]) for line in text.splitlines()]
    classic = [m for line in lines if (m := GENERATION.search(line))]
    epochs = [m for line in lines if (m := EPOCH.search(line)) and int(m["generation"]) > 0]
    told = rebalances(cluster)
    # 4.1 and later make a group with epoch 1; what counts is the next.
    assert set(told) == {(m["group"], int(m["generation"])) for m in classic} | {
        (m["group"], int(m["generation"])) for m in epochs if int(m["generation"]) > 1
    }
    assert {(row.group_id, row.member_id) for row in sessions(cluster)} == {
        (m["group"], m["member"]) for m in [*classic, *epochs]
    }
    assigned = {(m["group"], int(m["generation"])): m["what"] for line in lines if (m := ASSIGNED.search(line))}
    assert len(assigned) > 60
    for key, what in assigned.items():
        assert told[key].members_after == what.count("=Assignment(")
        partitions = re.findall(r"partitions=\[([^\]]*)\]", what)
        assert told[key].partitions_assigned == sum(len(one.split(", ")) for one in partitions if one)


@pytest.mark.parametrize("cluster", CLIENTS)
def test_client_logs_alone_tell_how_their_own_members_went(sessions: Sessions, cluster: str) -> None:
    left, stopped = set(), set()
    for _, text in client_logs(CLIENTS[cluster]):
        for m in filter(None, map(CLOSING.search, text.splitlines())):
            polls_no_more = "poll timeout" in (m["why"] or "") or m["to"] == "STALE"
            (stopped if polls_no_more else left).add((m["group"], m["member"] or m["by_epoch"]))
    told = sessions(cluster)
    assert len(left) > 60
    assert {*ended(told, "poll_interval")} == stopped
    # One that comes back under its id may leave in both ways.
    assert {*ended(told, "left")} == left
    fenced = broker_log(CLIENTS[cluster]).fenced
    assert {member for _, member in ended(told, "fenced")} == {member for member in fenced if "pricing" in member}
    assert {row.ended_by for row in told} == {"left", "poll_interval", "fenced", "still_member"}


@pytest.mark.parametrize("cluster", CLIENTS)
def test_client_logs_alone_give_no_reason_that_the_broker_does_not(rebalances: Rebalances, cluster: str) -> None:
    log = broker_log(CLIENTS[cluster])
    told = rebalances(cluster)
    given = {key: row.reason for key, row in told.items() if row.reason != "unknown"}
    differing = {key: reason for key, reason in given.items() if reason != log.began[key].reason}
    assert len(given) > 55
    # Its leader wished to join again since its metadata had changed; then the broker went away, and it tells that.
    restart = {("clickstream-sessions", 2): "subscription_or_topics_changed"}
    assert differing == (restart if cluster == "kafka-4.3-clients" else {})


UNKNOWN_TO = {
    **dict.fromkeys(
        BROKER, ("partitions_before", "partitions_assigned", "partitions_moved", "partitions_moved_minimum")
    ),
    **dict.fromkeys(CLIENTS, ("started_at", "stabilized_at", "partitions_moved", "partitions_moved_minimum")),
    **dict.fromkeys(OFFSETS, ("reason_text", "trigger_member_id", "trigger_client_id")),
}


@pytest.mark.parametrize("cluster", UNKNOWN_TO)
def test_what_a_source_does_not_tell_is_null(rebalances: Rebalances, cluster: str) -> None:
    for row in rebalances(cluster).values():
        assert [row[name] for name in UNKNOWN_TO[cluster]] == [None] * len(UNKNOWN_TO[cluster])


@pytest.mark.parametrize("cluster", OFFSETS)
def test_the_offsets_topic_alone_tells_who_was_in_and_what_moved_but_not_why(
    rebalances: Rebalances, sessions: Sessions, cluster: str
) -> None:
    told, all_sources = rebalances(cluster), rebalances(whole(OFFSETS[cluster]))
    same = ("group_type", "partitions_assigned", "partitions_moved", "partitions_moved_minimum", "members_after")
    assert set(told) == set(all_sources)
    for key, row in told.items():
        assert [row[name] for name in same] == [all_sources[key][name] for name in same]
        assert row.reason == "unknown"
        if row.group_type == "classic":
            assert row.started_at is None
            assert abs((row.stabilized_at - all_sources[key].stabilized_at).total_seconds()) < 0.01
    assert {row.ended_by for row in sessions(cluster)} == {None, "replaced"}


def test_printed_configurations_are_kept_whole(rows: Callable[[str, str], list[Row]]) -> None:
    configs = [row for row in rows("silver.client_configs", "recorded") if row.group_id == "report-builder"]
    assert configs
    assert all(len(row.settings) > 60 for row in configs)
    assert {row.settings["max.poll.interval.ms"] for row in configs} == {"6000"}
