"""Who reads which partition, since when, and how the reader before stopped. Times are seconds."""

from typing import Any

import pytest
from support.history_events import SECOND, broker, client, completes, joins, next_day, recorded

from kafka_telemetry.groups.history.group_history import GroupHistory, HistoryDay
from kafka_telemetry.groups.history.log_event import LogEvent
from kafka_telemetry.groups.history.recorded_generation import MemberIdentity
from kafka_telemetry.groups.reading.owner_change import OwnerChange
from kafka_telemetry.groups.reading.partition_lists import parse_partitions


def line(at: float, event: str, pod: str, partitions: str, **fields: Any) -> LogEvent:
    """A line of the only consumer of a pod about its partitions."""
    return client(at, event, client_id="app", origin=pod, details={"partitions": partitions}, **fields)


def assigned(at: float, pod: str, partitions: str) -> LogEvent:
    return line(at, "partitions_assigned", pod, partitions)


def revoked(at: float, pod: str, partitions: str) -> LogEvent:
    return line(at, "partitions_revoked", pod, partitions)


def joined(at: float, pod: str, member: str, generation: int, **fields: Any) -> LogEvent:
    return client(at, "joined", member, client_id="app", origin=pod, generation=generation, **fields)


def owned(at: float, generation: int, owners: dict[str, str | None], group_type: str = "classic") -> OwnerChange:
    """A group record gives partitions of topic t to members."""
    by_partition = {
        ("t", int(number)): None if member is None else (member, "app") for number, member in owners.items()
    }
    return OwnerChange(round(at * SECOND), round(at * 100), 1, generation, group_type, by_partition)


def starts(day: HistoryDay, *columns: str) -> list[tuple[Any, ...]]:
    """The partition and the second of each start, then these columns; times as seconds."""
    return [
        (
            f"{row['topic']}-{row['partition_id']}",
            row["started_at"] / SECOND,
            *(row[name] / SECOND if name.endswith("_at") and row.get(name) else row.get(name) for name in columns),
        )
        for row in day.read_starts
    ]


def test_a_partition_that_moves_between_two_consumers_is_unread_from_revoke_to_assign() -> None:
    day = GroupHistory().add_day(
        [
            *(*joins(0, "a", 0), *completes(1, 1, 1), joined(1, "pod-1", "a", 1), assigned(2, "pod-1", "t-0, t-1")),
            *(*joins(5, "b", 1), *completes(6, 2, 2), revoked(5.5, "pod-1", "[t-0, t-1]")),
            *(joined(6, "pod-1", "a", 2), joined(6, "pod-2", "b", 2)),
            *(assigned(6.6, "pod-1", "[t-0]"), assigned(6.7, "pod-2", "[t-1]")),
        ],
        [],
    )
    assert starts(day, "cause", "ended_by", "stopped_at", "is_measured", "generation", "group_was_empty") == [
        ("t-0", 2, "first", None, None, None, 1, None),
        ("t-1", 2, "first", None, None, None, 1, None),
        ("t-0", 6.6, "kept", "revoked", 5.5, True, 2, False),
        ("t-1", 6.7, "assigned", "revoked", 5.5, True, 2, False),
    ]


def test_a_killed_consumer_stopped_at_its_last_heartbeat_and_not_when_it_was_removed() -> None:
    identity = MemberIdentity("app", session_timeout_ms=8000)
    day = GroupHistory().add_day(
        [
            *(joined(1, "pod-1", "a", 1), assigned(2, "pod-1", "t-0")),
            broker(20, "member_expired", "a", reason="session_timeout"),
            *(joined(21, "pod-2", "b", 2), assigned(22, "pod-2", "t-0")),
        ],
        [recorded(1, 1, "a", identities={"a": identity}), recorded(21, 2, "b")],
    )
    assert starts(day, "cause", "ended_by", "stopped_at", "ended_at", "is_measured")[1:] == [
        ("t-0", 22, "assigned", "session_timeout", 12, 20, False)
    ]


def test_a_consumer_that_did_not_poll_in_time_stopped_when_it_left_whatever_it_logs_later() -> None:
    day = GroupHistory().add_day(
        [
            *(joined(1, "pod-1", "a", 1), assigned(2, "pod-1", "t-0"), joined(1, "pod-2", "b", 1)),
            client(10, "leave_sent", "a", client_id="app", origin="pod-1", reason="poll_interval"),
            assigned(12, "pod-2", "t-0"),
            line(15, "partitions_lost", "pod-1", "t-0"),
        ],
        [],
    )
    assert starts(day, "ended_by", "stopped_at", "is_measured")[1:] == [("t-0", 12, "poll_interval", 10, False)]


