"""One row per rebalance, whoever tells of it."""

from support.history_events import broker, bumped, client, completes, day, facts, joins, recorded

from kafka_telemetry.groups.history.observations import Event, Who

UUID = "6f2c0c1e-5a0b-4b52-9f53-0d3b1f5a7c11"


def test_a_rebalance_starts_at_the_first_preparing_and_is_complete_when_the_assignment_is_received() -> None:
    told = day(joins(1, "a", 0), broker(1.5, "preparing_rebalance", "b", generation=0), completes(3, 1, 2))
    assert facts(told, "generation", "started_at", "stabilized_at", "completed_at", "reason", "trigger_member_id") == [
        (1, 1_010_000, 3_000_000, 3_500_000, "member_joined", "a")
    ]


def test_the_same_rebalance_told_by_broker_clients_and_topic_is_one_row() -> None:
    told = day(
        *(joins(1, "a", 0), completes(3, 1, 1)),
        *(client(3.1, "joined", "a", generation=1), client(3.6, "synced", "a", generation=1)),
        told=(recorded(3, 1, "a"),),
    )
    assert facts(told, "generation", "evidence") == [(1, ["broker_log", "client_log", "offsets_topic"])]


def test_each_source_alone_gives_what_it_can_tell_and_null_for_the_rest() -> None:
    columns = ("generation", "started_at", "completed_at", "reason", "members_after", "evidence")
    assert facts(day(client(3, "joined", "a", generation=2), client(4, "synced", "a", generation=2)), *columns) == [
        (2, None, 4_000_000, "unknown", None, ["client_log"])
    ]
    assert facts(day(told=(recorded(3, 2, "a", "b"),)), *columns) == [
        (2, None, 3_100_000, "unknown", 2, ["offsets_topic"])
    ]


def test_what_a_console_consumer_printed_of_a_generation_has_no_time_and_adds_who_was_in_it() -> None:
    nowhere = {"recorded_at": None, "state_at": None, "assigned_at": None}
    told = day(joins(0, "a", 0), completes(1, 1, 1), told=(recorded(0, 1, "a", **nowhere), recorded(0, 1, "a", **nowhere)))  # fmt: skip
    assert facts(told, "generation", "stabilized_at", "members_after", "evidence") == [
        (1, 1_000_000, 1, ["broker_log", "offsets_topic"])
    ]
    alone = day(told=(recorded(0, 1, "a", **nowhere), recorded(0, 2, "a", "b", **nowhere)))
    assert facts(alone, "generation", "told_at", "members_before", "members_after") == [
        (1, None, 0, 1),
        (2, None, 1, 2),
    ]


def test_up_to_2_7_the_broker_does_not_say_how_many_members_a_generation_has() -> None:
    lines = [broker(1, "stabilized", generation=1), broker(1.5, "assignment_received", generation=1)]
    told = day(joins(0, "a", 0), lines, broker(9, "member_expired", "a", reason="session_timeout"))
    assert facts(told, "generation", "completed_at", "members_after") == [(1, 1_500_000, None)]
    assert [row["ended_by"] for row in told.sessions] == ["session_timeout"]


def test_a_generation_without_members_is_no_rebalance() -> None:
    told = day(
        joins(1, "a", 0), completes(2, 1, 1), broker(5, "group_emptied", generation=2), told=(recorded(2, 1, "a"),)
    )
    assert facts(told, "generation") == [(1,)]


def test_the_leave_line_of_the_member_tells_the_reason_better() -> None:
    told = day(
        joins(1, "a", 0),
        completes(2, 1, 2),
        broker(9, "member_left", "a", reason="poll_interval", reason_text="consumer poll timeout has expired."),
        broker(9, "preparing_rebalance", "a", generation=1, reason="member_left"),
        completes(10, 2, 1),
    )
    assert facts(told, "reason", "reason_text")[1] == ("poll_interval", "consumer poll timeout has expired.")


