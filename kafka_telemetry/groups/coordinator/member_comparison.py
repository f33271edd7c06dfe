"""Compares a member with the other members of its generation, for the rules."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from kafka_telemetry.groups.coordinator.generation import Generation, topic_partitions


def compare_members(generation: Generation, topic_names: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Columns of silver.group_members by member id."""
    members = list(generation.members.values())
    owned = {member.member_id: topic_partitions(member.owned, topic_names) for member in members}
    owners = Counter(partition for partitions in owned.values() for partition in partitions)
    instances = Counter(member.instance_id for member in members)
    # Partitions that a member still owned when it joined exist too, even if they are withheld until it revokes them.
    known = set(owners) | {
        partition for member in members for partition in topic_partitions(member.claimed, topic_names)
    }
    all_assigned = all(member.owned is not None for member in members)
    return {
        member.member_id: {
            "members_in_generation": len(members),
            "partitions_in_generation": len(known) if all_assigned else None,
            "shared_partitions": sum(owners[partition] > 1 for partition in owned[member.member_id]),
            "shares_instance": None if member.instance_id is None else instances[member.instance_id] > 1,
        }
        for member in members
    }
