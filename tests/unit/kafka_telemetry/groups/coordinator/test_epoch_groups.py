"""Epochs of KIP-848 groups, and groups that change their type."""

from support.coordinator_logs import (
    DAY,
    TOPIC_ID,
    classic,
    current,
    epoch,
    followed,
    generations,
    gone,
    in_two_days,
    joined,
    member,
    owners,
    record,
    target,
    target_of,
)


def test_an_epoch_has_the_members_that_stand_when_it_is_written() -> None:
    told = followed(
        *(joined("a"), epoch(2), target("a", 0, 1), target_of(2), current("a", 2, 0, 1)),
        *(joined("b"), epoch(3), target("a", 0), target("b", 1), target_of(3), current("b", 3, state=2)),
        *(gone(8, "a"), gone(7, "a"), gone(5, "a"), epoch(4)),
    )
    assert generations(told, "generation", "member_count") == [(2, 1), (3, 2), (4, 1)]
    # The third epoch was left before it got a target.
    assert owners(told) == {2: {"a": [0, 1]}, 3: {"a": [0], "b": [1]}, 4: {"b": None}}
    assert len(told.generation) == 15


def test_an_epoch_is_reconciled_when_the_last_member_has_what_it_is_to_have() -> None:
    told = followed(
        *(joined("a"), joined("b"), epoch(3), target("a", 0), target("b", 1), target_of(3)),
        *(current("a", 3, 0), current("b", 3, state=2), current("b", 3, 1)),
    )
    [(assigned_at, reconciled_at)] = generations(told, "assigned_at", "reconciled_at")
    start = DAY * 86_400_000_000
    assert (assigned_at - start, reconciled_at - start) == (5_000, 8_000)
    assert [row["owned_now"] for row in told.member] == [
        [{"topic": None, "partitions": [0], "topic_id": TOPIC_ID}],
        [{"topic": None, "partitions": [1], "topic_id": TOPIC_ID}],
    ]


def test_topic_ids_are_named_by_what_was_known_when_the_day_ended() -> None:
    log = (joined("a"), epoch(2), target("a", 0), target_of(2))
    known = followed(*log, names={TOPIC_ID: ("t", DAY)})
    later = followed(*log, names={TOPIC_ID: ("t", DAY + 1)})
    assert [row["owned"][0]["topic"] for row in (*known.member, *later.member)] == ["t", None]


def test_a_group_tells_the_names_of_its_own_topics() -> None:
    told = followed(
        record(4, {"topics": [{"topicId": TOPIC_ID, "topicName": "t"}]}),
        *(joined("a"), epoch(2), target("a", 0), target_of(2)),
    )
    assert [row["owned"][0]["topic"] for row in told.member] == ["t"]


def test_a_regular_expression_is_what_the_broker_resolved_it_to() -> None:
    asks = {"subscribedTopicNames": [], "subscribedTopicRegex": "raw.*"}
    told = followed(
        *(joined("a", value=asks), epoch(2)),
        *(record(16, {"topics": ["raw.b", "raw.a"]}, pattern="raw.*"), epoch(3)),
    )
    assert [(row["generation"], row["subscribed_topics"]) for row in told.member] == [
        (2, ["raw.a", "raw.b"]),
        (3, ["raw.a", "raw.b"]),
    ]


def test_a_static_member_that_comes_back_without_a_new_epoch_takes_the_place_of_its_old_id() -> None:
    static = {"instanceId": "i"}
    told = followed(
        *(joined("old", value=static), epoch(2), target("old", 0), target_of(2), current("old", 2, 0)),
        *(current("old", -2, 0), gone(8, "old"), gone(7, "old"), gone(5, "old")),
        *(joined("new", value=static), target("new", 0), current("new", 2, 0)),
    )
    assert owners(told) == {2: {"new": [0]}}
    assert [row["replaces"] for row in told.member] == [["old"]]


def test_becoming_a_kip_848_group_and_back_is_no_deletion() -> None:
    at = {"recorded_at": DAY * 86_400_000_000 + 5}
    back = {"recorded_at": DAY * 86_400_000_000 + 9}
    told = followed(
        classic(4, member("a", 0)),
        *(gone(2, **at), joined("a", **at), epoch(4, **at), target("a", 0), target_of(4)),
        *(joined("b"), epoch(5)),
        *(gone(5, "a", **back), gone(5, "b", **back), gone(3, **back), classic(6, member("c", 0), **back)),
    )
    assert generations(told, "incarnation", "generation", "group_type") == [
        (1, 4, "classic"),
        (1, 4, "consumer"),
        (1, 5, "consumer"),
        (1, 6, "classic"),
    ]


def test_what_an_incarnation_before_left_is_not_in_the_next() -> None:
    told = followed(
        *(joined("a"), epoch(8)),
        *(joined("b", record_offset=9, holes=1), epoch(1, holes=1)),
    )
    assert generations(told, "incarnation", "generation", "member_count") == [(1, 8, 1), (2, 1, 1)]


def test_an_epoch_goes_on_from_the_day_before() -> None:
    told = in_two_days(
        [joined("a"), epoch(2), target("a", 0), target_of(2), current("a", 2, 0)],
        [joined("b"), epoch(3), target("a", 0), target("b", 1), target_of(3)],
    )
    assert generations(told, "generation", "member_count", "complete") == [(3, 2, True)]
    assert owners(told) == {3: {"a": [0], "b": [1]}}


def test_a_tombstone_that_begins_the_day_is_of_a_group_nobody_knew() -> None:
    told = followed(gone(2), classic(1, member("a", 0)))
    assert generations(told, "incarnation", "generation") == [(1, 1)]
