"""Generations and incarnations of classic groups."""

from typing import Any

from support.coordinator_logs import DAY, classic, followed, generations, gone, in_two_days, member, owners, record


def test_every_first_record_of_a_generation_tells_it_and_every_record_is_counted() -> None:
    told = followed(classic(1, member("a", 0, 1)), classic(2, member("a", 0), member("b", 1)), classic(3))
    assert generations(told, "incarnation", "generation", "member_count", "previous_generation", "complete") == [
        (1, 1, 1, None, None),
        (1, 2, 2, 1, True),
        (1, 3, 0, 2, True),
    ]
    assert owners(told) == {1: {"a": [0, 1]}, 2: {"a": [0], "b": [1]}}
    assert len(told.generation) == 3


def test_a_group_deleted_and_made_again_is_another_incarnation() -> None:
    told = followed(classic(1, member("a", 0)), classic(2), gone(2), classic(1, member("a", 0)))
    assert generations(told, "incarnation", "generation") == [(1, 1), (1, 2), (2, 1)]
    assert len(told.generation) == 4
    assert [(row["incarnation"], row["generation"], row["deleted_at"]) for row in told.group] == [(2, 1, None)]


def test_a_generation_that_falls_across_a_hole_starts_an_incarnation() -> None:
    told = followed(classic(7, member("a", 0)), classic(1, member("a", 0), record_offset=5, holes=1))
    assert generations(told, "incarnation", "generation", "complete") == [(1, 7, None), (2, 1, False)]


def test_a_generation_that_falls_without_a_hole_is_told_as_falling_and_changes_nothing() -> None:
    told = followed(classic(7, member("a", 0)), classic(5, member("b", 0)), classic(8))
    assert sorted(generations(told, "generation", "previous_generation")) == [(5, 7), (7, None), (8, 7)]
    assert owners(told) == {7: {"a": [0]}}


def test_a_group_that_is_remembered_as_deleted_starts_anew_on_a_later_day() -> None:
    told = in_two_days([classic(3, member("a", 0)), gone(2)], [classic(1, member("a", 0))])
    assert generations(told, "incarnation", "generation") == [(2, 1)]


def test_a_generation_that_falls_after_a_day_that_was_cleaned_starts_an_incarnation() -> None:
    first, second = [classic(3, member("a", 0))], [classic(1, member("a", 0))]
    assert generations(in_two_days(first, second, complete=False), "incarnation", "generation") == [(2, 1)]
    assert generations(in_two_days(first, second), "incarnation", "generation", "previous_generation") == [(1, 1, 3)]


def test_a_static_member_that_comes_back_takes_the_place_of_its_old_id() -> None:
    told = followed(classic(1, member("old", 0, instance="i")), classic(1, member("new", 0, instance="i")))
    assert owners(told) == {1: {"new": [0]}}
    assert [row["replaces"] for row in told.member] == [["old"]]
    assert len(told.generation) == 2


def test_a_static_member_that_comes_back_on_a_later_day_is_told_on_that_day() -> None:
    told = in_two_days([classic(1, member("old", 0, instance="i"))], [classic(1, member("new", 0, instance="i"))])
    assert generations(told, "generation") == []
    assert [(row["member_id"], row["replaces"], row["delivered_on"]) for row in told.member] == [
        ("new", ["old"], DAY + 1)
    ]


def test_members_know_what_the_rules_compare_them_by() -> None:
    told = followed(classic(1, member("a", 0, 1, instance="i"), member("b", 1, instance="i"), member("c")))
    columns = ("member_id", "shared_partitions", "shares_instance", "members_in_generation", "partitions_in_generation")
    assert [tuple(row[name] for name in columns) for row in told.member] == [
        ("a", 1, True, 3, 2),
        ("b", 1, True, 3, 2),
        ("c", 0, None, 3, 2),
    ]


def test_a_poorer_dump_that_prints_no_members_tells_of_none() -> None:
    value: dict[str, Any] = {"protocolType": "connect", "generation": 4, "protocol": "sessioned"}
    told = followed(record(2, value))
    assert generations(told, "generation", "member_count", "assignor") == [(4, None, "sessioned")]


def test_a_copy_that_contradicts_the_log_is_counted_and_not_followed() -> None:
    told = followed(classic(1, member("a", 0)), classic(9, member("b", 0))._replace(contradicted=True))
    assert [row["contradicted"] for row in told.generation] == [True, False]
    assert owners(told) == {1: {"a": [0]}}


def test_a_deleted_group_is_forgotten_after_more_than_a_year() -> None:
    told = followed(classic(1, member("a", 0), recorded_at=0), gone(2, recorded_at=1_000))
    assert told.group == []


def test_a_group_keeps_what_its_last_generation_with_members_subscribed_to() -> None:
    other = {**member("b"), "subscription": {"topics": ["t", "u"], "ownedPartitions": []}}
    silent = {**member("c"), "subscription": None}
    subscribed = [
        [row["subscribed_topics"] for row in followed(*log).group]
        for log in (
            [classic(1, member("a", 0), other)],
            [classic(1, member("a", 0), other), classic(2)],
            [classic(1, other), classic(2, member("a", 0)), classic(3)],
            [classic(1, member("a", 0), silent), classic(2)],
            [classic(1, member("a", 0)), classic(2), gone(2), classic(1)],
        )
    ]
    assert subscribed == [[["t", "u"]], [["t", "u"]], [["t"]], [None], [None]]
    assert in_two_days([classic(1, other)], [classic(2)]).group[0]["subscribed_topics"] == ["t", "u"]