def test_a_static_member_that_an_administrator_removed_is_named_by_its_leave_line_alone() -> None:
    told = day(
        joins(1, "a", 0),
        completes(2, 1, 2),
        broker(9, "member_left", "a", reason="member_left", reason_text="member was removed by an admin"),
        broker(9, "preparing_rebalance", None, generation=1, reason="member_left", details={"member_ids": ""}),
        completes(10, 2, 1),
    )
    columns = ("reason", "reason_text", "trigger_member_id")
    assert facts(told, *columns)[1] == ("member_left", "member was removed by an admin", "a")


def test_a_group_that_becomes_classic_again_does_so_for_whoever_went() -> None:
    told = day(
        joins(1, "a", 0),
        completes(2, 1, 2),
        broker(9, "member_expired", "b", reason="session_timeout"),
        broker(9, "preparing_rebalance", None, generation=1, reason="unknown", reason_text="Downgrade group g"),
        completes(10, 2, 1),
    )
    columns = ("reason", "reason_text", "trigger_member_id")
    assert facts(told, *columns)[1] == ("session_timeout", "Downgrade group g", "b")


def test_who_came_and_who_went_is_told_by_the_generations_and_how_by_the_log() -> None:
    told = day(
        joins(1, "a", 0), joins(1.2, "b", 0), joins(1.3, "c", 0), completes(2, 1, 3),
        broker(5, "member_left", "b", reason="member_left"), broker(6, "member_expired", "c", reason="session_timeout"),
        joins(6.5, "d", 1), completes(7, 2, 2),
        told=(recorded(2, 1, "a", "b", "c"), recorded(7, 2, "a", "d")),
    )  # fmt: skip
    columns = ("members_before", "members_after", "members_joined", "members_left", "members_evicted")
    assert facts(told, *columns) == [(0, 3, 3, 0, 0), (3, 2, 1, 1, 1)]


def test_how_members_went_is_null_where_no_log_tells() -> None:
    told = day(told=(recorded(2, 1, "a", "b"), recorded(7, 2, "a")))
    assert facts(told, "members_joined", "members_left", "members_evicted") == [(2, 0, 0), (0, None, None)]


def test_a_static_member_that_comes_back_neither_joined_nor_left() -> None:
    back = recorded(7, 2, "new", who={"new": Who(instance_id="i", replaces=("old",))})
    told = day(told=(recorded(2, 1, "old", who={"old": Who(instance_id="i")}), back))
    assert facts(told, "members_joined", "members_left")[1] == (0, 0)


def test_generations_that_no_source_shows_are_unobserved_unless_the_broker_log_shows_both_ends() -> None:
    by_topic = day(told=(recorded(2, 1, "a"), recorded(7, 5, "a")))
    assert facts(by_topic, "unobserved_before") == [(None,), (3,)]
    by_log = day(joins(1, "a", 0), completes(2, 1, 1), joins(6, "b", 4), completes(7, 5, 2))
    assert facts(by_log, "unobserved_before") == [(None,), (0,)]


def test_an_epoch_answers_to_what_came_before_it_and_else_to_topics_that_changed() -> None:
    def bumped(at: float, epoch: int, topics: str) -> object:
        return broker(at, "epoch_bumped", generation=epoch, details={"metadata_hash": topics})

    told = day(
        broker(1, "member_joined", "a"), bumped(1.1, 2, "7"),  # type: ignore[arg-type]
        bumped(4, 3, "8"),  # type: ignore[arg-type]
        broker(5, "member_expired", "a", reason="session_timeout"), bumped(5.1, 4, "0"),  # type: ignore[arg-type]
    )  # fmt: skip
    assert facts(told, "generation", "reason", "started_at", "completed_at") == [
        (2, "member_joined", 1_100_000, None),
        (3, "subscription_or_topics_changed", 4_000_000, None),
    ]


