"""Metrics of assignments, compared with numbers computed by hand."""

import pytest
from support.group_notation import assignment, members

from kafka_telemetry.groups.assignors import assignment_metrics
from kafka_telemetry.groups.assignors.assignor_inputs import TopicPartition
from kafka_telemetry.groups.assignors.fewest_moves import fewest_moves

BY_RANGE = assignment("c1: T0 T1 U0 U1, c2: T2 U2")


def _owners(text: str) -> dict[TopicPartition, str]:
    return {partition: member for member, partitions in assignment(text).items() for partition in partitions}


def test_range_is_two_apart_where_loads_could_be_even() -> None:
    assert (
        assignment_metrics.fewest(BY_RANGE),
        assignment_metrics.most(BY_RANGE),
        assignment_metrics.spread(BY_RANGE),
    ) == (2, 4, 2)
    assert assignment_metrics.spread_possible(members("c1: T U, c2: T U"), {"T": 3, "U": 3}) == 0


def test_members_without_partitions_are_idle_and_count_in_every_mean() -> None:
    computed = assignment("a: t0 t1, b:")
    assert assignment_metrics.idle_members(computed) == 1
    assert assignment_metrics.cv(computed) == 1.0
    assert assignment_metrics.gini(computed) == 0.5


def test_an_empty_assignment_has_no_variation() -> None:
    computed = assignment("a:, b:")
    assert (
        assignment_metrics.spread(computed),
        assignment_metrics.cv(computed),
        assignment_metrics.gini(computed),
    ) == (0, None, None)
    assert assignment_metrics.rate_cv(computed, {}) is None
    assert assignment_metrics.spread({}) == 0


def test_equal_counts_can_carry_unequal_rates() -> None:
    computed = assignment("a: t0, b: t1")
    assert assignment_metrics.cv(computed) == 0.0
    assert assignment_metrics.rate_cv(computed, {("t", 0): 30.0, ("t", 1): 10.0}) == pytest.approx(0.5)


def test_a_topic_is_skewed_when_its_subscribers_are_two_apart_whatever_the_totals() -> None:
    computed = assignment("a: t0 t1, b: u0 u1, c: v0")
    assert assignment_metrics.skewed_topics(computed, members("a: t u, b: t u, c: v")) == ["t", "u"]
    assert assignment_metrics.skewed_topics(computed, members("a: t, b: u, c: v")) == []


def test_a_partition_has_moved_if_another_member_owned_it_last() -> None:
    computed = assignment("a: t0 t1, b: t2 t3")
    assert assignment_metrics.partitions_moved(computed, _owners("a: t0 t2, gone: t1")) == 2


def test_a_topic_with_one_subscriber_determines_the_smallest_spread() -> None:
    assert assignment_metrics.spread_possible(members("a: t, b: u, c: u"), {"t": 5, "u": 2}) == 4
    assert assignment_metrics.spread_possible(members("a: t, b: t u, c: u"), {"t": 3, "u": 3}) == 0
    assert assignment_metrics.spread_possible(members("a: t, b: nothing"), {"t": 3}) == 3


def test_a_member_that_left_costs_as_many_moves_as_it_owned_partitions() -> None:
    computed = assignment("a: t0 t1 t2, b: t3 t4 t5")
    assert fewest_moves(computed, members("a: t, b: t"), _owners("a: t0 t1, b: t2 t3, c: t4 t5")) == 2


def test_loads_that_were_as_even_before_needed_no_move() -> None:
    computed = assignment("a: t2 t3, b: t0 t1")
    owners = _owners("a: t0 t1, b: t2 t3")
    assert assignment_metrics.partitions_moved(computed, owners) == 4
    assert fewest_moves(computed, members("a: t, b: t"), owners) == 0


def test_balance_is_compared_among_members_that_share_topics() -> None:
    # The five partitions of x do not allow b and c to be as uneven.
    computed = assignment("x: u0 u1 u2 u3 u4, b: t0, c: t1")
    assert fewest_moves(computed, members("x: u, b: t, c: t"), _owners("x: u0 u1 u2 u3 u4, b: t0 t1")) == 1
