"""One row per rebalance, whatever sources report it."""

from support.history_events import broker, bumped, client, completes, joins, one_day, rebalances, recorded

from kafka_telemetry.groups.history.log_event import LogEvent
from kafka_telemetry.groups.history.recorded_generation import MemberIdentity

UUID = "6f2c0c1e-5a0b-4b52-9f53-0d3b1f5a7c11"


def test_a_rebalance_starts_at_the_first_preparing_and_is_complete_when_the_assignment_is_received() -> None:
    day = one_day(joins(1, "a", 0), broker(1.5, "preparing_rebalance", "b", generation=0), completes(3, 1, 2))
    assert rebalances(
        day, "generation", "started_at", "stabilized_at", "completed_at", "reason", "trigger_member_id"
    ) == [(1, 1_010_000, 3_000_000, 3_500_000, "member_joined", "a")]


def test_a_rebalance_reported_by_broker_clients_and_topic_is_one_row() -> None:
    day = one_day(
        *(joins(1, "a", 0), completes(3, 1, 1)),
        *(client(3.1, "joined", "a", generation=1), client(3.6, "synced", "a", generation=1)),
        records=(recorded(3, 1, "a"),),
    )
    assert rebalances(day, "generation", "evidence") == [(1, ["broker_log", "client_log", "offsets_topic"])]


def test_a_single_source_leaves_null_what_it_does_not_report() -> None:
    columns = ("generation", "started_at", "completed_at", "reason", "members_after", "evidence")
    assert rebalances(
        one_day(client(3, "joined", "a", generation=2), client(4, "synced", "a", generation=2)), *columns
    ) == [(2, None, 4_000_000, "unknown", None, ["client_log"])]
    assert rebalances(one_day(records=(recorded(3, 2, "a", "b"),)), *columns) == [
        (2, None, 3_100_000, "unknown", 2, ["offsets_topic"])
    ]


def test_a_generation_printed_by_a_console_consumer_has_no_time_and_adds_its_members() -> None:
    nowhere = {"recorded_at": None, "state_at": None, "assigned_at": None}
    day = one_day(joins(0, "a", 0), completes(1, 1, 1), records=(recorded(0, 1, "a", **nowhere), recorded(0, 1, "a", **nowhere)))  # fmt: skip
    assert rebalances(day, "generation", "stabilized_at", "members_after", "evidence") == [
        (1, 1_000_000, 1, ["broker_log", "offsets_topic"])
    ]
    alone = one_day(records=(recorded(0, 1, "a", **nowhere), recorded(0, 2, "a", "b", **nowhere)))
    assert rebalances(alone, "generation", "told_at", "members_before", "members_after") == [
        (1, None, 0, 1),
        (2, None, 1, 2),
    ]


def test_up_to_2_7_the_broker_does_not_log_how_many_members_a_generation_has() -> None:
    lines = [broker(1, "stabilized", generation=1), broker(1.5, "assignment_received", generation=1)]
    day = one_day(joins(0, "a", 0), lines, broker(9, "member_expired", "a", reason="session_timeout"))
    assert rebalances(day, "generation", "completed_at", "members_after") == [(1, 1_500_000, None)]
    assert [row["ended_by"] for row in day.sessions] == ["session_timeout"]


def test_a_generation_without_members_is_no_rebalance() -> None:
    day = one_day(
        joins(1, "a", 0), completes(2, 1, 1), broker(5, "group_emptied", generation=2), records=(recorded(2, 1, "a"),)
    )
    assert rebalances(day, "generation") == [(1,)]


def test_the_leave_line_of_a_member_has_the_more_specific_reason() -> None:
    day = one_day(
        joins(1, "a", 0),
        completes(2, 1, 2),
        broker(9, "member_left", "a", reason="poll_interval", reason_text="consumer poll timeout has expired."),
        broker(9, "preparing_rebalance", "a", generation=1, reason="member_left"),
        completes(10, 2, 1),
    )
    assert rebalances(day, "reason", "reason_text")[1] == ("poll_interval", "consumer poll timeout has expired.")


