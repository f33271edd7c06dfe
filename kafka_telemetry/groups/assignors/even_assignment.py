"""The most even assignment, and among those one that moves the fewest partitions."""

from collections.abc import Iterable, Mapping

from kafka_telemetry.groups.assignors.assignor_inputs import (
    Assignment,
    MemberSubscription,
    sorted_members,
    subscribers_by_topic,
    undisputed_owners,
)
from kafka_telemetry.groups.assignors.balanced_loads import load_levels
from kafka_telemetry.groups.assignors.stickiness import distribute, partition_pools, stickiest_counts


def even_assignment(members: Iterable[MemberSubscription], partitions: Mapping[str, int]) -> Assignment:
    members = sorted_members(members)
    subscribers = subscribers_by_topic(members, partitions)
    position_of = {member.member_id: position for position, member in enumerate(members)}
    owners = {partition: position_of[member_id] for partition, member_id in undisputed_owners(members).items()}
    assignment: Assignment = {member.member_id: [] for member in members}
    for level in load_levels(len(members), subscribers, partitions):
        on_level = set(level.members)
        pools = partition_pools(
            {topic: [position for position in subscribers[topic] if position in on_level] for topic in level.topics},
            {topic: [(topic, partition) for partition in range(partitions[topic])] for topic in level.topics},
            owners,
        )
        counts = stickiest_counts(pools, dict.fromkeys(level.members, (level.fewest, level.most)))
        for pool, pool_counts in zip(pools, counts, strict=True):
            for position, assigned in distribute(pool, pool_counts).items():
                assignment[members[position].member_id] += assigned
    return assignment
