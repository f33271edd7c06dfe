"""The incarnations of generations that the broker log reports."""

from support.history_events import broker, bumped, client, completes, joins, next_day, one_day, rebalances, recorded

from kafka_telemetry.groups.history.group_history import GroupHistory
from kafka_telemetry.groups.history.log_event import LogEvent


def test_a_lower_generation_in_the_log_belongs_to_the_next_incarnation() -> None:
    day = one_day(joins(1, "a", 3), completes(2, 4, 1), broker(5, "group_dead"), joins(6, "b", 0), completes(7, 1, 1))
    assert rebalances(day, "incarnation", "generation") == [(1, 4), (2, 1)]


def lived(at: float, member: str) -> list[LogEvent]:
    """All of a group's life in the broker log: a member joins and leaves, and the group is removed."""
    return [
        *joins(at, member, 0), *completes(at + 1, 1, 1),
        broker(at + 9, "member_left", member, reason="member_left"),
        broker(at + 9, "group_emptied", generation=2), broker(at + 20, "group_deleted"),
    ]  # fmt: skip


def test_an_incarnation_whose_records_were_cleaned_away_has_the_rebalances_of_the_log() -> None:
    # The topic holds the second of three incarnations, and of the third only that it was emptied.
    day = one_day(
        lived(100, "a"), client(101.2, "joined", "a", generation=1), lived(200, "b"), lived(300, "c"),
        client(301.2, "joined", "c", generation=1),
        records=(recorded(201, 1, "b"), recorded(209, 2), recorded(309, 2, incarnation=2)),
    )  # fmt: skip
    columns = ("incarnation", "generation", "trigger_member_id", "completed_at", "evidence")
    assert rebalances(day, *columns) == [
        (0, 1, "a", 101_500_000, ["broker_log", "client_log"]),
        (1, 1, "b", 201_500_000, ["broker_log", "offsets_topic"]),
        (2, 1, "c", 301_500_000, ["broker_log", "client_log"]),
    ]


def test_a_group_that_is_created_again_begins_with_the_members_that_join_it() -> None:
    day = one_day(
        *(broker(1, "member_joined", "a"), bumped(1, 1), broker(5, "member_left", "a"), bumped(5, 2, "0")),
        broker(7, "group_deleted"),
        *(broker(9, "member_joined", "b"), bumped(9, 1), broker(20, "member_expired", "b"), bumped(20, 2, "0")),
    )
    columns = ("incarnation", "generation", "members_before", "members_after", "members_joined")
    assert rebalances(day, *columns) == [(1, 1, 0, 1, 1), (2, 1, 0, 1, 1)]


def test_a_group_that_was_deleted_and_created_again_may_begin_with_the_generation_that_it_ended_with() -> None:
    day = one_day(
        *(broker(1, "member_joined", "a"), bumped(1, 1), broker(5, "member_left", "a"), broker(7, "group_deleted")),
        *(broker(9, "member_joined", "b"), bumped(9, 1)),
    )
    assert rebalances(day, "incarnation", "generation", "members_after") == [(1, 1, 1), (2, 1, 1)]
    first = GroupHistory()
    first.add_day([broker(1, "member_joined", "a"), bumped(1, 1), broker(5, "member_left", "a")], ())
    second = next_day(first, [broker(90_000, "group_deleted"), broker(90_001, "member_joined", "b"), bumped(90_001, 1)])
    assert rebalances(second, "incarnation", "generation") == [(2, 1)]