def test_only_the_leave_line_names_a_static_member_that_an_administrator_removed() -> None:
    day = one_day(
        joins(1, "a", 0),
        completes(2, 1, 2),
        broker(9, "member_left", "a", reason="member_left", reason_text="member was removed by an admin"),
        broker(9, "preparing_rebalance", None, generation=1, reason="member_left", details={"member_ids": ""}),
        completes(10, 2, 1),
    )
    columns = ("reason", "reason_text", "trigger_member_id")
    assert rebalances(day, *columns)[1] == ("member_left", "member was removed by an admin", "a")


def test_a_downgrade_to_the_classic_protocol_has_the_reason_of_the_member_that_ended() -> None:
    day = one_day(
        joins(1, "a", 0),
        completes(2, 1, 2),
        broker(9, "member_expired", "b", reason="session_timeout"),
        broker(9, "preparing_rebalance", None, generation=1, reason="unknown", reason_text="Downgrade group g"),
        completes(10, 2, 1),
    )
    columns = ("reason", "reason_text", "trigger_member_id")
    assert rebalances(day, *columns)[1] == ("session_timeout", "Downgrade group g", "b")


def test_generations_show_which_members_joined_and_departed_and_the_log_shows_how() -> None:
    day = one_day(
        joins(1, "a", 0), joins(1.2, "b", 0), joins(1.3, "c", 0), completes(2, 1, 3),
        broker(5, "member_left", "b", reason="member_left"), broker(6, "member_expired", "c", reason="session_timeout"),
        joins(6.5, "d", 1), completes(7, 2, 2),
        records=(recorded(2, 1, "a", "b", "c"), recorded(7, 2, "a", "d")),
    )  # fmt: skip
    columns = ("members_before", "members_after", "members_joined", "members_left", "members_evicted")
    assert rebalances(day, *columns) == [(0, 3, 3, 0, 0), (3, 2, 1, 1, 1)]


def test_departures_are_null_where_no_log_reports_them() -> None:
    day = one_day(records=(recorded(2, 1, "a", "b"), recorded(7, 2, "a")))
    assert rebalances(day, "members_joined", "members_left", "members_evicted") == [(2, 0, 0), (0, None, None)]


def test_a_static_member_that_returns_neither_joined_nor_left() -> None:
    back = recorded(7, 2, "new", identities={"new": MemberIdentity(instance_id="i", replaces=("old",))})
    day = one_day(records=(recorded(2, 1, "old", identities={"old": MemberIdentity(instance_id="i")}), back))
    assert rebalances(day, "members_joined", "members_left")[1] == (0, 0)


def test_generations_that_no_source_shows_are_unobserved_unless_the_broker_log_shows_both_ends() -> None:
    by_topic = one_day(records=(recorded(2, 1, "a"), recorded(7, 5, "a")))
    assert rebalances(by_topic, "unobserved_before") == [(None,), (3,)]
    by_log = one_day(joins(1, "a", 0), completes(2, 1, 1), joins(6, "b", 4), completes(7, 5, 2))
    assert rebalances(by_log, "unobserved_before") == [(None,), (0,)]


def test_an_epoch_is_caused_by_the_line_before_it_or_else_by_topics_that_changed() -> None:
    day = one_day(
        *(broker(1, "member_joined", "a"), bumped(1.1, 2, "7")),
        bumped(4, 3, "8"),
        *(broker(5, "member_expired", "a", reason="session_timeout"), bumped(5.1, 4, "0")),
    )
    assert rebalances(day, "generation", "reason", "started_at", "completed_at") == [
        (2, "member_joined", 1_100_000, None),
        (3, "subscription_or_topics_changed", 4_000_000, None),
    ]


