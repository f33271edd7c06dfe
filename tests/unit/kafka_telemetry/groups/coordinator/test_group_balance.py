"""What moved from whom, how even it is, and what another assignor would have given."""

from typing import Any

import pytest
from support.coordinator_logs import (
    TOPIC_ID,
    classic,
    epoch,
    followed,
    gone,
    in_two_days,
    joined,
    member,
    record,
    target,
    target_of,
)

from kafka_telemetry.groups.coordinator import group_balance
from kafka_telemetry.groups.coordinator.replay import Followed

Moves = dict[tuple[int, str], list[tuple[str, int, str]]]


def moves(told: Followed) -> Moves:
    """(generation, member) -> what it got from another; members that got nothing are left out."""
    return {
        (row["generation"], row["member_id"]): [
            (of["topic"], of["partition_id"], of["from_member_id"]) for of in row["moved"]
        ]
        for row in told.member
        if row["moved"]
    }


def told_of(told: Followed, *columns: str) -> dict[int, tuple[Any, ...]]:
    return {
        row["generation"]: tuple(row.get(name) for name in columns)
        for row in told.generation
        if row.get("generation") is not None
    }


def wants(name: str, topics: dict[str, list[int]], *, had: dict[str, list[int]] | None = None) -> dict[str, Any]:
    """A member of a group with several topics: it subscribes to all that are named, and may hold some while it joins."""

    def told(of: dict[str, list[int]]) -> list[dict[str, Any]]:
        return [{"topic": topic, "partitions": numbers} for topic, numbers in of.items() if numbers]

    return {
        **member(name),
        "subscription": {"topics": list(topics), "ownedPartitions": told(had or {})},
        "assignment": {"assignedPartitions": told(topics)},
    }


def what_if(told: Followed, generation: int) -> dict[str, tuple[Any, ...]]:
    (found,) = told_of(told, "what_if")[generation]
    return {
        of["assignor"]: (of["is_actual"], of["spread"], of["idle_members"], of["partitions_moved"])
        for of in found["assignors"]
    }


def test_what_another_member_had_last_is_moved_and_what_nobody_had_is_not() -> None:
    told = followed(classic(1, member("a", 0, 1)), classic(2, member("a", 0), member("b", 1, 2)))
    assert moves(told) == {(2, "b"): [("t", 1, "a")]}
    assert [row["moved"] for row in told.member if row["generation"] == 1] == [[]]
    assert told_of(told, "partitions_assigned", "partitions_moved", "partitions_moved_minimum") == {
        1: (2, 0, 0),
        2: (3, 1, 0),
    }


def test_the_last_owner_is_that_of_any_earlier_generation() -> None:
    told = followed(
        classic(1, member("a", 0), member("b", 1)),
        *(classic(2, member("b", 1)), classic(3)),
        classic(4, member("c", 0), member("b", 1)),
    )
    assert moves(told) == {(4, "c"): [("t", 0, "a")]}
    # Nobody is in the third.
    assert told_of(told, "partitions_assigned", "balance", "what_if")[3] == (None, None, None)


def test_a_static_member_that_comes_back_gets_nothing_that_was_another_s() -> None:
    told = followed(
        classic(1, member("old", 0, instance="i"), member("b", 1, instance="j")),
        classic(2, member("new", 0, instance="i"), member("b", 1, instance="j")),
        classic(3, member("newer", 1, instance="i"), member("b", 0, instance="j")),
    )
    assert moves(told) == {(3, "newer"): [("t", 1, "b")], (3, "b"): [("t", 0, "new")]}
    assert told_of(told, "partitions_moved", "partitions_moved_minimum") == {1: (0, 0), 2: (0, 0), 3: (2, 0)}
    # A sticky assignor knows it again.
    assert what_if(told, 2)["sticky"] == (False, 0, 0, 0)


def test_targets_of_an_epoch_move_and_an_epoch_without_a_target_moves_nothing() -> None:
    told = followed(
        *(joined("a"), epoch(2), target("a", 0, 1), target_of(2)),
        *(joined("b"), epoch(3)),
        *(joined("c"), epoch(4), target("a"), target("b", 0), target("c", 1), target_of(4)),
    )
    assert moves(told) == {(4, "b"): [(TOPIC_ID, 0, "a")], (4, "c"): [(TOPIC_ID, 1, "a")]}
    assert [row["moved"] for row in told.member if row["generation"] == 3] == [None, None]
    assert told_of(told, "partitions_assigned", "partitions_moved") == {2: (2, 0), 3: (None, None), 4: (2, 2)}


def test_what_the_broker_computes_by_default_is_uniform() -> None:
    told = followed(
        record(4, {"topics": [{"topicId": TOPIC_ID, "topicName": "t"}]}),
        *(joined("a"), epoch(2), target("a", 0, 1), target_of(2)),
        # Its target is still to come; the members and the topic are known.
        *(joined("b"), epoch(3)),
    )
    assert what_if(told, 3)["uniform"] == (True, 0, 0, 1)
    assert what_if(told, 3)["range"] == (False, 0, 0, 1)
    assert told_of(told, "balance", "partitions_moved_minimum", "spread_possible")[3] == (None, None, 0)


