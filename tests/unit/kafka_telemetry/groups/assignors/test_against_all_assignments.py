"""Compares assignments of small groups with all possible ones, by balance and by moves."""

from collections.abc import Iterator
from itertools import product

import pytest
from support.kafka_assignors import SubscribedGroup
from support.random_groups import random_groups

from kafka_telemetry.groups.assignors import ASSIGNORS
from kafka_telemetry.groups.assignors.assignment_metrics import partitions_moved, spread, spread_possible
from kafka_telemetry.groups.assignors.assignor_inputs import Assignment, undisputed_owners
from kafka_telemetry.groups.assignors.even_assignment import even_assignment
from kafka_telemetry.groups.assignors.fewest_moves import fewest_moves

_MOST_ASSIGNMENTS = 3000


@pytest.fixture(scope="module")
def small() -> list[SubscribedGroup]:
    groups = [
        group
        for group in random_groups(1000, seed=2)
        if len(_subscribers_by_partition(group)) and _count(group) <= _MOST_ASSIGNMENTS
    ]
    assert len(groups) > 200
    assert sum(_count(group) > 100 for group in groups) > 50
    return groups


def _subscribers_by_partition(group: SubscribedGroup) -> list[tuple[tuple[str, int], list[str]]]:
    return [
        ((topic, partition), subscribers)
        for topic, count in group.partitions.items()
        if (subscribers := [member.member_id for member in group.members if topic in member.topics])
        for partition in range(count)
    ]


def _count(group: SubscribedGroup) -> int:
    count = 1
    for _, subscribers in _subscribers_by_partition(group):
        count *= len(subscribers)
    return count


def _all_assignments(group: SubscribedGroup) -> Iterator[Assignment]:
    choices = _subscribers_by_partition(group)
    for subscribers in product(*(subscribers for _, subscribers in choices)):
        assignment: Assignment = {member.member_id: [] for member in group.members}
        for (partition, _), owner in zip(choices, subscribers, strict=True):
            assignment[owner].append(partition)
        yield assignment


def _sizes(assignment: Assignment) -> list[int]:
    return sorted((len(assigned) for assigned in assignment.values()), reverse=True)


def test_the_even_assignment_is_the_most_even_one_with_the_fewest_moves(small: list[SubscribedGroup]) -> None:
    for group in small:
        owners = undisputed_owners(group.members)
        best = min((_sizes(assignment), partitions_moved(assignment, owners)) for assignment in _all_assignments(group))
        assignment = even_assignment(group.members, group.partitions)
        assert (_sizes(assignment), partitions_moved(assignment, owners)) == best


def test_no_assignment_has_a_smaller_spread_than_the_smallest_possible(small: list[SubscribedGroup]) -> None:
    for group in small:
        smallest = min(spread(assignment) for assignment in _all_assignments(group))
        assert spread_possible(group.members, group.partitions) == smallest


def test_no_assignment_as_good_moves_fewer_partitions_than_the_fewest_moves(small: list[SubscribedGroup]) -> None:
    for group in small:
        owners = undisputed_owners(group.members)
        assignment = ASSIGNORS["range"](group.members, group.partitions)
        parts = _parts(group)
        as_good = (
            partitions_moved(other, owners)
            for other in _all_assignments(group)
            if all(
                min(_loads(assignment, part)) <= min(_loads(other, part))
                and max(_loads(other, part)) <= max(_loads(assignment, part))
                for part in parts
            )
        )
        assert fewest_moves(assignment, group.members, owners) == min(as_good)


def _loads(assignment: Assignment, members: set[str]) -> list[int]:
    return [len(assignment[member]) for member in members]


def _parts(group: SubscribedGroup) -> list[set[str]]:
    """The members, grouped by whether they share topics."""
    parts = [{member.member_id} for member in group.members]
    for _, subscribers in _subscribers_by_partition(group):
        joined = [part for part in parts if part & set(subscribers)]
        parts = [part for part in parts if part not in joined] + [set().union(*joined)]
    return parts
