"""The client and group of a line: from its prefix, with whatever ids, or from another line of the same file."""

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
RETURNED = "Static member which joins during Stable stage and doesn't affect selectProtocol will not trigger rebalance."


@pytest.mark.parametrize(
    "other", [JOINED.format("prices", OLD), JOINED.format("prices", NEW), REPLACED.format("prices")]
)
@pytest.mark.parametrize("other_is_first", [True, False])
def test_a_fenced_member_has_the_group_that_another_line_names(other: str, other_is_first: bool) -> None:
    rows, _ = read_log(broker(other, FENCED) if other_is_first else broker(FENCED, other))
    assert {row["event"]: row["group_id"] for row in rows}["member_fenced"] == "prices"


def test_an_instance_id_of_two_groups_reveals_no_group_and_a_member_id_does() -> None:
    rows, _ = read_log(
        broker(JOINED.format("a", f"pod-1-{UUID[:-1]}0"), JOINED.format("b", f"pod-1-{UUID[:-1]}2"), FENCED)
    )
    assert rows[-1]["group_id"] is None
    rows, _ = read_log(broker(JOINED.format("a", OLD), JOINED.format("b", f"pod-1-{UUID[:-1]}2"), FENCED))
    assert rows[-1]["group_id"] == "a"


def test_a_return_without_a_rebalance_has_the_group_of_the_replacement_before_it() -> None:
    rows, _ = read_log(broker(REPLACED.format("a"), REPLACED.format("b"), RETURNED))
    assert (rows[-1]["group_id"], rows[-1]["instance_id"]) == ("b", "pod-1")


def test_a_return_has_the_group_of_the_replacement_in_the_same_offsets_partition() -> None:
    prefix = "[GroupCoordinator id=1 topic=__consumer_offsets partition={}] "
    rows, _ = read_log(
        broker(
            prefix.format(3) + REPLACED.format("a"),
            prefix.format(4) + REPLACED.format("b"),
            prefix.format(3) + RETURNED,
        )
    )
    assert rows[-1]["group_id"] == "a"


def consumer_prefix(name: str, group: str = "orders") -> str:
    return f"[Consumer clientId={name}, groupId={group}] "


ADDED = "Adding newly assigned partitions: {}"
POSITION = (
    "Setting offset for partition {} to the committed offset FetchPosition{{offset=3, offsetEpoch=Optional.empty, "
    "currentLeader=LeaderAndEpoch{{leader=Optional[h:1 (id: 1 rack: null)], epoch=0}}}}"
)
KAFKA = "[{time}] INFO {message} (a.{logger})\n"


def clients_of_positions(text: str) -> list[Any]:
    rows, _ = read_log(text)
    return [row["client_id"] and (row["client_id"], row["group_id"]) for row in rows if row["event"] == "position_set"]


def test_a_position_belongs_to_the_client_that_was_assigned_the_partition_on_the_thread() -> None:
    text = client(
        ("t-1", "ConsumerRebalanceListenerInvoker", consumer_prefix("one", "g") + ADDED.format("a-0, a-1")),
        ("t-2", "ConsumerRebalanceListenerInvoker", consumer_prefix("two", "h") + ADDED.format("a-0")),
        ("t-1", "ConsumerUtils", POSITION.format("a-0")),
        ("t-2", "ConsumerUtils", POSITION.format("a-0")),
    )
    assert clients_of_positions(text) == [("one", "g"), ("two", "h")]


def test_without_threads_a_position_belongs_to_the_last_client_that_was_assigned_the_partition() -> None:
    text = client(
        ("", "ConsumerRebalanceListenerInvoker", consumer_prefix("one") + ADDED.format("[a-0, a-1]")),
        ("", "ConsumerRebalanceListenerInvoker", consumer_prefix("two") + ADDED.format("[b-0]")),
        ("", "ConsumerUtils", POSITION.format("a-1")),
        ("", "ConsumerRebalanceListenerInvoker", consumer_prefix("two") + ADDED.format("[a-1]")),
        ("", "ConsumerUtils", POSITION.format("a-1")),
        layout=KAFKA,
    )
    assert clients_of_positions(text) == [("one", "orders"), ("two", "orders")]


