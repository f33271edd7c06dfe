"""Which partitions moved, how even the assignment is, and what another assignor would have assigned."""

from typing import Any

import pytest
from support.coordinator_logs import (
    TOPIC_ID,
    classic,
    epoch,
    joined,
    member,
    record,
    replayed,
    replayed_after,
    target,
    target_of,
    tombstone,
)

from kafka_telemetry.groups.coordinator import group_balance
from kafka_telemetry.groups.coordinator.replay import ReplayedDay

Moves = dict[tuple[int, str], list[tuple[str, int, str]]]


def moves(day: ReplayedDay) -> Moves:
    """(generation, member) -> partitions that moved to it, with their last owner; members without any are left out."""
    return {
        (row["generation"], row["member_id"]): [
            (moved["topic"], moved["partition_id"], moved["from_member_id"]) for moved in row["moved"]
        ]
        for row in day.members
        if row["moved"]
    }


def by_generation(day: ReplayedDay, *columns: str) -> dict[int, tuple[Any, ...]]:
    return {
        row["generation"]: tuple(row.get(name) for name in columns)
        for row in day.generations
        if row.get("generation") is not None
    }


def subscribes(name: str, topics: dict[str, list[int]], *, owned: dict[str, list[int]] | None = None) -> dict[str, Any]:
    """A member with several topics: it subscribes to all of them, and may still own partitions while it joins."""

    def values(partitions: dict[str, list[int]]) -> list[dict[str, Any]]:
        return [{"topic": topic, "partitions": numbers} for topic, numbers in partitions.items() if numbers]

    return {
        **member(name),
        "subscription": {"topics": list(topics), "ownedPartitions": values(owned or {})},
        "assignment": {"assignedPartitions": values(topics)},
    }


def what_if(day: ReplayedDay, generation: int) -> dict[str, tuple[Any, ...]]:
    (columns,) = by_generation(day, "what_if")[generation]
    return {
        row["assignor"]: (row["is_actual"], row["spread"], row["idle_members"], row["partitions_moved"])
        for row in columns["assignors"]
    }


def test_a_partition_has_moved_if_another_member_owned_it_last() -> None:
    day = replayed(classic(1, member("a", 0, 1)), classic(2, member("a", 0), member("b", 1, 2)))
    assert moves(day) == {(2, "b"): [("t", 1, "a")]}
    assert [row["moved"] for row in day.members if row["generation"] == 1] == [[]]
    assert by_generation(day, "partitions_assigned", "partitions_moved", "partitions_moved_minimum") == {
        1: (2, 0, 0),
        2: (3, 1, 0),
    }


def test_the_last_owner_may_be_in_any_earlier_generation() -> None:
    day = replayed(
        classic(1, member("a", 0), member("b", 1)),
        *(classic(2, member("b", 1)), classic(3)),
        classic(4, member("c", 0), member("b", 1)),
    )
    assert moves(day) == {(4, "c"): [("t", 0, "a")]}
    # The third generation has no members.
    assert by_generation(day, "partitions_assigned", "balance", "what_if")[3] == (None, None, None)


def test_partitions_of_a_static_member_that_returns_have_not_moved() -> None:
    day = replayed(
        classic(1, member("old", 0, instance="i"), member("b", 1, instance="j")),
        classic(2, member("new", 0, instance="i"), member("b", 1, instance="j")),
        classic(3, member("newer", 1, instance="i"), member("b", 0, instance="j")),
    )
    assert moves(day) == {(3, "newer"): [("t", 1, "b")], (3, "b"): [("t", 0, "new")]}
    assert by_generation(day, "partitions_moved", "partitions_moved_minimum") == {1: (0, 0), 2: (0, 0), 3: (2, 0)}
    # A sticky assignor recognizes it.
    assert what_if(day, 2)["sticky"] == (False, 0, 0, 0)


def test_targets_of_an_epoch_move_and_an_epoch_without_a_target_moves_nothing() -> None:
    day = replayed(
        *(joined("a"), epoch(2), target("a", 0, 1), target_of(2)),
        *(joined("b"), epoch(3)),
        *(joined("c"), epoch(4), target("a"), target("b", 0), target("c", 1), target_of(4)),
    )
    assert moves(day) == {(4, "b"): [(TOPIC_ID, 0, "a")], (4, "c"): [(TOPIC_ID, 1, "a")]}
    assert [row["moved"] for row in day.members if row["generation"] == 3] == [None, None]
    assert by_generation(day, "partitions_assigned", "partitions_moved") == {2: (2, 0), 3: (None, None), 4: (2, 2)}


