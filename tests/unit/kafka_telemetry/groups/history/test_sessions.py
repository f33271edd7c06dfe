"""When sessions begin, how they end, and which member is next."""

import pytest
from support.history_events import SECOND, broker, client, completes, joins, next_day, one_day, recorded, session_ends

from kafka_telemetry.groups.history.group_history import GroupHistory
from kafka_telemetry.groups.history.member_ids import prefix_of
from kafka_telemetry.groups.history.recorded_generation import MemberIdentity

UUID = "1f2e3d4c-0a1b-4c2d-8e3f-0123456789ab"
OTHER = "9a8b7c6d-0a1b-4c2d-8e3f-0123456789ab"


@pytest.mark.parametrize(
    ("event", "fields", "expected"),
    [
        ("member_left", {"reason": "member_left"}, "left"),
        ("member_left", {"reason": "poll_interval"}, "poll_interval"),
        ("member_expired", {}, "session_timeout"),
        ("member_evicted", {}, "rebalance_timeout"),
        ("sync_timed_out", {}, "rebalance_timeout"),
        ("group_deleted", {}, "group_removed"),
    ],
)
def test_a_session_ends_as_the_coordinator_logs_it(event: str, fields: dict[str, str], expected: str) -> None:
    assert session_ends(one_day(joins(1, "a", 0), completes(2, 1, 1), broker(5, event, "a", **fields))) == [
        ("a", expected)
    ]


def test_members_that_did_not_rejoin_are_named_in_one_line() -> None:
    removed = broker(5, "members_not_rejoined", details={"removed": "a, b"})
    assert ("a", "rebalance_timeout") in session_ends(one_day(joins(1, "a", 0), joins(1, "b", 0), removed))
    assert ("b", "rebalance_timeout") in session_ends(one_day(joins(1, "a", 0), joins(1, "b", 0), removed))


def test_a_client_that_stopped_polling_logs_the_reason_where_the_broker_does_not() -> None:
    day = one_day(
        *(broker(1, "member_joined", "m", client_id="c"), broker(5, "member_left", "m", reason="member_left")),
        client(5.2, "poll_timeout", client_id="c", reason="poll_interval"),
    )
    assert session_ends(day) == [("m", "poll_interval")]


def test_a_static_member_that_was_taken_over_is_replaced_or_fenced_if_it_sent_another_request() -> None:
    replaced = broker(5, "static_member_replaced", instance_id="i", details={"old_member_id": "old"})
    fenced = broker(6, "member_fenced", "old", instance_id="i")
    joined = broker(1, "static_member_joined", "old", instance_id="i")
    assert session_ends(one_day(joined, replaced)) == [("old", "replaced")]
    assert session_ends(one_day(joined, replaced, fenced)) == [("old", "fenced")]


def test_a_member_missing_from_the_next_generation_ended_in_an_unknown_way() -> None:
    day = one_day(records=(recorded(2, 1, "a", "b"), recorded(7, 2, "a")))
    assert session_ends(day) == [("a", "still_member"), ("b", None)]
    assert [(row["member_id"], row["ended_at"], row["generations"]) for row in day.sessions] == [
        ("a", None, 2),
        ("b", 7_000_000, 1),
    ]


@pytest.mark.parametrize(("host", "next_host"), [(None, "/h"), ("/h", None), (None, None)])
def test_a_host_that_no_source_contains_fits_any_host(host: str | None, next_host: str | None) -> None:
    day = one_day(
        *(broker(5, "member_left", "a1"),),
        records=(
            recorded(2, 1, "a1", identities={"a1": MemberIdentity("a", host)}),
            recorded(7, 2, "a2", identities={"a2": MemberIdentity("a", next_host)}),
        ),
    )
    assert [row["next_member_id"] for row in day.sessions if row["member_id"] == "a1"] == ["a2"]


def test_the_next_member_is_found_by_instance_or_else_by_client_and_host() -> None:
    restarted = {"a1": MemberIdentity("a", "/h"), "other": MemberIdentity("a", "/elsewhere")}
    day = one_day(
        *(broker(5, "member_left", "a1"),),
        records=(
            recorded(2, 1, "a1", "other", identities=restarted),
            recorded(7, 2, "other", "a2", identities={**restarted, "a2": MemberIdentity("a", "/h")}),
        ),
    )
    assert [(row["member_id"], row["next_member_id"]) for row in day.sessions] == [
        ("a1", "a2"),
        ("other", None),
        ("a2", None),
    ]


