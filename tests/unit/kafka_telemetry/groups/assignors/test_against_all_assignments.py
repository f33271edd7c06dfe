"""Small groups, every possible assignment looked at: nothing is more even than ours, and nothing as even moves less."""

from collections.abc import Iterator
from itertools import product

import pytest
from support.kafka_assignors import Group
from support.random_groups import random_groups

from kafka_telemetry.groups.assignors import ASSIGNORS
from kafka_telemetry.groups.assignors.assignor_inputs import Assignment, last_owners
from kafka_telemetry.groups.assignors.fewest_moves import fewest_moves
from kafka_telemetry.groups.assignors.measures import partitions_moved, spread, spread_possible

_MANY = 3000


@pytest.fixture(scope="module")
def small() -> list[Group]:
    found = [group for group in random_groups(1000, seed=2) if len(_choices(group)) and _count(group) <= _MANY]
    assert len(found) > 200
    assert sum(_count(group) > 100 for group in found) > 50
    return found


def _choices(group: Group) -> list[tuple[tuple[str, int], list[str]]]:
    return [
        ((topic, partition), takers)
        for topic, count in group.partitions.items()
        if (takers := [member.member_id for member in group.members if topic in member.topics])
        for partition in range(count)
    ]


def _count(group: Group) -> int:
    count = 1
    for _, takers in _choices(group):
        count *= len(takers)
    return count


def _all_assignments(group: Group) -> Iterator[Assignment]:
    choices = _choices(group)
    for takers in product(*(takers for _, takers in choices)):
        given: Assignment = {member.member_id: [] for member in group.members}
        for (partition, _), taker in zip(choices, takers, strict=True):
            given[taker].append(partition)
        yield given


def _sizes(assignment: Assignment) -> list[int]:
    return sorted((len(given) for given in assignment.values()), reverse=True)


def test_sticky_is_the_most_even_and_moves_least_of_those(small: list[Group]) -> None:
    for group in small:
        owners = last_owners(group.members)
        best = min((_sizes(given), partitions_moved(given, owners)) for given in _all_assignments(group))
        ours = ASSIGNORS["sticky"](group.members, group.partitions)
        assert (_sizes(ours), partitions_moved(ours, owners)) == best


def test_no_assignment_has_a_smaller_spread_than_the_smallest_possible(small: list[Group]) -> None:
    for group in small:
        smallest = min(spread(given) for given in _all_assignments(group))
        assert spread_possible(group.members, group.partitions) == smallest


def test_nothing_that_is_as_good_moves_less_than_the_fewest_moves(small: list[Group]) -> None:
    for group in small:
        owners = last_owners(group.members)
        given = ASSIGNORS["range"](group.members, group.partitions)
        parts = _parts(group)
        as_good = (
            partitions_moved(other, owners)
            for other in _all_assignments(group)
            if all(
                min(_loads(given, part)) <= min(_loads(other, part))
                and max(_loads(other, part)) <= max(_loads(given, part))
                for part in parts
            )
        )
        assert fewest_moves(given, group.members, owners) == min(as_good)


def _loads(assignment: Assignment, members: set[str]) -> list[int]:
    return [len(assignment[member]) for member in members]


def _parts(group: Group) -> list[set[str]]:
    """The members, those together who share topics."""
    parts = [{member.member_id} for member in group.members]
    for _, takers in _choices(group):
        joined = [part for part in parts if part & set(takers)]
        parts = [part for part in parts if part not in joined] + [set().union(*joined)]
    return parts
