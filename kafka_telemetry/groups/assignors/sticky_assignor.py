"""`sticky` and `cooperative-sticky`: the most even assignment, and of these one that moves the fewest partitions.

Kafka's StickyAssignor promises the same and keeps it where all subscribe to the same topics. Where they don't, it
searches by single moves and may stop before: then this is what it aims at.
"""

from collections.abc import Iterable, Mapping

from kafka_telemetry.groups.assignors.assignor_inputs import (
    Assignment,
    Member,
    in_member_order,
    last_owners,
    subscribers,
)
from kafka_telemetry.groups.assignors.keeping import hand_out, most_kept, pools
from kafka_telemetry.groups.assignors.levels import levels


def sticky_assignor(members: Iterable[Member], partitions: Mapping[str, int]) -> Assignment:
    ordered = in_member_order(members)
    wanted = subscribers(ordered, partitions)
    place_of = {member.member_id: place for place, member in enumerate(ordered)}
    owners = {partition: place_of[member_id] for partition, member_id in last_owners(ordered).items()}
    given: Assignment = {member.member_id: [] for member in ordered}
    for level in levels(len(ordered), wanted, partitions):
        here = set(level.members)
        shared = pools(
            {topic: [place for place in wanted[topic] if place in here] for topic in level.topics},
            {topic: [(topic, partition) for partition in range(partitions[topic])] for topic in level.topics},
            owners,
        )
        counts = most_kept(shared, dict.fromkeys(level.members, (level.fewest, level.most)))
        for pool, count in zip(shared, counts, strict=True):
            for place, handed in hand_out(pool, count).items():
                given[ordered[place].member_id] += handed
    return given
