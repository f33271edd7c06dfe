"""One row per rebalance, whoever tells of it."""

from spark_jobs.story.told import Who
from story.lines import broker, client, completes, day, facts, joins, recorded


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


def test_a_generation_that_falls_in_the_log_is_of_the_next_incarnation() -> None:
    told = day(joins(1, "a", 3), completes(2, 4, 1), broker(5, "group_dead"), joins(6, "b", 0), completes(7, 1, 1))
    assert facts(told, "incarnation", "generation") == [(1, 4), (2, 1)]


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
