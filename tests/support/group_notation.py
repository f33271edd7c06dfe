"""Short forms of groups and assignments: `c1: t0 t1, c2: t2`."""

import re

from kafka_telemetry.groups.assignors.assignor_inputs import Assignment, MemberSubscription, TopicPartition


def assignment(text: str) -> Assignment:
    pairs = (part.split(":") for part in text.split(","))
    return {member_id.strip(): _partitions(partitions) for member_id, partitions in pairs}


def members(text: str, *, owned: str = "") -> list[MemberSubscription]:
    """`c1: t u, c2: t`, and `z=c3` for a member with the instance id z."""
    owned_by = assignment(owned) if owned else {}
    subscriptions = []
    for part in text.split(","):
        name, topics = part.split(":")
        instance_id, _, member_id = name.strip().rpartition("=")
        subscriptions.append(
            MemberSubscription(
                member_id, instance_id or None, frozenset(topics.split()), tuple(owned_by.get(member_id, ()))
            )
        )
    return subscriptions


def with_sorted_partitions(assigned: Assignment) -> Assignment:
    return {member_id: sorted(partitions) for member_id, partitions in assigned.items()}


def _partitions(text: str) -> list[TopicPartition]:
    return [(topic, int(number)) for topic, number in re.findall(r"(\D+?)(\d+)(?:\s+|$)", text.strip())]
