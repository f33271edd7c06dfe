"""What range and round-robin compute for each member, partitions that nobody owns, and static members that returned."""

from typing import Any

import pytest
from support.coordinator_logs import classic, member, replayed

from kafka_telemetry.groups.coordinator.replay import ReplayedDay


def by_member(day: ReplayedDay, *columns: str) -> dict[tuple[int, str], Any]:
    """The columns of each member by generation and member id; a single column by itself."""
    return {
        (row["generation"], row["member_id"]): row[columns[0]] if len(columns) == 1 else tuple(map(row.get, columns))
        for row in day.members
    }


def claiming(name: str, *claimed: int, assigned: tuple[int, ...] = ()) -> dict[str, Any]:
    """A cooperative member: it still owns partitions while it joins."""
    subscription = {"topics": ["t"], "ownedPartitions": [{"topic": "t", "partitions": list(claimed)}]}
    return {**member(name, *assigned), "subscription": subscription}


def test_the_partitions_that_range_computes_stand_beside_those_that_were_assigned() -> None:
    day = replayed(classic(1, member("a", 0, 1), member("b", 2)), classic(2, member("a", 0), member("b", 1, 2)))
    computed = {
        "a": [{"topic": "t", "partitions": [0, 1]}],
        "b": [{"topic": "t", "partitions": [2]}],
    }
    assert by_member(day, "computed") == {(number, name): computed[name] for number in (1, 2) for name in ("a", "b")}


def test_what_a_sticky_assignor_computes_depends_on_history_and_is_not_compared() -> None:
    record = classic(1, member("a", 0), member("b", 1, 2))
    assert record.value is not None
    day = replayed(record._replace(value={**record.value, "protocol": "sticky"}))
    assert by_member(day, "computed") == {(1, "a"): None, (1, "b"): None}


@pytest.mark.parametrize("number", [-1, 2_000_000_000])
def test_a_partition_number_that_no_topic_can_have_is_not_compared(number: int) -> None:
    assert by_member(replayed(classic(1, member("a", number))), "computed") == {(1, "a"): None}


def test_a_partition_that_was_owned_before_and_is_assigned_to_nobody_has_no_owner() -> None:
    day = replayed(classic(1, member("a", 0, 1), member("b", 2, 3)), classic(2, member("a", 0, 1), member("b", 3)))
    assert by_member(day, "unassigned_partitions") == {(1, "a"): 0, (1, "b"): 0, (2, "a"): 1, (2, "b"): 1}


def test_partitions_that_a_cooperative_generation_withholds_are_not_without_an_owner() -> None:
    day = replayed(
        classic(1, claiming("a", assigned=(0, 1))), classic(2, claiming("a", 0, 1, assigned=(0,)), member("b"))
    )
    assert by_member(day, "unassigned_partitions") == {(1, "a"): 0, (2, "a"): None, (2, "b"): None}


def test_a_topic_none_of_whose_partitions_is_assigned_may_have_been_deleted() -> None:
    day = replayed(classic(1, member("a", 0, 1)), classic(2, member("a")))
    assert by_member(day, "unassigned_partitions") == {(1, "a"): 0, (2, "a"): 0}


def test_a_static_member_that_returned_in_a_new_generation_has_its_id_of_the_one_before() -> None:
    day = replayed(
        classic(1, member("i-1", 0, instance="i"), member("b", 1)),
        classic(2, member("i-2", 0, instance="i"), member("b", 1)),
        # It returns without a new generation.
        classic(2, member("i-3", 0, instance="i"), member("b", 1)),
        classic(3, member("i-3", 0, instance="i"), member("b", 1)),
    )
    assert by_member(day, "previous_member_id", "replaces") == {
        (1, "i-1"): (None, []), (1, "b"): (None, []),
        (2, "i-3"): ("i-1", ["i-2"]), (2, "b"): (None, []),
        (3, "i-3"): (None, []), (3, "b"): (None, []),
    }  # fmt: skip
