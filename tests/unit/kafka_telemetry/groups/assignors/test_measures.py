"""How even, how new: the numbers by hand."""

import pytest
from support.groups_written import assigned, members

from kafka_telemetry.groups.assignors import measures
from kafka_telemetry.groups.assignors.assignor_inputs import TopicPartition
from kafka_telemetry.groups.assignors.fewest_moves import fewest_moves

BOOK = assigned("c1: T0 T1 U0 U1, c2: T2 U2")


def _owners(text: str) -> dict[TopicPartition, str]:
    return {partition: member for member, given in assigned(text).items() for partition in given}


def test_the_books_range_is_two_apart_where_none_need_be() -> None:
    assert (measures.fewest(BOOK), measures.most(BOOK), measures.spread(BOOK)) == (2, 4, 2)
    assert measures.spread_possible(members("c1: T U, c2: T U"), {"T": 3, "U": 3}) == 0


def test_members_that_got_nothing_are_idle_and_count_in_every_mean() -> None:
    given = assigned("a: t0 t1, b:")
    assert measures.idle_members(given) == 1
    assert measures.cv(given) == 1.0
    assert measures.gini(given) == 0.5


def test_where_nothing_is_assigned_there_is_nothing_to_be_uneven() -> None:
    given = assigned("a:, b:")
    assert (measures.spread(given), measures.cv(given), measures.gini(given)) == (0, None, None)
    assert measures.rate_cv(given, {}) is None
    assert measures.spread({}) == 0


def test_equal_counts_can_carry_unequal_rates() -> None:
    given = assigned("a: t0, b: t1")
    assert measures.cv(given) == 0.0
    assert measures.rate_cv(given, {("t", 0): 30.0, ("t", 1): 10.0}) == pytest.approx(0.5)


def test_a_topic_is_skewed_when_its_subscribers_are_two_apart_whatever_the_totals() -> None:
    given = assigned("a: t0 t1, b: u0 u1, c: v0")
    assert measures.skewed_topics(given, members("a: t u, b: t u, c: v")) == ["t", "u"]
    assert measures.skewed_topics(given, members("a: t, b: u, c: v")) == []


def test_moved_is_what_another_member_had_last_and_never_what_nobody_had() -> None:
    given = assigned("a: t0 t1, b: t2 t3")
    assert measures.partitions_moved(given, _owners("a: t0 t2, gone: t1")) == 2


def test_a_topic_that_only_one_member_wants_sets_the_smallest_spread() -> None:
    assert measures.spread_possible(members("a: t, b: u, c: u"), {"t": 5, "u": 2}) == 4
    assert measures.spread_possible(members("a: t, b: t u, c: u"), {"t": 3, "u": 3}) == 0
    assert measures.spread_possible(members("a: t, b: nothing"), {"t": 3}) == 3


def test_a_member_that_left_costs_as_many_moves_as_it_had() -> None:
    given = assigned("a: t0 t1 t2, b: t3 t4 t5")
    assert fewest_moves(given, members("a: t, b: t"), _owners("a: t0 t1, b: t2 t3, c: t4 t5")) == 2


def test_a_balance_that_was_there_already_needed_no_move() -> None:
    given = assigned("a: t2 t3, b: t0 t1")
    owners = _owners("a: t0 t1, b: t2 t3")
    assert measures.partitions_moved(given, owners) == 4
    assert fewest_moves(given, members("a: t, b: t"), owners) == 0


def test_as_good_is_judged_among_those_who_share_topics() -> None:
    # The five of x say nothing about how uneven b and c may be.
    given = assigned("x: u0 u1 u2 u3 u4, b: t0, c: t1")
    assert fewest_moves(given, members("x: u, b: t, c: t"), _owners("x: u0 u1 u2 u3 u4, b: t0 t1")) == 1
