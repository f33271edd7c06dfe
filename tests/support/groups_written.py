"""Groups and assignments in short: `c1: t0 t1, c2: t2`."""

import re

from kafka_telemetry.groups.assignors.assignor_inputs import Assignment, Member, TopicPartition


def assigned(text: str) -> Assignment:
    pairs = (each.split(":") for each in text.split(","))
    return {member.strip(): _partitions(given) for member, given in pairs}


def members(text: str, *, had: str = "") -> list[Member]:
    """`c1: t u, c2: t`, and `z=c3` for a member with the instance id z."""
    owned = assigned(had) if had else {}
    found = []
    for each in text.split(","):
        name, topics = each.split(":")
        instance_id, _, member_id = name.strip().rpartition("=")
        found.append(Member(member_id, instance_id or None, frozenset(topics.split()), tuple(owned.get(member_id, ()))))
    return found


def in_order(assignment: Assignment) -> Assignment:
    return {member: sorted(given) for member, given in assignment.items()}


def _partitions(text: str) -> list[TopicPartition]:
    return [(topic, int(number)) for topic, number in re.findall(r"(\D+?)(\d+)(?:\s+|$)", text.strip())]