def test_without_threads_the_client_of_a_partition_that_two_groups_read_is_unknown() -> None:
    text = client(
        ("", "ConsumerRebalanceListenerInvoker", consumer_prefix("one", "g") + ADDED.format("a-0")),
        ("", "ConsumerRebalanceListenerInvoker", consumer_prefix("two", "h") + ADDED.format("a-0")),
        ("", "ConsumerUtils", POSITION.format("a-0")),
        layout=KAFKA,
    )
    assert clients_of_positions(text) == [None]


def test_a_thread_that_all_consumers_share_does_not_reveal_the_client() -> None:
    text = client(
        ("main", "ConsumerRebalanceListenerInvoker", consumer_prefix("one") + ADDED.format("a-0")),
        ("consumer_background_thread", "ConsumerMembershipManager", consumer_prefix("two") + "(Re-)joining group"),
        ("consumer_background_thread", "ConsumerUtils", POSITION.format("a-0")),
        ("consumer_background_thread", "ConsumerUtils", POSITION.format("b-0")),
    )
    assert clients_of_positions(text) == [("one", "orders"), None]


def test_all_lines_of_a_file_belong_to_its_only_client() -> None:
    text = client(
        ("", "ConsumerUtils", POSITION.format("a-0")),
        ("", "ConsumerCoordinator", consumer_prefix("one") + "(Re-)joining group"),
        layout=KAFKA,
    )
    assert clients_of_positions(text) == [("one", "orders")]


@pytest.mark.parametrize("block_bytes", [1 << 9, 1 << 22])
def test_clients_are_remembered_from_block_to_block(block_bytes: int) -> None:
    text = client(
        ("", "ConsumerRebalanceListenerInvoker", consumer_prefix("one") + ADDED.format("a-0")),
        ("", "ConsumerRebalanceListenerInvoker", consumer_prefix("two") + ADDED.format("a-1")),
        *(("", "Worker", "work " * 40) for _ in range(50)),
        ("", "ConsumerUtils", POSITION.format("a-0")),
        ("", "ConsumerUtils", POSITION.format("a-1")),
        layout=KAFKA,
    )
    rows, _ = read_log(text, block_bytes=block_bytes, batch_bytes=1)
    assert [row["client_id"] for row in rows if row["event"] == "position_set"] == ["one", "two"]


ODD_IDS = [
    "plain",
    "with spaces in it",
    "a [b] c",
    "generation 7 with 3 members",
    "said \"so\", and 'so'",
    "группа-消費者",
    "a] b",
    "x" * 255,
    "dots.and_underscores-0",
    "$1 \\ \\d+ .* (a|b)",
]


@pytest.mark.parametrize("group", ODD_IDS)
@pytest.mark.parametrize("name", ODD_IDS)
def test_client_and_group_are_captured_whole_from_a_prefix(group: str, name: str) -> None:
    prefix = f"[Consumer instanceId={name}, clientId=consumer-{name}-1, groupId={group}] "
    text = client(
        ("main", "ConsumerCoordinator", prefix + "(Re-)joining group"),
        ("main", "ConsumerCoordinator", prefix + ADDED.format("[a-0]")),
    )
    rows, _ = read_log(text)
    assert [(row["instance_id"], row["client_id"], row["group_id"]) for row in rows] == [
        (name, f"consumer-{name}-1", group)
    ] * 2


@pytest.mark.parametrize("group", ODD_IDS)
def test_group_and_member_are_captured_whole_from_a_broker_s_line(group: str) -> None:
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


def test_a_coordinator_s_line_of_a_future_release_is_unknown() -> None:
    rows, receipt = read_log(
        broker("[GroupCoordinator 1]: Something new about group orders", "x y")
        + "[2026-11-18 10:00:00,120] INFO a (b.C)\n"
    )
    assert [(row["kind"], row["side"], row["event"]) for row in rows] == [("unknown", "broker", None)] * 2
    assert (receipt.records, receipt.not_understood, receipt.ignored) == (3, 2, 1)


def test_a_debug_line_of_a_future_release_is_ignored() -> None:
    rows, receipt = read_log(broker("Something new").replace("INFO", "DEBUG"))
    assert rows == []
    assert receipt.ignored == 1
