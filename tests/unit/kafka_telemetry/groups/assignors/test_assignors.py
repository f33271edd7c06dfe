"""What assignors give, in examples that fit in the head."""

import pytest
from support.groups_written import assigned, in_order, members

from kafka_telemetry.groups.assignors import ASSIGNORS
from kafka_telemetry.groups.assignors.assignor_inputs import last_owners
from kafka_telemetry.groups.assignors.measures import partitions_moved, spread

BOOK = {"T": 3, "U": 3}
BALANCED = ("sticky", "cooperative-sticky", "uniform")


def test_range_gives_the_first_consumer_the_larger_part_of_each_topic() -> None:
    given = ASSIGNORS["range"](members("c1: T U, c2: T U"), BOOK)
    assert in_order(given) == assigned("c1: T0 T1 U0 U1, c2: T2 U2")


def test_roundrobin_deals_all_partitions_of_all_topics_in_turn() -> None:
    given = ASSIGNORS["roundrobin"](members("c1: T U, c2: T U"), BOOK)
    assert in_order(given) == assigned("c1: T0 T2 U1, c2: T1 U0 U2")


@pytest.mark.parametrize(
    ("assignor", "expected"),
    [
        ("range", "a: t0 t1 u0, b: t2 t3 u1, c: t4"),
        ("roundrobin", "a: t0 t3 u1, b: t1 t4, c: t2 u0"),
    ],
)
def test_static_members_come_first_by_their_instance_ids(assignor: str, expected: str) -> None:
    given = ASSIGNORS[assignor](members("c: t u, b: t u, z=a: t u"), {"t": 5, "u": 2})
    assert in_order(given) == assigned(expected)


def test_roundrobin_passes_over_members_that_do_not_subscribe() -> None:
    given = ASSIGNORS["roundrobin"](members("a: t u, b: t u, c: u"), {"t": 5, "u": 2})
    assert in_order(given) == assigned("a: t0 t2 t4, b: t1 t3 u0, c: u1")


@pytest.mark.parametrize("assignor", ["range", "roundrobin"])
def test_ids_are_ordered_as_java_orders_them(assignor: str) -> None:
    given = ASSIGNORS[assignor](members("\uff5e: t, \U0001d11e: t"), {"t": 1})
    assert given == {"\U0001d11e": [("t", 0)], "\uff5e": []}


@pytest.mark.parametrize("assignor", ASSIGNORS)
def test_topics_that_nobody_knows_have_no_partitions(assignor: str) -> None:
    given = ASSIGNORS[assignor](members("a: t gone, b: gone"), {"t": 1, "other": 4, "empty": 0})
    assert given == {"a": [("t", 0)], "b": []}


@pytest.mark.parametrize("assignor", ASSIGNORS)
def test_a_group_without_members_gets_nothing(assignor: str) -> None:
    assert ASSIGNORS[assignor]([], {"t": 1}) == {}


@pytest.mark.parametrize("assignor", BALANCED)
def test_balanced_ones_take_from_who_has_most_and_leave_the_rest(assignor: str) -> None:
    before = "a: t0 t1 t2 t3, b: t4 t5"
    given = ASSIGNORS[assignor](members("a: t, b: t, c: t", had=before), {"t": 6})
    assert in_order(given) == assigned("a: t0 t1, b: t4 t5, c: t2 t3")


@pytest.mark.parametrize("assignor", BALANCED)
def test_balanced_ones_move_nothing_when_all_is_even_already(assignor: str) -> None:
    before = "a: t0 u1 u2, b: t1 t2 u0"
    given = ASSIGNORS[assignor](members("a: t u, b: t u", had=before), {"t": 3, "u": 3})
    assert in_order(given) == in_order(assigned(before))


@pytest.mark.parametrize("assignor", BALANCED)
def test_what_two_members_claim_belongs_to_neither(assignor: str) -> None:
    group = members("a: t, b: t", had="a: t0 t1, b: t0 t2")
    assert last_owners(group) == {("t", 1): "a", ("t", 2): "b"}
    given = ASSIGNORS[assignor](group, {"t": 3})
    assert sorted(len(each) for each in given.values()) == [1, 2]
    assert ("t", 1) in given["a"]
    assert ("t", 2) in given["b"]


def test_sticky_passes_partitions_on_from_member_to_member_where_one_step_is_not_enough() -> None:
    # c has too many, and shares only u with b, which shares only t with a.
    group = members("a: t, b: t u, c: u", had="a: t0, b: t1 t2, c: u0 u1 u2")
    given = ASSIGNORS["sticky"](group, {"t": 3, "u": 3})
    assert sorted(len(each) for each in given.values()) == [2, 2, 2]
    assert partitions_moved(given, last_owners(group)) == 2


def test_uniform_is_content_when_the_subscribers_of_each_topic_are_one_apart() -> None:
    group = members("a: t, b: t u, c: u", had="a: t0, b: t1 t2, c: u0 u1 u2")
    given = ASSIGNORS["uniform"](group, {"t": 3, "u": 3})
    assert in_order(given) == assigned("a: t0, b: t1 t2, c: u0 u1 u2")
    assert spread(given) == 2


def test_sticky_keeps_what_it_can_of_a_member_that_wants_less_now() -> None:
    group = members("a: t, b: t u", had="a: t0 u0 u1, b: t1 t2")
    given = ASSIGNORS["sticky"](group, {"t": 3, "u": 2})
    assert in_order(given) == assigned("a: t0 t2, b: t1 u0 u1")
