"""Compares assignments of random groups with those of Kafka's own classes: they are equal, or no worse."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from support.kafka_assignors import SubscribedGroup, kafka_assignments
from support.random_groups import groups_with_older_claims, large_groups, random_groups

from kafka_telemetry.groups.assignors import ASSIGNORS
from kafka_telemetry.groups.assignors.assignment_metrics import partitions_moved, spread, spread_possible
from kafka_telemetry.groups.assignors.assignor_inputs import Assignment, undisputed_owners
from kafka_telemetry.groups.assignors.even_assignment import even_assignment
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


def test_range_roundrobin_and_the_sticky_ones_are_equal_to_kafkas(comparisons: list[Comparison]) -> None:
    for _, computed, kafka in _each(comparisons, "range", "roundrobin", *_STICKY):
        assert _as_sets(computed) == _as_sets(kafka)


def test_the_sticky_ones_are_equal_to_kafkas_in_groups_of_up_to_eighty_members() -> None:
    groups = large_groups(200, seed=3)
    assert max(len(group.members) for group in groups) > 70
    for group, kafka in zip(groups, kafka_assignments(groups), strict=True):
        each = Comparison(group, kafka)
        for assignor in _STICKY:
            assert _as_sets(each.computed(assignor)) == _as_sets(kafka[assignor])


def test_claims_of_members_that_missed_generations_are_resolved_as_by_kafka() -> None:
    groups = groups_with_older_claims(1500, seed=2)
    computed = [
        (_as_sets(Comparison(group, kafka).computed(assignor)), _as_sets(kafka[assignor]))
        for group, kafka in zip(groups, kafka_assignments(groups), strict=True)
        for assignor in _STICKY
        if assignor in kafka
    ]
    assert len(computed) > 2900
    # The others have an owner of an earlier generation that no longer subscribes to the topic, to which Kafka moves
    # partitions all the same.
    assert sum(ours == kafka for ours, kafka in computed) > 0.995 * len(computed)


def test_uniform_is_equal_to_kafkas_where_subscriptions_differ(unequal: list[Comparison]) -> None:
    for _, computed, kafka in _each(unequal, "uniform"):
        assert _as_sets(computed) == _as_sets(kafka)


def test_loads_and_moves_of_uniform_are_equal_to_kafkas_with_equal_subscriptions(equal: list[Comparison]) -> None:
    for each, computed, kafka in _each(equal, "uniform"):
        assert (_sizes(computed), each.moved(computed)) == (_sizes(kafka), each.moved(kafka))


def test_the_even_assignment_is_as_even_as_kafkas_sticky_or_more(unequal: list[Comparison]) -> None:
    as_even = 0
    for each in unequal:
        even, kafka = even_assignment(each.group.members, each.group.partitions), each.kafka["sticky"]
        assert spread(even) <= spread(kafka)
        assert _squares(even) <= _squares(kafka)
        as_even += _squares(even) == _squares(kafka)
        if _sizes(even) == _sizes(kafka):
            assert each.moved(even) <= each.moved(kafka)
    assert as_even > 0.9 * len(unequal)


def test_no_assignor_of_kafka_goes_below_the_smallest_spread_or_the_fewest_moves(comparisons: list[Comparison]) -> None:
    # cooperative-sticky does not assign all partitions.
    for each, _, kafka in _each(comparisons, "range", "roundrobin", "sticky", "uniform"):
        group = each.group
        assert spread(kafka) >= spread_possible(group.members, group.partitions)
        assert each.moved(kafka) >= fewest_moves(kafka, group.members, undisputed_owners(group.members))


def test_sticky_makes_the_fewest_moves_with_equal_subscriptions(equal: list[Comparison]) -> None:
    for each, _, kafka in _each(equal, "sticky"):
        fewest = fewest_moves(kafka, each.group.members, undisputed_owners(each.group.members))
        assert each.moved(kafka) == fewest
