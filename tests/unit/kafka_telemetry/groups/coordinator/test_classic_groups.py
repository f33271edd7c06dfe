"""Generations and incarnations of classic groups."""

from typing import Any

from support.coordinator_logs import (
    DAY,
    classic,
    epoch,
    generations,
    member,
    owned_partitions,
    record,
    replayed,
    replayed_after,
    tombstone,
)


def test_the_first_record_of_a_generation_has_its_columns_and_every_record_is_counted() -> None:
    day = replayed(classic(1, member("a", 0, 1)), classic(2, member("a", 0), member("b", 1)), classic(3))
    assert generations(day, "incarnation", "generation", "member_count", "previous_generation", "complete") == [
        (1, 1, 1, None, None),
        (1, 2, 2, 1, True),
        (1, 3, 0, 2, True),
    ]
    assert owned_partitions(day) == {1: {"a": [0, 1]}, 2: {"a": [0], "b": [1]}}
    assert len(day.generations) == 3


def test_a_group_that_is_deleted_and_created_again_is_another_incarnation() -> None:
    day = replayed(classic(1, member("a", 0)), classic(2), tombstone(2), classic(1, member("a", 0)))
    assert generations(day, "incarnation", "generation") == [(1, 1), (1, 2), (2, 1)]
    assert len(day.generations) == 4
    assert [(row["incarnation"], row["generation"], row["deleted_at"]) for row in day.groups] == [(2, 1, None)]


def test_a_lower_generation_after_a_hole_starts_an_incarnation() -> None:
    day = replayed(classic(7, member("a", 0)), classic(1, member("a", 0), record_offset=5, holes=1))
    assert generations(day, "incarnation", "generation", "complete") == [(1, 7, None), (2, 1, False)]


def test_a_lower_generation_without_a_hole_has_a_row_and_changes_nothing() -> None:
    day = replayed(classic(7, member("a", 0)), classic(5, member("b", 0)), classic(8))
    assert sorted(generations(day, "generation", "previous_generation")) == [(5, 7), (7, None), (8, 7)]
    assert owned_partitions(day) == {7: {"a": [0]}}


def test_a_group_that_was_deleted_starts_an_incarnation_on_a_later_day() -> None:
    day = replayed_after([classic(3, member("a", 0)), tombstone(2)], [classic(1, member("a", 0))])
    assert generations(day, "incarnation", "generation") == [(2, 1)]


def test_a_lower_generation_after_a_day_with_holes_starts_an_incarnation() -> None:
    first, second = [classic(3, member("a", 0))], [classic(1, member("a", 0))]
    assert generations(replayed_after(first, second, complete=False), "incarnation", "generation") == [(2, 1)]
    assert generations(replayed_after(first, second), "incarnation", "generation", "previous_generation") == [(1, 1, 3)]


def test_a_static_member_that_returns_takes_the_place_of_its_old_id() -> None:
    day = replayed(classic(1, member("old", 0, instance="i")), classic(1, member("new", 0, instance="i")))
    assert owned_partitions(day) == {1: {"new": [0]}}
    assert [row["replaces"] for row in day.members] == [["old"]]
    assert len(day.generations) == 2


def test_a_static_member_that_returns_on_a_later_day_has_a_row_of_that_day() -> None:
    day = replayed_after([classic(1, member("old", 0, instance="i"))], [classic(1, member("new", 0, instance="i"))])
    assert generations(day, "generation") == []
    assert [(row["member_id"], row["replaces"], row["delivered_on"]) for row in day.members] == [
        ("new", ["old"], DAY + 1)
    ]


def test_members_have_the_columns_by_which_rules_compare_them() -> None:
    day = replayed(classic(1, member("a", 0, 1, instance="i"), member("b", 1, instance="i"), member("c")))
    columns = ("member_id", "shared_partitions", "shares_instance", "members_in_generation", "partitions_in_generation")
    assert [tuple(row[name] for name in columns) for row in day.members] == [
        ("a", 1, True, 3, 2),
        ("b", 1, True, 3, 2),
        ("c", 0, None, 3, 2),
    ]


def test_a_generation_of_a_dump_without_members_has_an_unknown_number_of_them() -> None:
    value: dict[str, Any] = {"protocolType": "connect", "generation": 4, "protocol": "sessioned"}
    day = replayed(record(2, value))
    assert generations(day, "generation", "member_count", "assignor") == [(4, None, "sessioned")]


def test_a_copy_that_contradicts_the_log_is_counted_and_not_replayed() -> None:
    day = replayed(classic(1, member("a", 0)), classic(9, member("b", 0))._replace(contradicted=True))
    assert [row["contradicted"] for row in day.generations] == [True, False]
    assert owned_partitions(day) == {1: {"a": [0]}}


def test_a_deleted_group_is_forgotten_after_more_than_a_year() -> None:
    day = replayed(classic(1, member("a", 0), recorded_at=0), tombstone(2, recorded_at=1_000))
    assert day.groups == []


def test_a_group_keeps_the_subscription_of_its_last_generation_with_members() -> None:
    other = {**member("b"), "subscription": {"topics": ["t", "u"], "ownedPartitions": []}}
    silent = {**member("c"), "subscription": None}
    subscribed = [
        [row["subscribed_topics"] for row in replayed(*log).groups]
        for log in (
            [classic(1, member("a", 0), other)],
            [classic(1, member("a", 0), other), classic(2)],
            [classic(1, other), classic(2, member("a", 0)), classic(3)],
            [classic(1, member("a", 0), silent), classic(2)],
            [classic(1, member("a", 0)), classic(2), tombstone(2), classic(1)],
        )
    ]
    assert subscribed == [[["t", "u"]], [["t", "u"]], [["t"]], [None], [None]]
    assert replayed_after([classic(1, other)], [classic(2)]).groups[0]["subscribed_topics"] == ["t", "u"]


def test_a_group_became_empty_when_its_state_changed_and_remembers_it_on_the_next_day() -> None:
    # `classic` writes 1 ms as the time of the change of state.
    log = [classic(1, member("a", 0)), classic(2)]
    assert [row["emptied_at"] for row in replayed(*log[:1]).groups] == [None]
    assert [row["emptied_at"] for row in replayed(*log).groups] == [1000]
    assert [row["emptied_at"] for row in replayed_after(log, []).groups] == [1000]
    assert [row["emptied_at"] for row in replayed(*log, tombstone(2)).groups] == [None]
    # An epoch has only the time of its record.
    assert [row["emptied_at"] for row in replayed(epoch(2, recorded_at=77)).groups] == [77]