def test_a_member_that_joins_subscribes_too_and_that_is_one_cause() -> None:
    day = one_day(
        *(broker(1, "member_joined", "a"), broker(1.01, "subscription_updated", "a"), bumped(1.02, 2)),
        *(broker(9, "subscription_updated", "a"), bumped(9.01, 3, "8")),
    )
    assert rebalances(day, "generation", "reason") == [(2, "member_joined"), (3, "subscription_or_topics_changed")]


def test_an_epoch_is_caused_by_a_line_just_before_it_and_not_by_an_older_one() -> None:
    rejoined = broker(5, "member_joined", "a")  # a classic member of such a group is added in every rebalance
    day = one_day(broker(1, "member_joined", "a"), bumped(1.1, 2), rejoined, bumped(60, 3, "8"))
    assert rebalances(day, "generation", "reason", "members_joined") == [
        (2, "member_joined", 1),
        (3, "subscription_or_topics_changed", 0),
    ]


def test_members_of_an_epoch_are_counted_from_the_lines_before_it() -> None:
    day = one_day(
        *(broker(1, "member_joined", "a"), bumped(1, 2), broker(1, "member_joined", "b"), bumped(1, 3)),
        *(broker(5, "member_expired", "a"), bumped(5, 4), broker(6, "member_left", "b"), bumped(6, 5, "0")),
    )
    columns = ("generation", "members_before", "members_after", "members_joined", "members_left", "members_evicted")
    assert rebalances(day, *columns) == [(2, 0, 1, 1, 0, 0), (3, 1, 2, 1, 0, 0), (4, 2, 1, 0, 0, 1)]


def test_a_group_without_topics_has_members_while_they_wait_for_the_topics_of_their_expression() -> None:
    # In 4.1 the first member with a regular expression begins epoch 1 before the broker looks up the topics.
    day = one_day(
        *(broker(1, "member_joined", "a"), bumped(1, 1, "0"), broker(1, "regex_refreshed"), bumped(1, 2)),
        *(broker(8, "member_joined", "b"), bumped(8, 3), broker(9, "member_left", "a"), bumped(9, 4)),
        *(broker(10, "member_left", "b"), bumped(10, 5, "0")),
    )
    assert rebalances(day, "generation", "members_before", "members_after", "members_joined", "members_left") == [
        (1, 0, 1, 1, 0),
        (2, 1, 1, 0, 0),
        (3, 1, 2, 1, 0),
        (4, 2, 1, 0, 1),
    ]


def test_a_leave_that_only_the_client_logged_counts_when_the_broker_removes_the_member() -> None:
    day = one_day(
        *(broker(1, "member_joined", "a"), bumped(1, 1), broker(2, "member_joined", "b"), bumped(2, 2)),
        # The request to leave did not reach the broker, which was down.
        client(5, "member_state", "b", generation=None, details={"epoch": "-1", "to_state": "LEAVING"}),
        *(broker(20, "member_expired", "b", reason="session_timeout"), bumped(20, 3)),
    )
    assert rebalances(day, "generation", "members_after", "members_left", "members_evicted") == [
        (1, 1, 0, 0),
        (2, 2, 0, 0),
        (3, 1, 0, 1),
    ]


def test_an_epoch_without_a_line_is_caused_by_the_member_that_ended_then() -> None:
    """A share group logs no epoch when a member goes."""
    share = {"group_type": "share", "protocol_type": "share", "assignor": "simple"}
    day = one_day(
        broker(5, "member_expired", "b"),
        records=(recorded(2, 1, "a", "b", **share), recorded(5, 2, "a", **share), recorded(9, 3, **share)),
    )
    assert rebalances(day, "generation", "reason", "trigger_member_id") == [
        (1, "unknown", None),
        (2, "session_timeout", "b"),
    ]


def test_a_static_member_that_returns_up_to_2_5_neither_joined_nor_left() -> None:
    """Its return is recorded with the next generation, without the member that it replaces."""
    static = {name: MemberIdentity(instance_id="i") for name in ("old", "new")}
    day = one_day(
        broker(5, "static_member_replaced", None, instance_id="i", details={"old_member_id": "old"}),
        records=(recorded(2, 1, "old", "a", identities=static), recorded(7, 2, "new", "a", "b", identities=static)),
    )
    assert rebalances(day, "members_joined", "members_left", "members_evicted") == [(2, 0, 0), (1, 0, 0)]


