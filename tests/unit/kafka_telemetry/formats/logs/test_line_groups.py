"""Whose line it is: by the prefix, however odd the ids in it, or by another line of the same file."""

from typing import Any

import pytest
from support.recorded_logs import read_log

UUID = "6f2c0c1e-5a0b-4b52-9f53-0d3b1f5a7c11"
OLD, NEW = f"pod-1-{UUID}", f"pod-1-{UUID[::-1]}"


def broker(*messages: str) -> str:
    return "".join(
        f"[2026-11-18 10:00:0{second},120] INFO {message} (org.apache.kafka.coordinator.group.GroupMetadataManager)\n"
        for second, message in enumerate(messages)
    )


def client(*lines: tuple[str, str, str], layout: str = "{time} INFO  [{thread}] a.{logger} - {message}\n") -> str:
    return "".join(
        layout.format(time=f"2026-11-18 10:00:{second:02},120", thread=thread, logger=logger, message=message)
        for second, (thread, logger, message) in enumerate(lines)
    )


FENCED = (
    f"Request memberId={OLD} for static member with groupInstanceId=pod-1 is fenced by current memberId={NEW} "
    "during operation heartbeat"
)
JOINED = "Adding new static member Some(pod-1) to group {} with member id {}."
REPLACED = (
    "Static member with groupInstanceId=pod-1 and unknown member id joins group {} in Stable state. "
    f"Replacing previously mapped member {OLD} with this groupInstanceId."
)
QUIET = "Static member which joins during Stable stage and doesn't affect selectProtocol will not trigger rebalance."


@pytest.mark.parametrize(
    "known", [JOINED.format("prices", OLD), JOINED.format("prices", NEW), REPLACED.format("prices")]
)
@pytest.mark.parametrize("first", [True, False])
def test_a_fenced_member_has_the_group_that_another_line_gives_it(known: str, first: bool) -> None:
    rows, _ = read_log(broker(known, FENCED) if first else broker(FENCED, known))
    assert {row["event"]: row["group_id"] for row in rows}["member_fenced"] == "prices"


def test_an_instance_id_of_two_groups_gives_no_group_and_a_member_id_does() -> None:
    rows, _ = read_log(
        broker(JOINED.format("a", f"pod-1-{UUID[:-1]}0"), JOINED.format("b", f"pod-1-{UUID[:-1]}2"), FENCED)
    )
    assert rows[-1]["group_id"] is None
    rows, _ = read_log(broker(JOINED.format("a", OLD), JOINED.format("b", f"pod-1-{UUID[:-1]}2"), FENCED))
    assert rows[-1]["group_id"] == "a"


def test_a_quiet_return_is_of_the_replacement_before_it() -> None:
    rows, _ = read_log(broker(REPLACED.format("a"), REPLACED.format("b"), QUIET))
    assert (rows[-1]["group_id"], rows[-1]["instance_id"]) == ("b", "pod-1")


def test_a_quiet_return_is_of_its_own_partition_of_the_offsets_topic() -> None:
    prefix = "[GroupCoordinator id=1 topic=__consumer_offsets partition={}] "
    rows, _ = read_log(
        broker(
            prefix.format(3) + REPLACED.format("a"), prefix.format(4) + REPLACED.format("b"), prefix.format(3) + QUIET
        )
    )
    assert rows[-1]["group_id"] == "a"


def consumer(name: str, group: str = "orders") -> str:
    return f"[Consumer clientId={name}, groupId={group}] "


ADDED = "Adding newly assigned partitions: {}"
POSITION = (
    "Setting offset for partition {} to the committed offset FetchPosition{{offset=3, offsetEpoch=Optional.empty, "
    "currentLeader=LeaderAndEpoch{{leader=Optional[h:1 (id: 1 rack: null)], epoch=0}}}}"
)
KAFKA = "[{time}] INFO {message} (a.{logger})\n"


def owners(text: str) -> list[Any]:
    rows, _ = read_log(text)
    return [row["client_id"] and (row["client_id"], row["group_id"]) for row in rows if row["event"] == "position_set"]


def test_a_position_is_of_the_client_that_was_given_the_partition_on_its_thread() -> None:
    text = client(
        ("t-1", "ConsumerRebalanceListenerInvoker", consumer("one", "g") + ADDED.format("a-0, a-1")),
        ("t-2", "ConsumerRebalanceListenerInvoker", consumer("two", "h") + ADDED.format("a-0")),
        ("t-1", "ConsumerUtils", POSITION.format("a-0")),
        ("t-2", "ConsumerUtils", POSITION.format("a-0")),
    )
    assert owners(text) == [("one", "g"), ("two", "h")]


def test_without_threads_the_partition_tells_and_the_last_who_was_given_it() -> None:
    text = client(
        ("", "ConsumerRebalanceListenerInvoker", consumer("one") + ADDED.format("[a-0, a-1]")),
        ("", "ConsumerRebalanceListenerInvoker", consumer("two") + ADDED.format("[b-0]")),
        ("", "ConsumerUtils", POSITION.format("a-1")),
        ("", "ConsumerRebalanceListenerInvoker", consumer("two") + ADDED.format("[a-1]")),
        ("", "ConsumerUtils", POSITION.format("a-1")),
        layout=KAFKA,
    )
    assert owners(text) == [("one", "orders"), ("two", "orders")]