def test_a_topic_without_a_name_can_be_compared_with_no_subscription() -> None:
    told = followed(joined("a"), epoch(2), target("a", 0, 1), target_of(2))
    assert told_of(told, "partitions_assigned", "what_if", "spread_possible") == {2: (2, None, None)}


def test_becoming_a_kip_848_group_moves_nothing() -> None:
    at = {"recorded_at": 5}
    told = followed(
        record(4, {"topics": [{"topicId": TOPIC_ID, "topicName": "t"}]}),
        classic(4, member("a", 0), member("b", 1)),
        *(gone(2, **at), joined("a", **at), joined("b", **at), epoch(4, **at), target("a", 0), target("b", 1)),
        *(target_of(4), joined("c"), epoch(5), target("a", 0), target("c", 1), target("b"), target_of(5)),
    )
    assert moves(told) == {(5, "c"): [("t", 1, "b")]}


def test_another_incarnation_owes_nothing_to_the_one_before() -> None:
    told = followed(classic(1, member("a", 0)), classic(2), gone(2), classic(1, member("b", 0)))
    assert moves(told) == {}


def test_last_owners_are_known_after_midnight() -> None:
    told = in_two_days([classic(1, member("a", 0)), classic(2, member("c", 1))], [classic(3, member("b", 0, 1))])
    assert moves(told) == {(3, "b"): [("t", 0, "a"), ("t", 1, "c")]}
    # The generation that stood at midnight goes on: a static member that comes back in it has what moved to it before.
    static = classic(2, member("old", 0, instance="i")), classic(2, member("new", 0, instance="i"))
    assert moves(in_two_days([classic(1, member("a", 0)), static[0]], [static[1]])) == {(2, "new"): [("t", 0, "a")]}


def test_the_books_range_is_two_apart_where_roundrobin_is_even() -> None:
    both = {"t1": [0, 1], "t2": [0, 1]}, {"t1": [2], "t2": [2]}
    told = followed(classic(1, wants("c1", both[0]), wants("c2", both[1])))
    [(balanced, possible)] = told_of(told, "balance", "spread_possible").values()
    assert (balanced["fewest"], balanced["most"], possible) == (2, 4, 0)
    assert what_if(told, 1)["range"] == (True, 2, 0, 0)
    assert what_if(told, 1)["roundrobin"] == (False, 0, 0, 0)
    [(found,)] = told_of(told, "what_if").values()
    assert found["topics"] == [{"topic": "t1", "partitions": 3}, {"topic": "t2", "partitions": 3}]
    assert {of["assignor"]: of["owners"] for of in found["assignors"]} == {
        "range": [0, 0, 1, 0, 0, 1],
        "roundrobin": [0, 1, 0, 1, 0, 1],
        "sticky": [0, 1, 0, 1, 0, 1],
        "cooperative-sticky": [0, 1, 0, 1, 0, 1],
        "uniform": [0, 1, 0, 1, 0, 1],
    }


def test_nobody_is_idle_while_a_cooperative_generation_withholds_partitions() -> None:
    told = followed(
        classic(1, wants("a", {"t": [0, 1]})),
        classic(2, wants("a", {"t": [0]}, had={"t": [0, 1]}), wants("b", {"t": []})),
        classic(3, wants("a", {"t": [0]}, had={"t": [0]}), wants("b", {"t": [1]})),
        classic(4, wants("a", {"t": [0, 1]}, had={"t": [0]}), wants("b", {"t": []})),
    )
    found = {number: of for number, (of,) in told_of(told, "balance").items()}
    assert {number: (of["withheld"], of["idle_members"]) for number, of in found.items()} == {
        1: (0, 0),
        2: (1, 0),
        3: (0, 0),
        4: (0, 1),
    }
    assert moves(told) == {(3, "b"): [("t", 1, "a")], (4, "a"): [("t", 1, "b")]}


def test_a_partition_with_two_owners_is_not_weighed() -> None:
    told = followed(classic(1, member("a", 0), member("b", 0)))
    assert told_of(told, "balance", "partitions_assigned", "partitions_moved_minimum") == {1: (None, None, None)}


@pytest.mark.parametrize("number", [-1, 2_000_000_000])
def test_a_partition_that_no_topic_can_have_keeps_no_day_from_being_made(number: int) -> None:
    told = followed(classic(1, member("a", number)), classic(2, member("b", 0)))
    assert told_of(told, "what_if") == {1: (None,), 2: (None,)}


def test_groups_without_owners_have_no_balance() -> None:
    share = record(10, {"clientId": "c", "subscribedTopicNames": ["t"]}, member_id="a")
    told = followed(share, record(11, {"epoch": 2}))
    assert told_of(told, "balance", "what_if", "partitions_assigned") == {2: (None, None, None)}
    assert [row["moved"] for row in told.member] == [None]


def test_no_more_is_computed_of_a_group_s_day_than_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_balance, "MOST_WORK", 5)
    told = followed(classic(1, member("a", 0, 1)), classic(2, member("b", 0, 1)))
    found = told_of(told, "partitions_moved", "partitions_moved_minimum", "spread_possible", "what_if")
    assert found[2] == (2, None, None, None)
    assert found[1][:3] == (0, 0, 0)
    assert found[1][3] is not None
