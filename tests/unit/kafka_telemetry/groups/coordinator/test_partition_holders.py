"""The holder of each partition, and the generation, at each place in the log."""

from typing import Any

from support.coordinator_logs import (
    classic,
    current,
    epoch,
    joined,
    member,
    replayed,
    replayed_after,
    target,
    target_of,
    tombstone,
)

from kafka_telemetry.groups.coordinator.replay import ReplayedDay


def changes(day: ReplayedDay) -> list[tuple[Any, ...]]:
    """(record offset, generation, members, partition -> (holder, last holder if another)): what each record changed."""
    return [
        (
            row["record_offset"],
            row["generation"],
            row["member_count"],
            {
                number: (held["member_id"], held["moved_from_member_id"])
                for held in row["held"]
                for number in held["partitions"]
            },
        )
        for row in day.owner_changes
    ]


def test_members_of_a_generation_hold_their_partitions_which_may_have_moved() -> None:
    day = replayed(classic(1, member("a", 0, 1)), classic(2, member("a", 0), member("b", 1)), classic(3), tombstone(2))
    assert changes(day) == [
        (0, 1, 1, {0: ("a", None), 1: ("a", None)}),
        (1, 2, 2, {1: ("b", "a")}),
        (2, 3, 0, {0: (None, None), 1: (None, None)}),
        (3, None, 0, {}),
    ]
    assert {held["client_id"] for row in day.owner_changes for held in row["held"]} == {"client-a", "client-b", None}


def test_a_partition_moves_from_its_last_holder_even_if_it_had_none_in_between() -> None:
    day = replayed(classic(1, member("a", 0)), classic(2, member("a")), classic(3, member("a"), member("b", 0)))
    assert [holders for *_, holders in changes(day)] == [{0: ("a", None)}, {0: (None, None)}, {0: ("b", "a")}]


def test_a_static_member_that_returns_under_another_id_is_the_same_holder() -> None:
    day = replayed(classic(1, member("old", 0, instance="i")), classic(1, member("new", 0, instance="i")))
    assert changes(day) == [(0, 1, 1, {0: ("old", None)}), (1, 1, 1, {0: ("new", None)})]


def test_a_partition_with_two_owners_has_no_holder() -> None:
    day = replayed(classic(1, member("a", 0, 1), member("b", 1)))
    assert changes(day) == [(0, 1, 2, {0: ("a", None)})]


def test_a_member_of_a_kip_848_group_holds_a_partition_until_it_has_revoked_it() -> None:
    day = replayed(
        *(joined("a"), epoch(2), target("a", 0, 1), target_of(2), current("a", 2, 0, 1)),
        *(joined("b"), epoch(3), target("a", 0), target("b", 1), target_of(3)),
        current("a", 2, 0, pending=(1,)),
        current("b", 3, state=2),
        *(current("a", 3, 0), current("b", 3, 1)),
        *(tombstone(8, "a"), tombstone(7, "a"), tombstone(5, "a"), epoch(4)),
    )
    assert changes(day) == [
        (1, 2, 1, {}),
        (4, 2, 1, {0: ("a", None), 1: ("a", None)}),
        (6, 3, 2, {}),
        (12, 3, 2, {1: (None, None)}),
        (13, 3, 2, {1: ("b", "a")}),
        (14, 3, 2, {0: (None, None)}),
        (17, 4, 1, {}),
    ]


def test_a_day_begins_with_the_holders_of_the_day_before_and_nothing_moves_by_that() -> None:
    day = replayed_after(
        [classic(1, member("a", 0)), classic(2, member("b", 0))], [classic(3, member("a", 0), member("b"))]
    )
    assert changes(day) == [(None, 2, 1, {0: ("b", None)}), (2, 3, 2, {0: ("a", "b")})]
    epochs = replayed_after([joined("a"), epoch(2), target("a", 0), target_of(2), current("a", 2, 0)], [epoch(3)])
    assert changes(epochs) == [(None, 2, 1, {0: ("a", None)}), (5, 3, 1, {})]
    assert changes(replayed_after([classic(1, member("a", 0)), tombstone(2)], [])) == []


def test_another_incarnation_has_no_last_holders() -> None:
    day = replayed(classic(1, member("a", 0)), tombstone(2), classic(1, member("b", 0)))
    assert [holders for *_, holders in changes(day)] == [{0: ("a", None)}, {0: (None, None)}, {0: ("b", None)}]