def test_the_default_assignor_of_the_broker_is_uniform() -> None:
    day = replayed(
        record(4, {"topics": [{"topicId": TOPIC_ID, "topicName": "t"}]}),
        *(joined("a"), epoch(2), target("a", 0, 1), target_of(2)),
        # The epoch has no target yet; its members and the topic are known.
        *(joined("b"), epoch(3)),
    )
    # What it really assigned is not known yet.
    assert what_if(day, 3)["uniform"] == (True, None, None, None)
    assert what_if(day, 3)["range"] == (False, 0, 0, 1)
    assert by_generation(day, "balance", "partitions_moved_minimum", "spread_possible")[3] == (None, None, 0)


def test_the_row_of_the_assignor_in_use_contains_what_was_really_assigned() -> None:
    # By range, c2 would have t2.
    by_hand = subscribes("c1", {"t": [0]}), subscribes("c2", {"t": [1, 2]})
    day = replayed(classic(1, *by_hand))
    assert what_if(day, 1)["range"] == (True, 1, 0, 0)
    [(columns,)] = by_generation(day, "what_if").values()
    assert [row["owners"] for row in columns["assignors"] if row["is_actual"]] == [[0, 1, 1]]


def test_a_simulation_starts_from_what_the_generation_before_assigned() -> None:
    # Nobody owns t1 when the third generation begins, although a was the last to own it.
    day = replayed(
        classic(1, subscribes("a", {"t": [0, 1]}), subscribes("b", {"t": [2]})),
        classic(2, subscribes("a", {"t": [0]}), subscribes("b", {"t": [2]})),
        classic(3, subscribes("a", {"t": [0]}), subscribes("b", {"t": [1, 2]})),
    )
    [(columns,)] = [row for number, row in by_generation(day, "what_if").items() if number == 3]
    sticky = next(row for row in columns["assignors"] if row["assignor"] == "sticky")
    assert sticky["owners"] == [0, 0, 1]
    # Also after midnight.
    days = replayed_after(
        [classic(1, member("a", 0, 1)), classic(2, member("a", 0))], [classic(3, member("a", 0), member("b", 1))]
    )
    assert what_if(days, 3)["cooperative-sticky"] == (False, 0, 0, 1)


def test_cooperative_sticky_withholds_a_partition_until_its_owner_has_revoked_it() -> None:
    day = replayed(
        classic(1, subscribes("a", {"t": [0, 1]})), classic(2, subscribes("a", {"t": [0]}), subscribes("b", {"t": [1]}))
    )
    [(columns,)] = [row for number, row in by_generation(day, "what_if").items() if number == 2]
    rows = {row["assignor"]: (row["owners"], row["partitions_withheld"]) for row in columns["assignors"]}
    assert (rows["sticky"], rows["cooperative-sticky"]) == (([0, 1], 0), ([0, None], 1))
    assert what_if(day, 2)["sticky"] == (False, 0, 0, 1)
    assert what_if(day, 2)["cooperative-sticky"] == (False, 1, 0, 0)


def test_assignors_are_not_run_while_a_topic_has_no_name() -> None:
    day = replayed(joined("a"), epoch(2), target("a", 0, 1), target_of(2))
    assert by_generation(day, "partitions_assigned", "what_if", "spread_possible") == {2: (2, None, None)}


def test_becoming_a_kip_848_group_moves_nothing() -> None:
    at = {"recorded_at": 5}
    day = replayed(
        record(4, {"topics": [{"topicId": TOPIC_ID, "topicName": "t"}]}),
        classic(4, member("a", 0), member("b", 1)),
        *(tombstone(2, **at), joined("a", **at), joined("b", **at), epoch(4, **at), target("a", 0), target("b", 1)),
        *(target_of(4), joined("c"), epoch(5), target("a", 0), target("c", 1), target("b"), target_of(5)),
    )
    assert moves(day) == {(5, "c"): [("t", 1, "b")]}


def test_nothing_moves_from_an_earlier_incarnation() -> None:
    day = replayed(classic(1, member("a", 0)), classic(2), tombstone(2), classic(1, member("b", 0)))
    assert moves(day) == {}