def test_without_threads_a_partition_that_two_groups_read_tells_nothing() -> None:
    text = client(
        ("", "ConsumerRebalanceListenerInvoker", consumer("one", "g") + ADDED.format("a-0")),
        ("", "ConsumerRebalanceListenerInvoker", consumer("two", "h") + ADDED.format("a-0")),
        ("", "ConsumerUtils", POSITION.format("a-0")),
        layout=KAFKA,
    )
    assert owners(text) == [None]


def test_a_thread_that_all_consumers_share_tells_nothing_and_the_partition_does() -> None:
    text = client(
        ("main", "ConsumerRebalanceListenerInvoker", consumer("one") + ADDED.format("a-0")),
        ("consumer_background_thread", "ConsumerMembershipManager", consumer("two") + "(Re-)joining group"),
        ("consumer_background_thread", "ConsumerUtils", POSITION.format("a-0")),
        ("consumer_background_thread", "ConsumerUtils", POSITION.format("b-0")),
    )
    assert owners(text) == [("one", "orders"), None]


def test_the_only_client_of_a_file_is_whose_all_its_lines_are() -> None:
    text = client(
        ("", "ConsumerUtils", POSITION.format("a-0")),
        ("", "ConsumerCoordinator", consumer("one") + "(Re-)joining group"),
        layout=KAFKA,
    )
    assert owners(text) == [("one", "orders")]


@pytest.mark.parametrize("block", [1 << 9, 1 << 22])
def test_an_owner_is_remembered_from_block_to_block(block: int) -> None:
    text = client(
        ("", "ConsumerRebalanceListenerInvoker", consumer("one") + ADDED.format("a-0")),
        ("", "ConsumerRebalanceListenerInvoker", consumer("two") + ADDED.format("a-1")),
        *(("", "Worker", "work " * 40) for _ in range(50)),
        ("", "ConsumerUtils", POSITION.format("a-0")),
        ("", "ConsumerUtils", POSITION.format("a-1")),
        layout=KAFKA,
    )
    rows, _ = read_log(text, block_bytes=block, batch_bytes=1)
    assert [row["client_id"] for row in rows if row["event"] == "position_set"] == ["one", "two"]


ODD = [
    "plain",
    "with blanks in it",
    "a [b] c",
    "generation 7 with 3 members",
    "said \"so\", and 'so'",
    "группа-消費者",
    "a] b",
    "x" * 255,
    "dots.and_underscores-0",
    "$1 \\ \\d+ .* (a|b)",
]


@pytest.mark.parametrize("group", ODD)
@pytest.mark.parametrize("name", ODD)
def test_a_prefix_gives_client_and_group_whole(group: str, name: str) -> None:
    prefix = f"[Consumer instanceId={name}, clientId=consumer-{name}-1, groupId={group}] "
    lines = client(
        ("main", "ConsumerCoordinator", prefix + "(Re-)joining group"),
        ("main", "ConsumerCoordinator", prefix + ADDED.format("[a-0]")),
    )
    rows, _ = read_log(lines)
    named = [(row["instance_id"], row["client_id"], row["group_id"]) for row in rows]
    assert named == [(name, f"consumer-{name}-1", group)] * 2


@pytest.mark.parametrize("group", ODD)
def test_a_broker_gives_group_and_member_whole(group: str) -> None:
    member = f"consumer-{group}-1-{UUID}"
    prefix = "[GroupCoordinator id=1 topic=__consumer_offsets partition=3] "
    rows, _ = read_log(
        broker(
            prefix + f"Stabilized group {group} generation 7 with 2 members.",
            f"[GroupCoordinator 1]: Stabilized group {group} generation 7 (__consumer_offsets-3) with 2 members",
            prefix + f"Member {member} in group {group} has failed, removing it from the group.",
            prefix + f"[GroupId {group}] Bumped group epoch to 7 with metadata hash -4822.",
            prefix + f"[GroupId {group}] Member {member} joins the consumer group using the classic protocol.",
            prefix
            + f"[Group {group}] Member {member} has left group through explicit `LeaveGroup` request; client reason: x",
        )
    )
    assert [(row["group_id"], row["member_id"], row["offsets_partition"]) for row in rows] == [
        (group, None, 3),
        (group, None, 3),
        (group, member, 3),
        (group, None, 3),
        (group, member, 3),
        (group, member, 3),
    ]
    assert [row["generation"] for row in rows] == [7, 7, None, 7, None, None]


def test_a_coordinators_line_of_a_release_to_come_is_kept_as_unknown() -> None:
    rows, receipt = read_log(
        broker("[GroupCoordinator 1]: Something new about group orders", "x y")
        + "[2026-11-18 10:00:00,120] INFO a (b.C)\n"
    )
    assert [(row["kind"], row["side"], row["event"]) for row in rows] == [("unknown", "broker", None)] * 2
    assert (receipt.records, receipt.not_understood, receipt.ignored) == (3, 2, 1)


def test_a_debug_line_of_a_release_to_come_is_not() -> None:
    rows, receipt = read_log(broker("Something new").replace("INFO", "DEBUG"))
    assert rows == []
    assert receipt.ignored == 1
