"""`range`: the partitions of each topic, cut into as many runs as the topic has subscribers."""

from collections.abc import Iterable, Mapping

from kafka_telemetry.groups.assignors.assignor_inputs import (
    Assignment,
    MemberSubscription,
    sorted_members,
    subscribers_by_topic,
)


def range_assignor(members: Iterable[MemberSubscription], partitions: Mapping[str, int]) -> Assignment:
    """Computes the assignment of Kafka's RangeAssignor without racks."""
    members = sorted_members(members)
    assignment: Assignment = {member.member_id: [] for member in members}
    for topic, subscribers in subscribers_by_topic(members, partitions).items():
        each, extra = divmod(partitions[topic], len(subscribers))
        start = 0
        for nth, position in enumerate(subscribers):
            end = start + each + (nth < extra)
            assignment[members[position].member_id] += [(topic, partition) for partition in range(start, end)]
            start = end
    return assignment
