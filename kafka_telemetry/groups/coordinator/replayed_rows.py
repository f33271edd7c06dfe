"""Rows of silver.group_generations, silver.group_members and silver.groups."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from kafka_telemetry.groups.coordinator import group_state
from kafka_telemetry.groups.coordinator.generation import Generation, Member, PartitionsByTopic
from kafka_telemetry.groups.coordinator.group import Group
from kafka_telemetry.groups.coordinator.group_balance import has_owners
from kafka_telemetry.groups.coordinator.group_record import GroupRecord
from kafka_telemetry.groups.coordinator.last_owners import LastOwners
from kafka_telemetry.groups.coordinator.member_comparison import compare_members


def generation_row(group_id: str, generation: Generation) -> dict[str, Any]:
    replaced = (old for member in generation.members.values() for old in member.replaces)
    return {
        "group_id": group_id,
        "incarnation": generation.incarnation,
        "generation": generation.generation,
        "group_type": generation.group_type,
        "protocol_type": generation.protocol_type,
        "assignor": generation.assignor,
        "leader_member_id": generation.leader_member_id,
        "state_at": generation.state_at,
        "assigned_at": generation.assigned_at,
        "reconciled_at": generation.reconciled_at,
        "recorded_at": generation.recorded_at,
        "member_count": len(generation.members) if generation.members_known else None,
        "previous_generation": generation.previous_generation,
        "complete": generation.complete,
        "record_offset": generation.record_offset,
        "contradicted": False,
        "member_ids": sorted({*generation.members, *replaced}),
        **_source_columns(generation),
    }


def row_without_generation(record: GroupRecord) -> dict[str, Any]:
    """A record that begins no generation has a row too, so that every record is counted."""
    return {
        "group_id": record.group_id,
        "recorded_at": record.recorded_at,
        "record_offset": record.record_offset,
        "contradicted": record.contradicted,
        **record.source._asdict(),
    }


def member_rows(
    group_id: str, generation: Generation, day: int, topic_names: Mapping[str, str], last_owners: LastOwners
) -> Iterator[dict[str, Any]]:
    """One row per member that records of the day added to the generation."""
    comparisons = compare_members(generation, topic_names)
    for member in generation.members.values():
        if member.recorded_on == day:
            can_move = has_owners(generation) and member.owned is not None
            yield {
                "group_id": group_id,
                "incarnation": generation.incarnation,
                "generation": generation.generation,
                "group_type": generation.group_type,
                "protocol_type": generation.protocol_type,
                "member_id": member.member_id,
                "client_id": member.client_id,
                "client_host": member.client_host,
                "instance_id": member.instance_id,
                "session_timeout_ms": member.session_timeout_ms,
                "rebalance_timeout_ms": member.rebalance_timeout_ms,
                "subscribed_topics": member.subscribed_topics,
                "subscribed_regex": member.subscribed_regex,
                "owned": _partition_columns(member.owned, topic_names),
                "moved": _moved_columns(member, topic_names, last_owners) if can_move else None,
                "claimed": _partition_columns(member.claimed, topic_names),
                "owned_now": _partition_columns(member.owned_now, topic_names),
                "member_epoch": member.member_epoch,
                "replaces": member.replaces,
                **comparisons[member.member_id],
                **_source_columns(generation),
                "copies": 1,
            }


def group_row(group: Group) -> dict[str, Any]:
    """The group as the day leaves it, with the state that the next day starts from."""
    current = group.current
    return {
        "group_id": group.group_id,
        "incarnation": group.incarnation,
        "generation": group.generation,
        "group_type": group.group_type,
        "member_count": len(current.members) if current is not None and current.members_known else None,
        "subscribed_topics": group.subscription(),
        "emptied_at": _emptied_at(current),
        "deleted_at": group.deleted_at if group.deleted_at is not None and group.deleted_at >= 0 else None,
        "record_offset": group.record_offset if group.record_offset >= 0 else None,
        "holes": group.holes,
        "heap": json.dumps(group_state.encode(group), ensure_ascii=False, separators=(",", ":")),
    }


def _emptied_at(current: Generation | None) -> int | None:
    """From then on Kafka counts how long it keeps the committed offsets."""
    if current is None or current.members or not current.members_known:
        return None
    return current.state_at if current.state_at is not None else current.recorded_at


def _source_columns(generation: Generation) -> dict[str, Any]:
    assert generation.source is not None
    return generation.source._asdict()


def _partition_columns(
    partitions: PartitionsByTopic | None, topic_names: Mapping[str, str]
) -> list[dict[str, Any]] | None:
    if partitions is None:
        return None
    return [
        {"topic": topic or topic_names.get(topic_id or ""), "partitions": numbers, "topic_id": topic_id}
        for topic, numbers, topic_id in partitions
    ]


def _moved_columns(member: Member, topic_names: Mapping[str, str], last_owners: LastOwners) -> list[dict[str, Any]]:
    return [
        {
            "topic": topic,
            "partition_id": number,
            "from_member_id": owner.member_id,
            "from_client_id": owner.client_id,
        }
        for (topic, number), owner in last_owners.moved_to(member, topic_names)
    ]
