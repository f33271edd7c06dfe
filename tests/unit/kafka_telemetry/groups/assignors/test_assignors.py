"""Assignments of small groups."""

import pytest
from support.group_notation import assignment, members, with_sorted_partitions

from kafka_telemetry.groups.assignors import ASSIGNORS
from kafka_telemetry.groups.assignors.assignment_metrics import partitions_moved, spread
from kafka_telemetry.groups.assignors.assignor_inputs import undisputed_owners
from kafka_telemetry.groups.assignors.even_assignment import even_assignment
from kafka_telemetry.groups.assignors.java_hash_map import in_hash_map_order

PARTITIONS = {"T": 3, "U": 3}
BALANCED = ("sticky", "uniform")


def test_range_assigns_the_larger_part_of_each_topic_to_the_first_member() -> None:
    computed = ASSIGNORS["range"](members("c1: T U, c2: T U"), PARTITIONS)
    assert with_sorted_partitions(computed) == assignment("c1: T0 T1 U0 U1, c2: T2 U2")


def test_roundrobin_deals_the_partitions_of_all_topics_one_by_one() -> None:
    computed = ASSIGNORS["roundrobin"](members("c1: T U, c2: T U"), PARTITIONS)
    assert with_sorted_partitions(computed) == assignment("c1: T0 T2 U1, c2: T1 U0 U2")


@pytest.mark.parametrize(
    ("assignor", "expected"),
    [
        ("range", "a: t0 t1 u0, b: t2 t3 u1, c: t4"),
        ("roundrobin", "a: t0 t3 u1, b: t1 t4, c: t2 u0"),
    ],
)
def test_static_members_come_first_by_their_instance_ids(assignor: str, expected: str) -> None:
    computed = ASSIGNORS[assignor](members("c: t u, b: t u, z=a: t u"), {"t": 5, "u": 2})
    assert with_sorted_partitions(computed) == assignment(expected)


def test_roundrobin_passes_over_members_that_do_not_subscribe() -> None:
    computed = ASSIGNORS["roundrobin"](members("a: t u, b: t u, c: u"), {"t": 5, "u": 2})
    assert with_sorted_partitions(computed) == assignment("a: t0 t2 t4, b: t1 t3 u0, c: u1")


@pytest.mark.parametrize("assignor", ["range", "roundrobin"])
def test_ids_are_ordered_as_java_orders_them(assignor: str) -> None:
    computed = ASSIGNORS[assignor](members("\uff5e: t, \U0001d11e: t"), {"t": 1})
    assert computed == {"\U0001d11e": [("t", 0)], "\uff5e": []}


@pytest.mark.parametrize("assignor", ASSIGNORS)
def test_unknown_topics_have_no_partitions(assignor: str) -> None:
    computed = ASSIGNORS[assignor](members("a: t gone, b: gone"), {"t": 1, "other": 4, "empty": 0})
    assert computed == {"a": [("t", 0)], "b": []}


@pytest.mark.parametrize("assignor", ASSIGNORS)
def test_a_group_without_members_has_an_empty_assignment(assignor: str) -> None:
    assert ASSIGNORS[assignor]([], {"t": 1}) == {}


@pytest.mark.parametrize("assignor", BALANCED)
def test_balanced_assignors_move_partitions_from_the_most_loaded_member_and_leave_the_rest(assignor: str) -> None:
    before = "a: t0 t1 t2 t3, b: t4 t5"
    computed = ASSIGNORS[assignor](members("a: t, b: t, c: t", owned=before), {"t": 6})
    assert with_sorted_partitions(computed) == assignment("a: t0 t1, b: t4 t5, c: t2 t3")


@pytest.mark.parametrize("assignor", BALANCED)
def test_balanced_assignors_move_nothing_where_loads_are_even(assignor: str) -> None:
    before = "a: t0 u1 u2, b: t1 t2 u0"
    computed = ASSIGNORS[assignor](members("a: t u, b: t u", owned=before), {"t": 3, "u": 3})
    assert with_sorted_partitions(computed) == with_sorted_partitions(assignment(before))


@pytest.mark.parametrize("assignor", BALANCED)
def test_a_partition_that_two_members_claim_has_no_owner(assignor: str) -> None:
    group = members("a: t, b: t", owned="a: t0 t1, b: t0 t2")
    assert undisputed_owners(group) == {("t", 1): "a", ("t", 2): "b"}
    computed = ASSIGNORS[assignor](group, {"t": 3})
    assert sorted(len(partitions) for partitions in computed.values()) == [1, 2]
    assert ("t", 1) in computed["a"]
    assert ("t", 2) in computed["b"]


def test_the_even_assignment_moves_partitions_through_a_third_member_where_two_share_no_topic() -> None:
    # c has too many, and shares only u with b, which shares only t with a.
    group = members("a: t, b: t u, c: u", owned="a: t0, b: t1 t2, c: u0 u1 u2")
    computed = even_assignment(group, {"t": 3, "u": 3})
    assert sorted(len(partitions) for partitions in computed.values()) == [2, 2, 2]
    assert partitions_moved(computed, undisputed_owners(group)) == 2
    # Kafka's moves single partitions, each of which has to improve the balance.
    computed = ASSIGNORS["sticky"](group, {"t": 3, "u": 3})
    assert with_sorted_partitions(computed) == assignment("a: t0, b: t1 t2, c: u0 u1 u2")


def test_uniform_stops_when_the_subscribers_of_each_topic_are_one_apart() -> None:
    group = members("a: t, b: t u, c: u", owned="a: t0, b: t1 t2, c: u0 u1 u2")
    computed = ASSIGNORS["uniform"](group, {"t": 3, "u": 3})
    assert with_sorted_partitions(computed) == assignment("a: t0, b: t1 t2, c: u0 u1 u2")
    assert spread(computed) == 2


def test_sticky_keeps_partitions_of_topics_that_a_member_still_subscribes_to() -> None:
    group = members("a: t, b: t u", owned="a: t0 u0 u1, b: t1 t2")
    computed = ASSIGNORS["sticky"](group, {"t": 3, "u": 2})
    assert with_sorted_partitions(computed) == assignment("a: t0 t1, b: t2 u0 u1")


def test_cooperative_sticky_assigns_a_partition_to_nobody_until_its_owner_has_revoked_it() -> None:
    before = "a: t0 t1 t2 t3, b: t4 t5"
    computed = ASSIGNORS["cooperative-sticky"](members("a: t, b: t, c: t", owned=before), {"t": 6})
    assert with_sorted_partitions(computed) == assignment("a: t0 t1, b: t4 t5, c:")


def test_of_two_claims_that_of_the_higher_generation_counts() -> None:
    newer, older = members("a: t, b: t", owned="a: t0 t1, b: t0 t1")
    group = [newer._replace(generation=8), older._replace(generation=7)]
    assert with_sorted_partitions(ASSIGNORS["sticky"](group, {"t": 3})) == assignment("a: t0 t1, b: t2")


def test_which_members_keep_one_partition_more_depends_on_the_order_of_javas_hash_maps() -> None:
    # "p" is in an earlier bucket than "a2".
    assert in_hash_map_order(["a2", "p"]) == ["p", "a2"]
    group = members("a2: t, p: t, c: t", owned="a2: t0 t1, p: t2 t3")
    computed = ASSIGNORS["sticky"](group, {"t": 4})
    assert with_sorted_partitions(computed) == assignment("a2: t0, p: t2 t3, c: t1")
