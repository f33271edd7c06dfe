"""What the rules compare a member by: the other members of its generation."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from kafka_telemetry.groups.coordinator.generation import Generation, places


def compared(generation: Generation, names: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """By member: columns that say how it stands beside the others."""
    members = list(generation.members.values())
    owned = {member.member_id: places(member.owned, names) for member in members}
    owners = Counter(place for of_member in owned.values() for place in of_member)
    instances = Counter(member.instance_id for member in members)
    # What a member still held when it joined is there too, be it withheld until its owner lets go.
    known = set(owners) | {place for member in members for place in places(member.claimed, names)}
    all_told = all(member.owned is not None for member in members)
    return {
        member.member_id: {
            "members_in_generation": len(members),
            "partitions_in_generation": len(known) if all_told else None,
            "shared_partitions": sum(owners[place] > 1 for place in owned[member.member_id]),
            "shares_instance": None if member.instance_id is None else instances[member.instance_id] > 1,
        }
        for member in members
    }
