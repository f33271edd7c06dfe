"""Epochs of KIP-848 groups, and groups that change their type."""

from support.coordinator_logs import (
    DAY,
    TOPIC_ID,
    classic,
    current,
    epoch,
    generations,
    joined,
    member,
    owned_partitions,
    record,
    replayed,
    replayed_after,
    target,
    target_of,
    tombstone,
)


def test_an_epoch_has_the_members_that_exist_when_it_is_written() -> None:
    day = replayed(
        *(joined("a"), epoch(2), target("a", 0, 1), target_of(2), current("a", 2, 0, 1)),
        *(joined("b"), epoch(3), target("a", 0), target("b", 1), target_of(3), current("b", 3, state=2)),
        *(tombstone(8, "a"), tombstone(7, "a"), tombstone(5, "a"), epoch(4)),
    )
    assert generations(day, "generation", "member_count") == [(2, 1), (3, 2), (4, 1)]
    # Epoch 4 has no target yet.
    assert owned_partitions(day) == {2: {"a": [0, 1]}, 3: {"a": [0], "b": [1]}, 4: {"b": None}}
    assert len(day.generations) == 15


def test_an_epoch_is_reconciled_when_the_last_member_has_its_target() -> None:
    day = replayed(
        *(joined("a"), joined("b"), epoch(3), target("a", 0), target("b", 1), target_of(3)),
        *(current("a", 3, 0), current("b", 3, state=2), current("b", 3, 1)),
    )
    [(assigned_at, reconciled_at)] = generations(day, "assigned_at", "reconciled_at")
    start = DAY * 86_400_000_000
    assert (assigned_at - start, reconciled_at - start) == (5_000, 8_000)
    assert [row["owned_now"] for row in day.members] == [
        [{"topic": None, "partitions": [0], "topic_id": TOPIC_ID}],
        [{"topic": None, "partitions": [1], "topic_id": TOPIC_ID}],
    ]


def test_topic_ids_have_the_names_that_are_known_when_the_day_ends() -> None:
    log = (joined("a"), epoch(2), target("a", 0), target_of(2))
    known = replayed(*log, topic_names={TOPIC_ID: ("t", DAY)})
    later = replayed(*log, topic_names={TOPIC_ID: ("t", DAY + 1)})
    assert [row["owned"][0]["topic"] for row in (*known.members, *later.members)] == ["t", None]


def test_records_of_a_group_contain_the_names_of_its_topics() -> None:
    day = replayed(
        record(4, {"topics": [{"topicId": TOPIC_ID, "topicName": "t"}]}),
        *(joined("a"), epoch(2), target("a", 0), target_of(2)),
    )
    assert [row["owned"][0]["topic"] for row in day.members] == ["t"]


def test_a_regular_expression_subscribes_to_the_topics_that_the_broker_resolved() -> None:
    subscription = {"subscribedTopicNames": [], "subscribedTopicRegex": "raw.*"}
    day = replayed(
        *(joined("a", value=subscription), epoch(2)),
        *(record(16, {"topics": ["raw.b", "raw.a"]}, regular_expression="raw.*"), epoch(3)),
    )
    assert [(row["generation"], row["subscribed_topics"]) for row in day.members] == [
        (2, ["raw.a", "raw.b"]),
        (3, ["raw.a", "raw.b"]),
    ]


def test_a_static_member_that_returns_without_a_new_epoch_takes_the_place_of_its_old_id() -> None:
    static = {"instanceId": "i"}
    day = replayed(
        *(joined("old", value=static), epoch(2), target("old", 0), target_of(2), current("old", 2, 0)),
        *(current("old", -2, 0), tombstone(8, "old"), tombstone(7, "old"), tombstone(5, "old")),
        *(joined("new", value=static), target("new", 0), current("new", 2, 0)),
    )
    assert owned_partitions(day) == {2: {"new": [0]}}
    assert [row["replaces"] for row in day.members] == [["old"]]


def test_becoming_a_kip_848_group_and_back_is_no_deletion() -> None:
    at = {"recorded_at": DAY * 86_400_000_000 + 5}
    back = {"recorded_at": DAY * 86_400_000_000 + 9}
    day = replayed(
        classic(4, member("a", 0)),
        *(tombstone(2, **at), joined("a", **at), epoch(4, **at), target("a", 0), target_of(4)),
        *(joined("b"), epoch(5)),
        *(
            tombstone(5, "a", **back),
            tombstone(5, "b", **back),
            tombstone(3, **back),
            classic(6, member("c", 0), **back),
        ),
    )
    assert generations(day, "incarnation", "generation", "group_type") == [
        (1, 4, "classic"),
        (1, 4, "consumer"),
        (1, 5, "consumer"),
        (1, 6, "classic"),
    ]


def test_records_of_an_earlier_incarnation_are_not_part_of_the_next() -> None:
    day = replayed(
        *(joined("a"), epoch(8)),
        *(joined("b", record_offset=9, holes=1), epoch(1, holes=1)),
    )
    assert generations(day, "incarnation", "generation", "member_count") == [(1, 8, 1), (2, 1, 1)]


def test_an_epoch_continues_from_the_day_before() -> None:
    day = replayed_after(
        [joined("a"), epoch(2), target("a", 0), target_of(2), current("a", 2, 0)],
        [joined("b"), epoch(3), target("a", 0), target("b", 1), target_of(3)],
    )
    assert generations(day, "generation", "member_count", "complete") == [(3, 2, True)]
    assert owned_partitions(day) == {3: {"a": [0], "b": [1]}}


def test_a_tombstone_at_the_start_belongs_to_an_unknown_group() -> None:
    day = replayed(tombstone(2), classic(1, member("a", 0)))
    assert generations(day, "incarnation", "generation") == [(1, 1)]
