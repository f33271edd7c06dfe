"""Compares assignments of random groups with those of Kafka's own classes: they are equal, or no worse."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from support.kafka_assignors import SubscribedGroup, kafka_assignments
from support.random_groups import random_groups

from kafka_telemetry.groups.assignors import ASSIGNORS
from kafka_telemetry.groups.assignors.assignment_metrics import partitions_moved, spread, spread_possible
from kafka_telemetry.groups.assignors.assignor_inputs import Assignment, undisputed_owners
from kafka_telemetry.groups.assignors.fewest_moves import fewest_moves

_STICKY = ("sticky", "cooperative-sticky")


class Comparison(NamedTuple):
    group: SubscribedGroup
    kafka: dict[str, Assignment]

    def computed(self, assignor: str) -> Assignment:
        return ASSIGNORS[assignor](self.group.members, self.group.partitions)

    def moved(self, assignment: Assignment) -> int:
        return partitions_moved(assignment, undisputed_owners(self.group.members))


@pytest.fixture(scope="module")
def comparisons() -> list[Comparison]:
    groups = random_groups(1500, seed=1)
    return [Comparison(group, kafka) for group, kafka in zip(groups, kafka_assignments(groups), strict=True)]


@pytest.fixture(scope="module")
def equal(comparisons: list[Comparison]) -> list[Comparison]:
    """Groups whose members all subscribe to the same topics."""
    groups = [each for each in comparisons if len({frozenset(member.topics) for member in each.group.members}) == 1]
    assert len(groups) > 500
    return groups


@pytest.fixture(scope="module")
def unequal(comparisons: list[Comparison]) -> list[Comparison]:
    groups = [each for each in comparisons if len({frozenset(member.topics) for member in each.group.members}) > 1]
    assert len(groups) > 500
    return groups


def _as_sets(assignment: Assignment) -> dict[str, list[tuple[str, int]]]:
    return {member: sorted(assigned) for member, assigned in assignment.items()}


def _sizes(assignment: Assignment) -> list[int]:
    return sorted(len(assigned) for assigned in assignment.values())


def _squares(assignment: Assignment) -> int:
    return sum(size * size for size in _sizes(assignment))


def _each(some: list[Comparison], *assignors: str) -> Iterator[tuple[Comparison, Assignment, Assignment]]:
    for each in some:
        for assignor in assignors:
            yield each, each.computed(assignor), each.kafka[assignor]


def test_the_groups_have_static_members_and_previous_owners(comparisons: list[Comparison]) -> None:
    members = [member for each in comparisons for member in each.group.members]
    assert sum(member.instance_id is not None for member in members) > 1000
    assert sum(len(member.owned) for member in members) > 5000


def test_range_and_roundrobin_are_equal_to_kafkas(comparisons: list[Comparison]) -> None:
    for _, computed, kafka in _each(comparisons, "range", "roundrobin"):
        assert _as_sets(computed) == _as_sets(kafka)


def test_uniform_is_equal_to_kafkas_where_subscriptions_differ(unequal: list[Comparison]) -> None:
    for _, computed, kafka in _each(unequal, "uniform"):
        assert _as_sets(computed) == _as_sets(kafka)


def test_loads_and_moves_are_equal_to_kafkas_with_equal_subscriptions(equal: list[Comparison]) -> None:
    for each, computed, kafka in _each(equal, *_STICKY, "uniform"):
        assert (_sizes(computed), each.moved(computed)) == (_sizes(kafka), each.moved(kafka))


def test_sticky_is_as_even_as_kafkas_or_more_with_unequal_subscriptions(unequal: list[Comparison]) -> None:
    as_even = 0
    for _, computed, kafka in _each(unequal, *_STICKY):
        assert spread(computed) <= spread(kafka)
        assert _squares(computed) <= _squares(kafka)
        as_even += _squares(computed) == _squares(kafka)
    assert as_even > 0.9 * len(_STICKY) * len(unequal)


def test_sticky_moves_no_more_than_kafkas_where_loads_are_equal(unequal: list[Comparison]) -> None:
    for each, computed, kafka in _each(unequal, *_STICKY):
        if _sizes(computed) == _sizes(kafka):
            assert each.moved(computed) <= each.moved(kafka)


def test_no_assignor_of_kafka_goes_below_the_smallest_spread_or_the_fewest_moves(comparisons: list[Comparison]) -> None:
    for each, _, kafka in _each(comparisons, *ASSIGNORS):
        group = each.group
        assert spread(kafka) >= spread_possible(group.members, group.partitions)
        assert each.moved(kafka) >= fewest_moves(kafka, group.members, undisputed_owners(group.members))


def test_sticky_makes_the_fewest_moves_with_equal_subscriptions(equal: list[Comparison]) -> None:
    for each, _, kafka in _each(equal, *_STICKY):
        fewest = fewest_moves(kafka, each.group.members, undisputed_owners(each.group.members))
        assert each.moved(kafka) == fewest
