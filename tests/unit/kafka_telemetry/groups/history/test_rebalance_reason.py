"""Which of all observations decides the reason of a rebalance."""

from dataclasses import replace

import pytest
from support.history_events import SECOND, recorded

from kafka_telemetry.groups.history import rebalance_reason
from kafka_telemetry.groups.history.log_event import Cause
from kafka_telemetry.groups.history.logged_generation import LoggedGeneration
from kafka_telemetry.groups.history.member_session import MemberSession
from kafka_telemetry.groups.history.previous_generation import PreviousGeneration
from kafka_telemetry.groups.history.rebalance_reason import Observations
from kafka_telemetry.groups.history.sessions import MemberSessions

# Every source reports another cause.
EVERYTHING = LoggedGeneration(
    2,
    sides=["broker", "client"],
    preparation=Cause("member_left", "the consumer is being closed", "gone"),
    membership_change=Cause("rebalance_timeout", None, "gone", "app"),
    topics_changed=True,
    client_cause=Cause("partitions_revoked", "need to revoke partitions"),
)


def decided(log: LoggedGeneration | None) -> Cause:
    sessions = MemberSessions(
        [MemberSession("gone", 1 * SECOND, client_id="app", ended_at=5 * SECOND, ended_by="session_timeout")]
    )
    topic = recorded(5, 2, "stays", group_type="consumer")
    previous = PreviousGeneration(1, 1, ["gone", "stays"], 2, None, False)
    return rebalance_reason.decide(Observations(log, topic, previous, sessions, True, 5 * SECOND))


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (EVERYTHING, Cause("rebalance_timeout", "the consumer is being closed", "gone", "app")),
        (
            replace(EVERYTHING, preparation=Cause("leader_rejoined", None, "stays"), preparation_names_members=True),
            Cause("leader_rejoined", None, "stays"),
        ),
        (replace(EVERYTHING, preparation=None), Cause("rebalance_timeout", None, "gone", "app")),
        (replace(EVERYTHING, preparation=None, membership_change=None), Cause("subscription_or_topics_changed")),
        (LoggedGeneration(2, sides=["broker"], client_cause=EVERYTHING.client_cause), Cause("unknown")),
        (
            LoggedGeneration(2, sides=["client"], client_cause=EVERYTHING.client_cause),
            Cause("partitions_revoked", "need to revoke partitions"),
        ),
        (LoggedGeneration(2, sides=["client"]), Cause("session_timeout", None, "gone", "app")),
        (None, Cause("session_timeout", None, "gone", "app")),
    ],
)
def test_the_first_rule_that_finds_a_cause_decides(log: LoggedGeneration | None, expected: Cause) -> None:
    assert decided(log) == expected


def test_a_cause_without_a_reason_is_unknown_and_keeps_its_text() -> None:
    assert decided(LoggedGeneration(2, sides=["broker"], preparation=Cause(None, "text"))) == Cause("unknown", "text")


@pytest.mark.parametrize("reason", ["member_left", "leader_rejoined"])
def test_only_a_leave_becomes_poll_interval_where_that_ended_the_session(reason: str) -> None:
    left = MemberSession("a", 1 * SECOND, ended_at=5 * SECOND, ended_by="poll_interval")
    log = LoggedGeneration(2, sides=["broker"], preparation=Cause(reason, None, "a"))
    cause = rebalance_reason.decide(Observations(log, None, None, MemberSessions([left]), False, 5 * SECOND))
    assert cause.reason == ("poll_interval" if reason == "member_left" else reason)
