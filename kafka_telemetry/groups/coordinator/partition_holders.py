"""The holder of each partition of a group, record by record: a commit belongs to the holder at its place in the log."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from kafka_telemetry.groups.assignors.assignor_inputs import TopicPartition
from kafka_telemetry.groups.coordinator.epoch_groups import held_partitions
from kafka_telemetry.groups.coordinator.generation import topic_partitions
from kafka_telemetry.groups.coordinator.group import Group
from kafka_telemetry.groups.coordinator.group_record import GroupRecord
from kafka_telemetry.groups.coordinator.last_owners import PartitionOwner

# Changed partitions with their holder; null: no member holds it any more.
_Changes = Mapping[TopicPartition, PartitionOwner | None]


class _CurrentGeneration(NamedTuple):
    """A change of any of these is a row."""

    incarnation: int
    generation: int | None
    member_count: int | None


class PartitionHolders:
    """The members of a classic generation hold their partitions from its record on. A member of a KIP-848 group holds
    those that it has reconciled and not revoked."""

    def __init__(self, group: Group, topic_names: Mapping[str, str]) -> None:
        self._holders = _holders(group, topic_names)
        self._last_holders = {**group.last_owners.by_partition, **self._holders}
        self._generation = _current_generation(group)

    def first_row(self, group: Group) -> dict[str, Any] | None:
        """The group as the day begins; null for a group without a generation."""
        return None if group.current is None else _row(group, None, self._held_rows(dict(self._holders)))

    def row_after(self, group: Group, record: GroupRecord, topic_names: Mapping[str, str]) -> dict[str, Any] | None:
        """What a record has changed that was applied to the group; null: neither the generation nor a holder."""
        if record.role == "generation":
            changes = self._replace_all(_holders(group, topic_names))
        elif record.role == "current_assignment" and group.group_type == "consumer" and record.member_id is not None:
            changes = self._replace_partitions_of(group, record.member_id, topic_names)
        else:
            return None
        before, self._generation = self._generation, _current_generation(group)
        if before.incarnation != self._generation.incarnation or group.current is None:
            self._last_holders = {}
        held = self._held_rows(changes)
        return _row(group, record, held) if held or before != self._generation else None

    def _replace_all(self, holders: Mapping[TopicPartition, PartitionOwner]) -> _Changes:
        before, self._holders = self._holders, dict(holders)
        lost = dict.fromkeys([partition for partition in before if partition not in holders])
        changed = {partition: holder for partition, holder in holders.items() if before.get(partition) != holder}
        return {**lost, **changed}

    def _replace_partitions_of(self, group: Group, member_id: str, topic_names: Mapping[str, str]) -> _Changes:
        held = _held_by(group, member_id, topic_names)
        lost = [
            partition
            for partition, holder in self._holders.items()
            if holder.member_id == member_id and partition not in held
        ]
        changed = {partition: holder for partition, holder in held.items() if self._holders.get(partition) != holder}
        for partition in lost:
            del self._holders[partition]
        self._holders |= held
        return {**dict.fromkeys(lost), **changed}

    def _held_rows(self, changes: _Changes) -> list[dict[str, Any]]:
        """One row per topic, holder and previous holder."""
        by_holder: dict[tuple[PartitionOwner | None, PartitionOwner | None], dict[str, list[int]]] = {}
        for (topic, number), holder in sorted(changes.items(), key=lambda change: change[0]):
            before = self._last_holders.get((topic, number))
            has_moved = (
                before is not None
                and holder is not None
                and not before.is_same_member(holder.member_id, holder.instance_id)
            )
            by_holder.setdefault((holder, before if has_moved else None), {}).setdefault(topic, []).append(number)
            if holder is not None:
                self._last_holders[topic, number] = holder
        return [
            {
                "topic": topic,
                "partitions": numbers,
                "member_id": holder and holder.member_id,
                "client_id": holder and holder.client_id,
                "moved_from_member_id": moved_from and moved_from.member_id,
            }
            for (holder, moved_from), topics in by_holder.items()
            for topic, numbers in topics.items()
        ]


def _current_generation(group: Group) -> _CurrentGeneration:
    """A deleted group has no members."""
    current = group.current
    if current is None:
        return _CurrentGeneration(group.incarnation, None, 0)
    member_count = len(current.members) if current.members_known else None
    return _CurrentGeneration(current.incarnation, current.generation, member_count)


def _row(group: Group, record: GroupRecord | None, held: list[dict[str, Any]]) -> dict[str, Any]:
    current = _current_generation(group)
    return {
        "group_id": group.group_id,
        "incarnation": current.incarnation,
        "generation": current.generation,
        "group_type": group.group_type,
        "member_count": current.member_count,
        "record_offset": record and record.record_offset,
        "since": record and record.recorded_at,
        "held": held,
    }


def _holders(group: Group, topic_names: Mapping[str, str]) -> dict[TopicPartition, PartitionOwner]:
    if group.current is None:
        return {}
    if group.current.group_type == "consumer":
        return {
            partition: holder
            for member_id in sorted(group.latest_records.current_assignments)
            for partition, holder in _held_by(group, member_id, topic_names).items()
        }
    owned = [
        (partition, PartitionOwner(member.member_id, member.client_id, member.instance_id))
        for member in group.current.members.values()
        for partition in topic_partitions(member.owned, topic_names)
    ]
    # A partition with two owners has no known holder.
    owners = Counter(partition for partition, _ in owned)
    return {partition: owner for partition, owner in owned if owners[partition] == 1}


def _held_by(group: Group, member_id: str, topic_names: Mapping[str, str]) -> dict[TopicPartition, PartitionOwner]:
    records = group.latest_records
    current, described = records.current_assignments.get(member_id), records.members.get(member_id)
    if current is None:
        return {}
    value = described.value if described is not None else {}
    holder = PartitionOwner(member_id, value.get("clientId"), value.get("instanceId"))
    return dict.fromkeys(topic_partitions(held_partitions(current.value), topic_names), holder)
