"""Lines that brokers and consumers of 2.4 to 2.8 print differently from later versions, from 2.8.2 or from their sources."""

import pytest
from support.recorded_logs import read_log

A = "app-1-6f2c0c1e-5a0b-4b52-9f53-0d3b1f5a7c11"
B = "pod 1-272b83de-b616-4fa2-8e03-d254630bc55f"
GROUP = "billing group (EU) generation 2"
COORDINATOR = "[2020-03-01 10:00:00,120] INFO [GroupCoordinator 3]: {} (kafka.coordinator.group.GroupCoordinator)\n"
MANAGER = "[2020-03-01 10:00:00,120] INFO [GroupMetadataManager brokerId=3] {} (kafka.coordinator.group.GroupMetadataManager)\n"
CONSUMER = (
    "[2020-03-01 10:00:00,120] INFO [Consumer clientId=app 1, groupId=back fill] {} "
    "(org.apache.kafka.clients.consumer.internals.AbstractCoordinator)\n"
)


@pytest.mark.parametrize(
    ("line", "message", "event", "columns"),
    [
        (
            COORDINATOR.replace("[GroupCoordinator 3]: ", ""),
            f"Loaded member MemberMetadata(memberId={A}, groupInstanceId=Some(pod 1), clientId=app-1, "
            "clientHost=/127.0.0.1, sessionTimeoutMs=6000, rebalanceTimeoutMs=300000, supportedProtocols=List(range, "
            f"sticky), ) in group {GROUP} with generation 4.",
            "member_loaded",
            {"group_id": GROUP, "member_id": A, "client_id": "app-1", "instance_id": "pod 1", "generation": 4},
        ),
        (
            COORDINATOR.replace("[GroupCoordinator 3]: ", ""),
            f"Static member MemberMetadata(memberId={B}, supportedProtocols=List(range), ).groupInstanceId of group {GROUP} "
            f"loaded with member id {B} at generation 4.",
            "member_loaded",
            {"group_id": GROUP, "member_id": B, "generation": 4},
        ),
        (
            COORDINATOR,
            f"Stabilized group {GROUP} generation 7 (__consumer_offsets-6)",
            "stabilized",
            {"group_id": GROUP, "generation": 7, "offsets_partition": 6},
        ),
        (
            COORDINATOR,
            f"Assignment received from leader for group {GROUP} for generation 7",
            "assignment_received",
            {"group_id": GROUP, "generation": 7},
        ),
        (
            COORDINATOR,
            f"Preparing to rebalance group {GROUP} in state PreparingRebalance with old generation 1 "
            f"(__consumer_offsets-6) (reason: Adding new member {A} with group instanceid None)",
            "preparing_rebalance",
            {"group_id": GROUP, "reason": "member_joined", "member_id": A, "generation": 1},
        ),
        (
            COORDINATOR,
            f"Preparing to rebalance group {GROUP} in state PreparingRebalance with old generation 1 "
            f"(__consumer_offsets-6) (reason: Updating metadata for member {A})",
            "preparing_rebalance",
            {"group_id": GROUP, "reason": "subscription_or_topics_changed", "member_id": A, "generation": 1},
        ),
        (
            COORDINATOR,
            f"Preparing to rebalance group {GROUP} in state PreparingRebalance with old generation 3 "
            "(__consumer_offsets-5) (reason: removing member  on LeaveGroup)",
            "preparing_rebalance",
            {"group_id": GROUP, "reason": "member_left", "member_id": None, "generation": 3},
        ),
        (
            COORDINATOR,
            f"Group {GROUP} remove dynamic members who haven't joined: HashSet({A}, {B})",
            "members_not_rejoined",
            {"group_id": GROUP, "reason": "rebalance_timeout"},
        ),
        (
            MANAGER,
            "Finished loading offsets and group metadata from __consumer_offsets-6 in 12 milliseconds, of which 3 "
            "milliseconds was spent in the scheduler.",
            "partition_loaded",
            {"offsets_partition": 6},
        ),
        (CONSUMER, "Rebalance failed.", "join_failed", {"client_id": "app 1", "group_id": "back fill"}),
        (
            CONSUMER,
            "Received fatal exception: group.instance.id gets fenced",
            "member_fenced",
            {"group_id": "back fill", "reason": "static_member_changed"},
        ),
    ],
)
def test_lines_of_older_versions_are_understood(
    line: str, message: str, event: str, columns: dict[str, object]
) -> None:
    rows, receipt = read_log(line.format(message))
    assert [(row["event"], {name: row[name] for name in columns}) for row in rows] == [(event, columns)]
    assert receipt.not_understood == 0


def test_the_exception_of_a_failed_rebalance_is_part_of_its_entry() -> None:
    text = CONSUMER.format("Rebalance failed.") + (
        "org.apache.kafka.common.errors.NotCoordinatorException: This is not the correct coordinator.\n"
    )
    rows, receipt = read_log(text)
    assert ([row["event"] for row in rows], receipt.records, receipt.not_understood) == (["join_failed"], 1, 0)


def test_the_assignment_of_a_cooperative_member_up_to_2_5_is_understood() -> None:
    message = (
        "Updating assignment with\nnow assigned partitions: t-0, t-1\ncompare with previously owned partitions: \n"
        "newly added partitions: t-0, t-1\nrevoked partitions: \n"
    )
    rows, receipt = read_log(CONSUMER.format(message))
    assert [(row["event"], row["details"]) for row in rows] == [
        ("assignment_updated", {"assigned": "t-0, t-1", "owned": "", "added": "t-0, t-1", "revoked": ""})
    ]
    assert receipt.not_understood == 0


def test_the_return_of_a_static_member_up_to_2_4_gets_its_group_from_another_line_of_the_member() -> None:
    text = COORDINATOR.format(
        f"Static member Some(pod 1) with unknown member id rejoins, assigning new member id {B}, while old member {A} will be "
        "removed."
    ) + COORDINATOR.format(f"Member {B} in group {GROUP} has failed, removing it from the group")
    rows, _ = read_log(text)
    assert sorted((row["event"], row["group_id"], row["member_id"]) for row in rows) == [
        ("member_expired", GROUP, B), ("static_member_replaced", GROUP, B),
    ]  # fmt: skip