def test_last_owners_are_known_on_the_next_day() -> None:
    day = replayed_after([classic(1, member("a", 0)), classic(2, member("c", 1))], [classic(3, member("b", 0, 1))])
    assert moves(day) == {(3, "b"): [("t", 0, "a"), ("t", 1, "c")]}
    # The current generation continues after midnight: partitions that had moved to a static member are moved when it
    # returns.
    static = classic(2, member("old", 0, instance="i")), classic(2, member("new", 0, instance="i"))
    assert moves(replayed_after([classic(1, member("a", 0)), static[0]], [static[1]])) == {(2, "new"): [("t", 0, "a")]}


def test_range_is_two_apart_where_roundrobin_is_even() -> None:
    both = {"t1": [0, 1], "t2": [0, 1]}, {"t1": [2], "t2": [2]}
    day = replayed(classic(1, subscribes("c1", both[0]), subscribes("c2", both[1])))
    [(balanced, possible)] = by_generation(day, "balance", "spread_possible").values()
    assert (balanced["fewest"], balanced["most"], possible) == (2, 4, 0)
    assert what_if(day, 1)["range"] == (True, 2, 0, 0)
    assert what_if(day, 1)["roundrobin"] == (False, 0, 0, 0)
    [(columns,)] = by_generation(day, "what_if").values()
    assert columns["topics"] == [{"topic": "t1", "partitions": 3}, {"topic": "t2", "partitions": 3}]
    assert {row["assignor"]: row["owners"] for row in columns["assignors"]} == {
        "range": [0, 0, 1, 0, 0, 1],
        "roundrobin": [0, 1, 0, 1, 0, 1],
        "sticky": [0, 1, 0, 1, 0, 1],
        "cooperative-sticky": [0, 1, 0, 1, 0, 1],
        "uniform": [0, 1, 0, 1, 0, 1],
    }


def test_no_member_is_idle_while_a_cooperative_generation_withholds_partitions() -> None:
    day = replayed(
        classic(1, subscribes("a", {"t": [0, 1]})),
        classic(2, subscribes("a", {"t": [0]}, owned={"t": [0, 1]}), subscribes("b", {"t": []})),
        classic(3, subscribes("a", {"t": [0]}, owned={"t": [0]}), subscribes("b", {"t": [1]})),
        classic(4, subscribes("a", {"t": [0, 1]}, owned={"t": [0]}), subscribes("b", {"t": []})),
    )
    balances = {number: balance for number, (balance,) in by_generation(day, "balance").items()}
    assert {number: (balance["withheld"], balance["idle_members"]) for number, balance in balances.items()} == {
        1: (0, 0),
        2: (1, 0),
        3: (0, 0),
        4: (0, 1),
    }
    assert moves(day) == {(3, "b"): [("t", 1, "a")], (4, "a"): [("t", 1, "b")]}


def test_an_assignment_with_two_owners_of_a_partition_has_no_balance() -> None:
    day = replayed(classic(1, member("a", 0), member("b", 0)))
    assert by_generation(day, "balance", "partitions_assigned", "partitions_moved_minimum") == {1: (None, None, None)}


@pytest.mark.parametrize("number", [-1, 2_000_000_000])
def test_a_partition_number_that_no_topic_can_have_does_not_stop_the_replay(number: int) -> None:
    day = replayed(classic(1, member("a", number)), classic(2, member("b", 0)))
    assert by_generation(day, "what_if") == {1: (None,), 2: (None,)}


def test_groups_without_owners_have_no_balance() -> None:
    share = record(10, {"clientId": "c", "subscribedTopicNames": ["t"]}, member_id="a")
    day = replayed(share, record(11, {"epoch": 2}))
    assert by_generation(day, "balance", "what_if", "partitions_assigned") == {2: (None, None, None)}
    assert [row["moved"] for row in day.members] == [None]


def test_assignors_are_not_run_beyond_the_maximum_cost_of_a_group_and_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_balance, "MAX_COST", 5)
    day = replayed(classic(1, member("a", 0, 1)), classic(2, member("b", 0, 1)))
    columns = by_generation(day, "partitions_moved", "partitions_moved_minimum", "spread_possible", "what_if")
    assert columns[2] == (2, None, None, None)
    assert columns[1][:3] == (0, 0, 0)
    assert columns[1][3] is not None
