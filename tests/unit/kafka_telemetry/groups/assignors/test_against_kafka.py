"""Kafka's own classes, asked about random groups: what we compute is what they give, or no worse."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from support.kafka_assignors import Group, ask_kafka
from support.random_groups import random_groups

from kafka_telemetry.groups.assignors import ASSIGNORS
from kafka_telemetry.groups.assignors.assignor_inputs import Assignment, last_owners
from kafka_telemetry.groups.assignors.fewest_moves import fewest_moves
from kafka_telemetry.groups.assignors.measures import partitions_moved, spread, spread_possible

_STICKY = ("sticky", "cooperative-sticky")


class Answers(NamedTuple):
    group: Group
    kafka: dict[str, Assignment]

    def ours(self, assignor: str) -> Assignment:
        return ASSIGNORS[assignor](self.group.members, self.group.partitions)

    def moved(self, assignment: Assignment) -> int:
        return partitions_moved(assignment, last_owners(self.group.members))


@pytest.fixture(scope="module")
def answers() -> list[Answers]:
    groups = random_groups(1500, seed=1)
    return [Answers(group, kafka) for group, kafka in zip(groups, ask_kafka(groups), strict=True)]


@pytest.fixture(scope="module")
def equal(answers: list[Answers]) -> list[Answers]:
    """Groups whose members all subscribe to the same topics."""
    found = [each for each in answers if len({frozenset(member.topics) for member in each.group.members}) == 1]
    assert len(found) > 500
    return found


@pytest.fixture(scope="module")
def unequal(answers: list[Answers]) -> list[Answers]:
    found = [each for each in answers if len({frozenset(member.topics) for member in each.group.members}) > 1]
    assert len(found) > 500
    return found


def _as_sets(assignment: Assignment) -> dict[str, list[tuple[str, int]]]:
    return {member: sorted(given) for member, given in assignment.items()}


def _sizes(assignment: Assignment) -> list[int]:
    return sorted(len(given) for given in assignment.values())


def _squares(assignment: Assignment) -> int:
    return sum(size * size for size in _sizes(assignment))


def _each(some: list[Answers], *assignors: str) -> Iterator[tuple[Answers, Assignment, Assignment]]:
    for each in some:
        for assignor in assignors:
            yield each, each.ours(assignor), each.kafka[assignor]


def test_the_groups_have_static_members_and_previous_owners(answers: list[Answers]) -> None:
    members = [member for each in answers for member in each.group.members]
    assert sum(member.instance_id is not None for member in members) > 1000
    assert sum(len(member.owned) for member in members) > 5000


def test_range_and_roundrobin_are_kafkas_to_the_letter(answers: list[Answers]) -> None:
    for _, ours, kafkas in _each(answers, "range", "roundrobin"):
        assert _as_sets(ours) == _as_sets(kafkas)


def test_uniform_is_kafkas_to_the_letter_where_subscriptions_differ(unequal: list[Answers]) -> None:
    for _, ours, kafkas in _each(unequal, "uniform"):
        assert _as_sets(ours) == _as_sets(kafkas)


def test_with_equal_subscriptions_sizes_and_moves_are_kafkas(equal: list[Answers]) -> None:
    for each, ours, kafkas in _each(equal, *_STICKY, "uniform"):
        assert (_sizes(ours), each.moved(ours)) == (_sizes(kafkas), each.moved(kafkas))


def test_with_unequal_subscriptions_sticky_is_as_even_as_kafkas_or_more(unequal: list[Answers]) -> None:
    as_even = 0
    for _, ours, kafkas in _each(unequal, *_STICKY):
        assert spread(ours) <= spread(kafkas)
        assert _squares(ours) <= _squares(kafkas)
        as_even += _squares(ours) == _squares(kafkas)
    assert as_even > 0.9 * len(_STICKY) * len(unequal)


def test_where_sizes_are_the_same_sticky_moves_no_more_than_kafkas(unequal: list[Answers]) -> None:
    for each, ours, kafkas in _each(unequal, *_STICKY):
        if _sizes(ours) == _sizes(kafkas):
            assert each.moved(ours) <= each.moved(kafkas)


def test_no_assignor_of_kafka_goes_below_the_smallest_spread_or_the_fewest_moves(answers: list[Answers]) -> None:
    for each, _, kafkas in _each(answers, *ASSIGNORS):
        group = each.group
        assert spread(kafkas) >= spread_possible(group.members, group.partitions)
        assert each.moved(kafkas) >= fewest_moves(kafkas, group.members, last_owners(group.members))


def test_with_equal_subscriptions_sticky_makes_the_fewest_moves(equal: list[Answers]) -> None:
    for each, _, kafkas in _each(equal, *_STICKY):
        fewest = fewest_moves(kafkas, each.group.members, last_owners(each.group.members))
        assert each.moved(kafkas) == fewest