def test_an_open_session_continues_on_the_next_day() -> None:
    first = GroupHistory()
    first.add_day([*joins(1, "a", 0), *completes(2, 1, 1)], ())
    second = next_day(first, [broker(90_000, "member_left", "a")])
    assert [(row["joined_at"], row["ended_at"], row["ended_by"]) for row in second.sessions] == [
        (1_000_000, 90_000_000_000, "left")
    ]


def test_a_rebalance_that_began_before_midnight_is_a_row_of_the_day_on_which_it_ends() -> None:
    first = GroupHistory()
    assert first.add_day(joins(86_399, "a", 0), ()).rebalances == []
    [row] = next_day(first, completes(86_401, 1, 1)).rebalances
    assert (row["started_at"], row["completed_at"]) == (86_399_010_000, 86_401_500_000)


def test_the_id_of_a_dynamic_member_begins_with_its_client_id() -> None:
    assert prefix_of(f"my-app-1-{UUID}") == "my-app-1"
    assert prefix_of("AbC-dEf_ghiJKLmnopqrst") is None
    assert prefix_of(None) is None


def test_ids_in_a_list_may_hold_blanks_and_brackets() -> None:
    one, two = f"in group [a, b] c-{UUID}", f"цикл 7-{UUID}"
    removed = broker(5, "members_not_rejoined", details={"removed": f"{one}, {two}"})
    assert session_ends(one_day(joins(1, one, 0), joins(1, two, 0), removed)) == [
        (one, "rebalance_timeout"), (two, "rebalance_timeout"),
    ]  # fmt: skip


def test_the_next_rebalance_names_members_that_did_not_sync_in_time() -> None:
    one, two = f"a-{UUID}", f"b-{UUID}"
    removed = broker(
        5, "preparing_rebalance", generation=1, reason="sync_timeout", details={"member_ids": f"{one}, {two}"}
    )
    day = one_day(joins(1, one, 0), joins(1, two, 0), joins(1, "c", 0), completes(2, 1, 3), removed)
    assert session_ends(day) == [(one, "rebalance_timeout"), (two, "rebalance_timeout"), ("c", "still_member")]


def test_a_member_that_returns_at_once_under_its_id_has_two_sessions() -> None:
    day = one_day(
        *(broker(1, "member_joined", "v"), broker(1, "epoch_bumped", generation=2, details={"metadata_hash": "7"})),
        client(5, "poll_timeout", client_id="app", reason="poll_interval"),
        *(broker(5, "member_left", "v", client_id="app", reason="member_left"),),
        broker(5, "epoch_bumped", generation=3, details={"metadata_hash": "7"}),
        *(broker(8, "member_joined", "v"), broker(8, "epoch_bumped", generation=4, details={"metadata_hash": "7"})),
        *(broker(20, "member_left", "v"), broker(20, "epoch_bumped", generation=5, details={"metadata_hash": "0"})),
    )
    assert [(row["joined_at"], row["ended_by"]) for row in day.sessions] == [
        (1_000_000, "poll_interval"), (8_000_000, "left"),
    ]  # fmt: skip
    by_topic = one_day(records=(recorded(1, 2, "v", "w"), recorded(5, 3, "w"), recorded(8, 4, "v", "w")))
    assert [(row["member_id"], row["joined_at"], row["generations"]) for row in by_topic.sessions] == [
        ("v", 1_000_000, 1), ("w", 1_000_000, 3), ("v", 8_000_000, 1),
    ]  # fmt: skip


def test_a_rebalance_has_the_reason_of_the_session_that_ended_then() -> None:
    day = one_day(
        *(joins(1, "v", 0), completes(2, 1, 2)),
        client(5, "leave_sent", "v", client_id="app", reason="poll_interval"),
        *(broker(5, "member_left", "v", reason="member_left"),),
        *(broker(5, "preparing_rebalance", "v", generation=1, reason="member_left"), completes(6, 2, 1)),
        *(broker(8, "member_joined", "v"), broker(12, "member_left", "v")),
    )
    assert [row["reason"] for row in day.rebalances] == ["member_joined", "poll_interval"]


