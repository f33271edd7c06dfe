"""Member sessions of the recordings, compared with an independent reading of the broker's log and with the journals."""

from collections import Counter
from typing import Any

import pytest
from support.independent_log_reader import read_broker_log
from support.recorded_clusters import WHOLE, WITH_BROKER_LOG, Sessions, members_with_ending
from support.recorded_logs import groups_in_truth


@pytest.mark.parametrize("cluster", WITH_BROKER_LOG)
def test_evicted_members_and_members_that_stopped_polling_are_those_of_the_log(
    sessions: Sessions, cluster: str
) -> None:
    log = read_broker_log(WITH_BROKER_LOG[cluster])
    rows = sessions(cluster)
    assert len(log.evicted) >= 4
    assert members_with_ending(rows, "session_timeout") == sorted(log.evicted)
    assert len(log.stopped_polling) == 2
    # A KIP-848 broker does not log that a member stopped polling; the log of its client does.
    by_client_logs = [("rates-report", "V-Ggw-BDSB-8l2nwxOyjEg")] if cluster == "recorded" else []
    assert members_with_ending(rows, "poll_interval") == sorted([*log.stopped_polling, *by_client_logs])


@pytest.mark.parametrize("cluster", WITH_BROKER_LOG)
def test_members_that_left_by_request_are_those_of_the_log(sessions: Sessions, cluster: str) -> None:
    log = read_broker_log(WITH_BROKER_LOG[cluster])
    assert len(log.left) > 60
    assert {*members_with_ending(sessions(cluster), "left", "poll_interval")} == log.left


@pytest.mark.parametrize("cluster", WITH_BROKER_LOG)
def test_replaced_static_members_are_those_of_the_log_and_fenced_if_they_sent_another_request(
    sessions: Sessions, cluster: str
) -> None:
    log = read_broker_log(WITH_BROKER_LOG[cluster])
    rows = sessions(cluster)
    assert log.fenced_member_ids
    assert {member_id for _, member_id in members_with_ending(rows, "fenced")} == log.fenced_member_ids
    assert {*members_with_ending(rows, "replaced")} == {
        (group, member_id) for group, member_id in log.replaced if member_id not in log.fenced_member_ids
    }


@pytest.mark.parametrize("cluster", WITH_BROKER_LOG)
def test_every_session_that_the_broker_logged_has_a_known_ending(sessions: Sessions, cluster: str) -> None:
    endings = Counter(row.ended_by for row in sessions(cluster))
    assert set(endings) <= {"left", "poll_interval", "session_timeout", "fenced", "replaced"}
    assert endings.total() > 70


# Group -> how many members left in the log and closed in the journal, where the two differ; the log is right.
CLOSED_WITHOUT_LEAVING = {
    # A member failed because it had no committed offset, then left: the journal calls it an error, not a graceful close.
    ("archive-verifier", (2, 1)),
    # Its consumer assigns partitions itself and is not a member, so it can't leave.
    ("batch-reconciler", (0, 1)),
}
# Cluster -> differences in `left` and in `session_timeout`.
JOURNAL_DIFFERENCES = {
    "recorded": (CLOSED_WITHOUT_LEAVING, set[Any]()),
    "kafka-3.9": (CLOSED_WITHOUT_LEAVING, set[Any]()),
    "kafka-3.9-lag-exporter": (
        # It closed before the coordinator had added it.
        CLOSED_WITHOUT_LEAVING | {("geo-lookup-fast", (0, 1))},
        # This static member returned after its session timeout, not before.
        {("pricing-engine", (3, 2))},
    ),
}


@pytest.mark.parametrize("cluster", WHOLE)
def test_endings_are_counted_as_in_the_journal_except_where_the_log_knows_better(
    sessions: Sessions, cluster: str
) -> None:
    endings = Counter((row.group_id, row.ended_by) for row in sessions(cluster))
    groups = groups_in_truth(WHOLE[cluster])

    def differences(ended_by: str, fact: str) -> set[tuple[str, tuple[int, int]]]:
        expected = {}
        for group, facts in groups.items():
            clients_or_count = facts.get(fact) or 0
            expected[group] = len(clients_or_count) if isinstance(clients_or_count, list) else clients_or_count
        assert sum(expected.values()) > 0
        return {
            (group, (endings[group, ended_by], count))
            for group, count in expected.items()
            if endings[group, ended_by] != count
        }

    left, session_timeout = JOURNAL_DIFFERENCES[cluster]
    assert differences("left", "graceful_leaves") == left
    assert differences("session_timeout", "session_expiries_expected") == session_timeout
    assert differences("poll_interval", "poll_timeout_leaves_expected") == set()
    assert differences("fenced", "fenced") == set()


@pytest.mark.parametrize("cluster", WHOLE)
def test_clients_that_were_killed_in_the_journal_were_evicted(sessions: Sessions, cluster: str) -> None:
    evicted = {(row.group_id, row.client_id) for row in sessions(cluster) if row.ended_by == "session_timeout"}
    groups = groups_in_truth(WHOLE[cluster])
    killed = {(group, client) for group, facts in groups.items() for client in facts["killed"]}
    assert len(killed) >= 2
    assert killed <= evicted


@pytest.mark.parametrize("cluster", WHOLE)
def test_members_in_the_journal_have_sessions_and_no_others_do(sessions: Sessions, cluster: str) -> None:
    groups = groups_in_truth(WHOLE[cluster])
    in_journal = {
        (group, member_id)
        for group, facts in groups.items()
        for member in facts["members"]
        for member_id in member.get("member_ids", ())
    }
    with_sessions = {(row.group_id, row.member_id) for row in sessions(cluster) if row.group_id in groups}
    assert len(in_journal) > 60
    assert in_journal - with_sessions == set()
    # The journal has no ids of share members, of members fenced before they joined, and of those that ended before writing.
    without_ids = {"image-resize", "rates-cache", "tmp-migration-devices"}
    assert {group for group, _ in with_sessions - in_journal} <= without_ids
