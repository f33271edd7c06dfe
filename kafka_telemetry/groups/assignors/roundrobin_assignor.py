"""`roundrobin`: all partitions of all topics, dealt to the members in turn."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping

from kafka_telemetry.groups.assignors.assignor_inputs import (
    Assignment,
    MemberSubscription,
    sorted_members,
    subscribers_by_topic,
)


def roundrobin_assignor(members: Iterable[MemberSubscription], partitions: Mapping[str, int]) -> Assignment:
    """Computes the assignment of Kafka's RoundRobinAssignor."""
    members = sorted_members(members)
    assignment: Assignment = {member.member_id: [] for member in members}
    # The turn continues from topic to topic: it does not start again with the first member.
    turn = 0
    for topic, subscribers in subscribers_by_topic(members, partitions).items():
        nth = bisect_left(subscribers, turn)
        for partition in range(partitions[topic]):
            position = subscribers[nth % len(subscribers)]
            assignment[members[position].member_id].append((topic, partition))
            nth += 1
        turn = position + 1
    return assignment