def test_an_epoch_has_the_group_type_that_its_lines_name() -> None:
    day = one_day(broker(1, "member_joined", "a", details={"group_kind": "share"}), bumped(1, 2))
    assert rebalances(day, "group_type") == [("share",)]


def test_the_broker_log_alone_counts_members_that_joined_and_departed() -> None:
    day = one_day(
        *(joins(1, "a", 0), joins(1.2, "b", 0), joins(1.3, "c", 0), completes(2, 1, 3)),
        *(broker(5, "member_left", "b", reason="member_left"), broker(6, "member_expired", "c")),
        *(joins(6.5, "d", 1), completes(7, 2, 2)),
    )
    columns = ("members_before", "members_after", "members_joined", "members_left", "members_evicted")
    assert rebalances(day, *columns) == [(0, 3, 3, 0, 0), (3, 2, 1, 1, 1)]


def test_joins_are_unknown_where_the_broker_log_begins_after_the_group() -> None:
    day = one_day(joins(1, "a", 41), completes(2, 42, 5))
    assert rebalances(day, "members_before", "members_after", "members_joined") == [(None, 5, None)]


def leaves_as_up_to_3_9(at: float, member: str, generation: int | None) -> list[LogEvent]:
    """The line of the rebalance that it causes comes first; there is none while the group prepares already."""
    caused = broker(at, "preparing_rebalance", member, generation=generation, reason="member_left")
    return [*([caused] if generation else []), broker(at + 0.001, "member_left", member, reason="member_left")]


def test_up_to_3_9_a_leave_is_logged_after_what_it_causes() -> None:
    day = one_day(
        *(joins(1, "a", 0), joins(1.2, "b", 0), completes(2, 1, 2)),
        *(leaves_as_up_to_3_9(5, "a", 1), completes(6, 2, 1)),
        *(joins(8, "c", 2), completes(9, 3, 1), leaves_as_up_to_3_9(9, "b", None)),
        *(broker(12, "group_emptied", generation=4), leaves_as_up_to_3_9(12, "c", None)),
        *(joins(20, "d", 4), completes(21, 5, 1)),
    )
    columns = ("generation", "members_before", "members_joined", "members_left")
    assert rebalances(day, *columns) == [(1, 0, 2, 0), (2, 2, 0, 1), (3, 1, 1, 1), (5, 0, 1, 0)]


def test_up_to_3_9_only_the_number_of_members_shows_that_a_second_one_joined() -> None:
    one, two = f"one-{UUID}", f"two-{UUID}"
    day = one_day(
        *(broker(1, "member_id_assigned", one), broker(1.1, "member_id_assigned", two)),
        broker(1.2, "preparing_rebalance", one, generation=0, reason="member_joined"),
        completes(2, 1, 2),
    )
    assert [(row["member_id"], row["joined_at"], row["client_id"]) for row in day.sessions] == [
        (one, 1_000_000, "one"),
        (two, 1_100_000, "two"),
    ]


def test_the_client_of_a_static_member_is_not_in_its_id() -> None:
    member = f"pod-1-{UUID}"
    preparing = broker(1, "preparing_rebalance", member, generation=0, reason="member_joined", instance_id="pod-1")
    day = one_day(broker(1, "static_member_joined", member, instance_id="pod-1"), preparing, completes(2, 1, 1))
    assert rebalances(day, "trigger_member_id", "trigger_client_id") == [(member, None)]


def test_membership_changes_are_unknown_after_unobserved_generations() -> None:
    day = one_day(records=(recorded(2, 1, "a"), recorded(7, 5, "a", "b")))
    columns = ("unobserved_before", "members_before", "members_joined", "members_left")
    assert rebalances(day, *columns)[1] == (3, None, None, None)