def test_two_that_read_at_once_leave_no_time_unread_and_the_first_stops_when_it_hears_of_it() -> None:
    """A second process took over the instance id, and the first one was fenced."""
    day = GroupHistory().add_day(
        [
            *(joined(1, "pod-1", "a", 1, instance_id="i"), assigned(2, "pod-1", "t-0")),
            broker(10, "static_member_replaced", "b", instance_id="i", details={"old_member_id": "a"}),
            *(joined(10, "pod-2", "b", 1, instance_id="i"), assigned(11, "pod-2", "t-0")),
            revoked(11.5, "pod-1", "t-0"),
        ],
        [],
    )
    assert starts(day, "cause", "ended_by", "stopped_at", "is_measured")[1:] == [
        ("t-0", 11, "kept", "replaced", 11.5, True)
    ]


def test_a_consumer_that_gives_up_what_it_was_never_seen_to_read_changes_nothing() -> None:
    """A log that begins late, or was damaged, names no member either."""
    day = GroupHistory().add_day([assigned(2, "pod-1", "t-0"), revoked(3, "pod-2", "t-0, t-1")], [])
    assert starts(day, "cause") == [("t-0", 2, "first")]


def test_a_group_that_was_stopped_and_started_again_had_no_members_in_between() -> None:
    day = GroupHistory().add_day(
        [
            *(*joins(0, "a", 0), *completes(1, 1, 1), joined(1, "pod-1", "a", 1), assigned(2, "pod-1", "t-0")),
            *(revoked(10, "pod-1", "t-0"), broker(10.1, "member_left", "a", reason="member_left")),
            *(*joins(30, "b", 1), *completes(31, 3, 1), joined(31, "pod-1", "b", 3), assigned(32, "pod-1", "t-0")),
        ],
        [],
    )
    assert starts(day, "cause", "ended_by", "stopped_at", "group_was_empty")[1:] == [
        ("t-0", 32, "assigned", "left", 10, True)
    ]


def test_without_client_logs_an_eager_group_stops_all_partitions_when_a_rebalance_begins() -> None:
    records = [recorded(1, 1, "a"), recorded(11, 2, "a", "b")]
    lines = [*joins(0, "a", 0), *completes(1, 1, 1), *joins(10, "b", 1), *completes(11, 2, 2)]
    changes = [owned(1.6, 1, {"0": "a", "1": "a"}), owned(11.6, 2, {"1": "b"})]
    day = GroupHistory().add_day(lines, records, changes)
    assert starts(day, "cause", "ended_by", "stopped_at", "is_measured", "in_client_log")[2:] == [
        ("t-0", 11.6, "kept", "revoked", 10.01, False, False),
        ("t-1", 11.6, "assigned", "revoked", 10.01, False, False),
    ]


def test_without_client_logs_a_kip_848_partition_is_unread_between_its_records() -> None:
    changes = [
        owned(1, 1, {"0": "a", "1": "a"}, "consumer"),
        owned(5, 2, {"1": None}, "consumer"),
        owned(7, 2, {"1": "b"}, "consumer"),
    ]
    day = GroupHistory().add_day([], [], changes)
    assert starts(day, "cause", "ended_by", "stopped_at", "stopped_by")[2:] == [
        ("t-1", 7, "assigned", "revoked", 5, "released")
    ]


def test_a_start_after_midnight_knows_who_stopped_before_it() -> None:
    history = GroupHistory()
    history.add_day(
        [*joins(0, "a", 0), *completes(1, 1, 1), joined(1, "pod-1", "a", 1), assigned(2, "pod-1", "t-0"), revoked(9, "pod-1", "t-0"),
         broker(9.1, "member_left", "a", reason="member_left")],
        [],
    )  # fmt: skip
    day = next_day(
        history, [*joins(20, "b", 1), *completes(21, 2, 1), joined(21, "pod-1", "b", 2), assigned(22, "pod-1", "t-0")]
    )
    assert starts(day, "cause", "ended_by", "stopped_at", "from_member_id", "group_was_empty") == [
        ("t-0", 22, "assigned", "left", 9, "a", True)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "orders.eu-0, orders.eu-12",
        "[orders.eu-0, orders.eu-12]",
        "(TopicPartition(topic='orders.eu', partition=0), TopicPartition(topic='orders.eu', partition=12))",
    ],
)
def test_partitions_are_parsed_as_each_client_prints_them(text: str) -> None:
    assert parse_partitions(text) == [("orders.eu", 0), ("orders.eu", 12)]


@pytest.mark.parametrize("text", ["", "[]", None, "orders", "orders-x", "orders-99999999999999999999", "-1"])
def test_what_is_no_partition_is_left_out(text: str | None) -> None:
    assert parse_partitions(text) == []