def test_who_joins_a_group_subscribes_too_and_that_is_one_cause() -> None:
    told = day(
        *(broker(1, "member_joined", "a"), broker(1.01, "subscription_updated", "a"), bumped(1.02, 2)),
        *(broker(9, "subscription_updated", "a"), bumped(9.01, 3, "8")),
    )
    assert facts(told, "generation", "reason") == [(2, "member_joined"), (3, "subscription_or_topics_changed")]


def test_an_epoch_answers_to_what_was_said_just_before_and_not_to_an_older_line() -> None:
    rejoined = broker(5, "member_joined", "a")  # as a classic member does, over and over
    told = day(broker(1, "member_joined", "a"), bumped(1.1, 2), rejoined, bumped(60, 3, "8"))
    assert facts(told, "generation", "reason", "members_joined") == [
        (2, "member_joined", 1),
        (3, "subscription_or_topics_changed", 0),
    ]


def test_an_epoch_has_the_members_that_the_lines_before_it_tell() -> None:
    told = day(
        *(broker(1, "member_joined", "a"), bumped(1, 2), broker(1, "member_joined", "b"), bumped(1, 3)),
        *(broker(5, "member_expired", "a"), bumped(5, 4), broker(6, "member_left", "b"), bumped(6, 5, "0")),
    )
    columns = ("generation", "members_before", "members_after", "members_joined", "members_left", "members_evicted")
    assert facts(told, *columns) == [(2, 0, 1, 1, 0, 0), (3, 1, 2, 1, 0, 0), (4, 2, 1, 0, 0, 1)]


def test_a_group_of_no_topics_has_members_while_they_wait_for_the_topics_of_their_expression() -> None:
    # As 4.1 logs it: the first member of a regular expression makes epoch 1 before the topics are looked up.
    told = day(
        *(broker(1, "member_joined", "a"), bumped(1, 1, "0"), broker(1, "regex_refreshed"), bumped(1, 2)),
        *(broker(8, "member_joined", "b"), bumped(8, 3), broker(9, "member_left", "a"), bumped(9, 4)),
        *(broker(10, "member_left", "b"), bumped(10, 5, "0")),
    )
    assert facts(told, "generation", "members_before", "members_after", "members_joined", "members_left") == [
        (1, 0, 1, 1, 0),
        (2, 1, 1, 0, 0),
        (3, 1, 2, 1, 0),
        (4, 2, 1, 0, 1),
    ]


def test_a_member_whose_leaving_only_its_client_told_is_counted_when_the_broker_removes_it() -> None:
    told = day(
        *(broker(1, "member_joined", "a"), bumped(1, 1), broker(2, "member_joined", "b"), bumped(2, 2)),
        # The request to leave never came to the broker, which was away.
        client(5, "member_state", "b", generation=None, details={"epoch": "-1", "to_state": "LEAVING"}),
        *(broker(20, "member_expired", "b", reason="session_timeout"), bumped(20, 3)),
    )
    assert facts(told, "generation", "members_after", "members_left", "members_evicted") == [
        (1, 1, 0, 0),
        (2, 2, 0, 0),
        (3, 1, 0, 1),
    ]


def test_an_epoch_that_no_line_tells_answers_to_who_went_then() -> None:
    """A share group logs no epoch when a member goes."""
    share = {"group_type": "share", "protocol_type": "share", "assignor": "simple"}
    told = day(
        broker(5, "member_expired", "b"),
        told=(recorded(2, 1, "a", "b", **share), recorded(5, 2, "a", **share), recorded(9, 3, **share)),
    )
    assert facts(told, "generation", "reason", "trigger_member_id") == [
        (1, "unknown", None),
        (2, "session_timeout", "b"),
    ]


def test_a_static_member_that_comes_back_as_up_to_2_5_neither_joined_nor_left() -> None:
    """Its return is written down with the next generation, which does not say whom it replaces."""
    static = {name: Who(instance_id="i") for name in ("old", "new")}
    told = day(
        broker(5, "static_member_replaced", None, instance_id="i", details={"old_member_id": "old"}),
        told=(recorded(2, 1, "old", "a", who=static), recorded(7, 2, "new", "a", "b", who=static)),
    )
    assert facts(told, "members_joined", "members_left", "members_evicted") == [(2, 0, 0), (1, 0, 0)]