def test_a_client_logs_that_it_was_fenced_and_its_successor_is_a_member() -> None:
    old, new = f"pod-{UUID}", f"pod-{OTHER}"
    named = {"client_id": "app", "instance_id": "pod", "generation": 1}
    day = one_day(
        client(1, "joined", old, **named),
        client(5, "joined", new, **named),
        client(6, "heartbeat_failed", old, **named, details={"error": "FENCED_INSTANCE_ID"}),
        client(6, "member_fenced", client_id="app", instance_id="pod"),
    )
    assert session_ends(day) == sorted([(old, "fenced"), (new, "still_member")])


def test_a_static_member_under_a_new_id_that_no_line_names_joined_when_it_took_over() -> None:
    first, second = f"pod-{UUID}", f"pod-{OTHER}"
    replaced = broker(5, "static_member_replaced", instance_id="pod", details={"old_member_id": first})
    day = one_day(
        broker(1, "static_member_joined", first, instance_id="pod"), replaced, broker(9, "member_expired", second)
    )
    assert [(row["member_id"], row["joined_at"], row["ended_by"], row["instance_id"]) for row in day.sessions] == [
        (first, 1_000_000, "replaced", "pod"),
        (second, 5_000_000, "session_timeout", "pod"),
    ]


def test_generations_of_a_session_are_counted_by_any_source_and_are_null_without_one() -> None:
    by_broker = one_day(joins(1, "a", 0), completes(2, 1, 1), joins(5, "b", 1), completes(6, 2, 2))
    assert [(row["member_id"], row["generations"]) for row in by_broker.sessions] == [("a", 2), ("b", 1)]
    by_client = one_day(client(1, "joined", "a", generation=1), client(2, "synced", "a", generation=1))
    assert [row["generations"] for row in by_client.sessions] == [1]
    assert [row["generations"] for row in one_day(broker(5, "member_left", "a")).sessions] == [None]


def test_a_poll_timeout_does_not_explain_the_leave_of_a_later_member_of_the_client() -> None:
    day = one_day(
        joins(0, "c-old", 0),
        completes(1, 1, 1),
        client(5, "leave_sent", "c-old", client_id="c", reason="poll_interval"),
        broker(6, "member_joined", "c-new", client_id="c", reason="member_joined"),
        broker(8, "member_left", "c-new", client_id="c", reason="member_left"),
    )
    assert session_ends(day) == [("c-new", "left"), ("c-old", "poll_interval")]


def test_a_client_that_left_before_it_joined_with_its_id_was_no_member() -> None:
    day = one_day(
        joins(0, "a", 0),
        completes(1, 1, 1),
        broker(5, "member_id_assigned", "b"),
        broker(6, "pending_member_left", "b", reason="member_left"),
        client(5.9, "leave_sent", "b", client_id="b", reason="member_left"),
    )
    assert [row["member_id"] for row in day.sessions] == ["a"]


def test_a_member_of_which_logs_report_only_the_end_joined_by_its_first_record() -> None:
    """Up to 2.7 neither the broker nor the client logs that a member joined while the group prepared."""
    day = one_day(
        joins(1, "a", 0), completes(2, 1, 2), broker(80, "member_left", "b", reason="member_left"),
        records=(recorded(2, 1, "a", "b"),),
    )  # fmt: skip
    assert [
        (row["member_id"], row["joined_at"], row["ended_at"]) for row in day.sessions if row["member_id"] == "b"
    ] == [("b", 2 * SECOND, 80 * SECOND)]


def test_a_member_that_was_fenced_as_it_joined_is_no_next_member() -> None:
    day = one_day(
        *(joins(1, "a", 0), completes(2, 1, 1), broker(10, "member_left", "a", instance_id="i")),
        broker(11, "member_fenced", "refused", instance_id="i", details={"current_member_id": "a"}),
        broker(15, "static_member_joined", "b", instance_id="i"),
    )
    assert {row["member_id"]: row["next_member_id"] for row in day.sessions}.get("a") != "refused"


def test_a_member_that_asked_to_leave_and_was_evicted_was_a_member_until_then() -> None:
    day = one_day(
        *(joins(1, "a", 0), completes(2, 1, 1)),
        *(client(5, "leave_sent", "a", reason="member_left"), broker(40, "member_expired", "a")),
    )
    assert [(row["ended_by"], row["ended_at"]) for row in day.sessions] == [("session_timeout", 40 * SECOND)]
