"""Compares an assignment with what its assignor computes, and finds the partitions that it leaves out, for the rules."""

from collections.abc import Mapping
from typing import Any

from kafka_telemetry.groups.assignors import ASSIGNORS
from kafka_telemetry.groups.coordinator.generation import Generation
from kafka_telemetry.groups.coordinator.generation_inputs import GenerationInputs

# Assignors whose result depends on nothing but members, subscriptions and partitions.
_WITHOUT_HISTORY = ("range", "roundrobin")


def computed_columns(generation: Generation, inputs: GenerationInputs, *, with_assignors: bool) -> dict[str, Any]:
    """Columns of silver.group_members by member id."""
    computed = None
    if with_assignors and generation.group_type == "classic" and generation.assignor in _WITHOUT_HISTORY:
        computed = _computed(generation.assignor, inputs)
    unassigned = _unassigned_by_topic(inputs)
    topics = {member.member_id: member.topics for member in inputs.subscriptions or ()}
    return {
        member_id: {
            "computed": computed[member_id] if computed is not None else None,
            "unassigned_partitions": None
            if unassigned is None
            else sum(unassigned.get(topic, 0) for topic in topics[member_id]),
            "previous_member_id": generation.member_before(member),
        }
        for member_id, member in generation.members.items()
    }


def _computed(assignor: str, inputs: GenerationInputs) -> dict[str, list[dict[str, Any]]] | None:
    if not (inputs.is_valid and inputs.is_known) or inputs.subscriptions is None or inputs.partitions is None:
        return None
    assignment = ASSIGNORS[assignor](inputs.subscriptions, inputs.partitions)
    by_member: dict[str, dict[str, list[int]]] = {member_id: {} for member_id in inputs.assignment}
    for member_id, partitions in assignment.items():
        for topic, number in partitions:
            by_member[member_id].setdefault(topic, []).append(number)
    return {
        member_id: [{"topic": topic, "partitions": sorted(numbers)} for topic, numbers in sorted(topics.items())]
        for member_id, topics in by_member.items()
    }


def _unassigned_by_topic(inputs: GenerationInputs) -> Mapping[str, int] | None:
    """How many partitions nobody owns of each topic that has an owned partition: another topic may have been deleted.
    Null where it is not known, and in a cooperative generation that still withholds partitions."""
    if not (inputs.is_valid and inputs.is_known) or inputs.partitions is None or inputs.withheld:
        return None
    assigned: dict[str, int] = {}
    for topic, _ in inputs.assigned:
        assigned[topic] = assigned.get(topic, 0) + 1
    return {topic: inputs.partitions[topic] - count for topic, count in assigned.items() if topic in inputs.partitions}