def test_an_epoch_is_of_the_kind_of_group_that_its_lines_name() -> None:
    told = day(broker(1, "member_joined", "a", details={"group_kind": "share"}), bumped(1, 2))
    assert facts(told, "group_type") == [("share",)]


def test_a_brokers_log_alone_counts_who_came_and_who_went() -> None:
    told = day(
        *(joins(1, "a", 0), joins(1.2, "b", 0), joins(1.3, "c", 0), completes(2, 1, 3)),
        *(broker(5, "member_left", "b", reason="member_left"), broker(6, "member_expired", "c")),
        *(joins(6.5, "d", 1), completes(7, 2, 2)),
    )
    columns = ("members_before", "members_after", "members_joined", "members_left", "members_evicted")
    assert facts(told, *columns) == [(0, 3, 3, 0, 0), (3, 2, 1, 1, 1)]


def test_where_the_brokers_log_begins_amid_a_group_nobody_knows_who_joined() -> None:
    told = day(joins(1, "a", 41), completes(2, 42, 5))
    assert facts(told, "members_before", "members_after", "members_joined") == [(None, 5, None)]


def leaves_as_up_to_3_9(at: float, member: str, generation: int | None) -> list[Event]:
    """The line of what it causes comes first; there is none while the group prepares already."""
    caused = broker(at, "preparing_rebalance", member, generation=generation, reason="member_left")
    return [*([caused] if generation else []), broker(at + 0.001, "member_left", member, reason="member_left")]


def test_up_to_3_9_a_leave_is_logged_after_what_it_causes() -> None:
    told = day(
        *(joins(1, "a", 0), joins(1.2, "b", 0), completes(2, 1, 2)),
        *(leaves_as_up_to_3_9(5, "a", 1), completes(6, 2, 1)),
        *(joins(8, "c", 2), completes(9, 3, 1), leaves_as_up_to_3_9(9, "b", None)),
        *(broker(12, "group_emptied", generation=4), leaves_as_up_to_3_9(12, "c", None)),
        *(joins(20, "d", 4), completes(21, 5, 1)),
    )
    columns = ("generation", "members_before", "members_joined", "members_left")
    assert facts(told, *columns) == [(1, 0, 2, 0), (2, 2, 0, 1), (3, 1, 1, 1), (5, 0, 1, 0)]


def test_up_to_3_9_no_line_says_that_a_second_member_joined_but_the_number_of_members_does() -> None:
    one, two = f"one-{UUID}", f"two-{UUID}"
    told = day(
        *(broker(1, "member_id_assigned", one), broker(1.1, "member_id_assigned", two)),
        broker(1.2, "preparing_rebalance", one, generation=0, reason="member_joined"),
        completes(2, 1, 2),
    )
    assert [(row["member_id"], row["joined_at"], row["client_id"]) for row in told.sessions] == [
        (one, 1_000_000, "one"),
        (two, 1_100_000, "two"),
    ]


def test_the_client_of_a_static_member_is_not_in_its_id() -> None:
    member = f"pod-1-{UUID}"
    preparing = broker(1, "preparing_rebalance", member, generation=0, reason="member_joined", instance_id="pod-1")
    told = day(broker(1, "static_member_joined", member, instance_id="pod-1"), preparing, completes(2, 1, 1))
    assert facts(told, "trigger_member_id", "trigger_client_id") == [(member, None)]


def test_what_went_before_is_unknown_where_generations_lie_between() -> None:
    told = day(told=(recorded(2, 1, "a"), recorded(7, 5, "a", "b")))
    columns = ("unobserved_before", "members_before", "members_joined", "members_left")
    assert facts(told, *columns)[1] == (3, None, None, None)
