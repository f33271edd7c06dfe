"""How members came, went, and who came after them."""

import pytest

from spark_jobs.story.story import Story
from spark_jobs.story.told import Who, client_of
from story.lines import broker, client, completes, day, ends, joins, recorded

UUID = "1f2e3d4c-0a1b-4c2d-8e3f-0123456789ab"


@pytest.mark.parametrize(
    ("event", "told", "expected"),
    [
        ("member_left", {"reason": "member_left"}, "left"),
        ("member_left", {"reason": "poll_interval"}, "poll_interval"),
        ("member_expired", {}, "session_timeout"),
        ("member_evicted", {}, "rebalance_timeout"),
        ("sync_timed_out", {}, "rebalance_timeout"),
        ("group_deleted", {}, "group_removed"),
    ],
)
def test_what_the_coordinator_says_ends_a_session(event: str, told: dict[str, str], expected: str) -> None:
    assert ends(day(joins(1, "a", 0), completes(2, 1, 1), broker(5, event, "a", **told))) == [("a", expected)]


def test_members_that_did_not_rejoin_are_named_in_one_line() -> None:
    removed = broker(5, "members_not_rejoined", details={"removed": "Set(a, b)"})
    assert ("a", "rebalance_timeout") in ends(day(joins(1, "a", 0), joins(1, "b", 0), removed))
    assert ("b", "rebalance_timeout") in ends(day(joins(1, "a", 0), joins(1, "b", 0), removed))


def test_a_client_that_stopped_polling_says_why_it_left_where_the_broker_does_not() -> None:
    told = day(
        *(broker(1, "member_joined", "m", client_id="c"), broker(5, "member_left", "m", reason="member_left")),
        client(5.2, "poll_timeout", client_id="c", reason="poll_interval"),
    )
    assert ends(told) == [("m", "poll_interval")]


def test_a_static_member_taken_over_was_replaced_and_fenced_if_it_still_spoke() -> None:
    replaced = broker(5, "static_member_replaced", instance_id="i", details={"old_member_id": "old"})
    fenced = broker(6, "member_fenced", "old", instance_id="i")
    joined = broker(1, "static_member_joined", "old", instance_id="i")
    assert ends(day(joined, replaced)) == [("old", "replaced")]
    assert ends(day(joined, replaced, fenced)) == [("old", "fenced")]


def test_a_member_missing_from_the_next_generation_is_gone_and_nobody_says_how() -> None:
    told = day(told=(recorded(2, 1, "a", "b"), recorded(7, 2, "a")))
    assert ends(told) == [("a", "still_member"), ("b", None)]
    assert [(row["member_id"], row["ended_at"], row["generations"]) for row in told.sessions] == [
        ("a", None, 2),
        ("b", 7_000_000, 1),
    ]


def test_sessions_are_chained_by_instance_else_by_client_and_host() -> None:
    restarted = {"a1": Who("a", "/h"), "other": Who("a", "/elsewhere")}
    told = day(
        *(broker(5, "member_left", "a1"),),
        told=(
            recorded(2, 1, "a1", "other", who=restarted),
            recorded(7, 2, "other", "a2", who={**restarted, "a2": Who("a", "/h")}),
        ),
    )
    assert [(row["member_id"], row["next_member_id"]) for row in told.sessions] == [
        ("a1", "a2"),
        ("other", None),
        ("a2", None),
    ]


def test_an_open_session_goes_on_the_next_day() -> None:
    first = Story()
    first.day([*joins(1, "a", 0), *completes(2, 1, 1)], ())
    second = Story(first.to_json()).day([broker(90_000, "member_left", "a")], ())
    assert [(row["joined_at"], row["ended_at"], row["ended_by"]) for row in second.sessions] == [
        (1_000_000, 90_000_000_000, "left")
    ]


def test_a_rebalance_that_began_before_midnight_is_told_when_it_ends() -> None:
    first = Story()
    assert first.day(joins(86_399, "a", 0), ()).rebalances == []
    [row] = Story(first.to_json()).day(completes(86_401, 1, 1), ()).rebalances
    assert (row["started_at"], row["completed_at"]) == (86_399_010_000, 86_401_500_000)


def test_the_id_of_a_dynamic_member_begins_with_its_client_id() -> None:
    assert client_of(f"my-app-1-{UUID}") == "my-app-1"
    assert client_of("AbC-dEf_ghiJKLmnopqrst") is None
    assert client_of(None) is None
