"""Who holds a partition, and in which generation, at each place in the log."""

from typing import Any

from support.coordinator_logs import (
    classic,
    current,
    epoch,
    followed,
    gone,
    in_two_days,
    joined,
    member,
    target,
    target_of,
)

from kafka_telemetry.groups.coordinator.replay import Followed


def changes(told: Followed) -> list[tuple[Any, ...]]:
    """(place, generation, members, partition -> (holder, last holder if another)): what each record changed."""
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
        for row in told.owner
    ]


def test_a_generation_gives_partitions_to_its_members_and_tells_from_whom_they_came() -> None:
    told = followed(classic(1, member("a", 0, 1)), classic(2, member("a", 0), member("b", 1)), classic(3), gone(2))
    assert changes(told) == [
        (0, 1, 1, {0: ("a", None), 1: ("a", None)}),
        (1, 2, 2, {1: ("b", "a")}),
        (2, 3, 0, {0: (None, None), 1: (None, None)}),
        (3, None, 0, {}),
    ]
    assert {held["client_id"] for row in told.owner for held in row["held"]} == {"client-a", "client-b", None}


def test_who_had_a_partition_before_nobody_did_is_who_it_comes_from() -> None:
    told = followed(classic(1, member("a", 0)), classic(2, member("a")), classic(3, member("a"), member("b", 0)))
    assert [of for *_, of in changes(told)] == [{0: ("a", None)}, {0: (None, None)}, {0: ("b", "a")}]


def test_a_static_member_that_comes_back_under_another_id_holds_what_it_held() -> None:
    told = followed(classic(1, member("old", 0, instance="i")), classic(1, member("new", 0, instance="i")))
    assert changes(told) == [(0, 1, 1, {0: ("old", None)}), (1, 1, 1, {0: ("new", None)})]


def test_a_partition_that_two_members_claim_is_nobodys() -> None:
    told = followed(classic(1, member("a", 0, 1), member("b", 1)))
    assert changes(told) == [(0, 1, 2, {0: ("a", None)})]


def test_a_member_of_a_kip_848_group_holds_a_partition_until_it_has_given_it_back() -> None:
    told = followed(
        *(joined("a"), epoch(2), target("a", 0, 1), target_of(2), current("a", 2, 0, 1)),
        *(joined("b"), epoch(3), target("a", 0), target("b", 1), target_of(3)),
        current("a", 2, 0, pending=(1,)),
        current("b", 3, state=2),
        *(current("a", 3, 0), current("b", 3, 1)),
        *(gone(8, "a"), gone(7, "a"), gone(5, "a"), epoch(4)),
    )
    assert changes(told) == [
        (1, 2, 1, {}),
        (4, 2, 1, {0: ("a", None), 1: ("a", None)}),
        (6, 3, 2, {}),
        (12, 3, 2, {1: (None, None)}),
        (13, 3, 2, {1: ("b", "a")}),
        (14, 3, 2, {0: (None, None)}),
        (17, 4, 1, {}),
    ]


def test_a_day_begins_with_what_the_day_before_left_and_nothing_has_moved_by_that() -> None:
    told = in_two_days(
        [classic(1, member("a", 0)), classic(2, member("b", 0))], [classic(3, member("a", 0), member("b"))]
    )
    assert changes(told) == [(None, 2, 1, {0: ("b", None)}), (2, 3, 2, {0: ("a", "b")})]
    epochs = in_two_days([joined("a"), epoch(2), target("a", 0), target_of(2), current("a", 2, 0)], [epoch(3)])
    assert changes(epochs) == [(None, 2, 1, {0: ("a", None)}), (5, 3, 1, {})]
    assert changes(in_two_days([classic(1, member("a", 0)), gone(2)], [])) == []


def test_another_incarnation_knows_no_last_holder() -> None:
    told = followed(classic(1, member("a", 0)), gone(2), classic(1, member("b", 0)))
    assert [of for *_, of in changes(told)] == [{0: ("a", None)}, {0: (None, None)}, {0: ("b", None)}]
