"""Who holds each partition of a group, record by record: a commit belongs to the holder at its place in the log."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from kafka_telemetry.groups.assignors.assignor_inputs import TopicPartition
from kafka_telemetry.groups.coordinator.epoch_groups import reconciled
from kafka_telemetry.groups.coordinator.generation import places
from kafka_telemetry.groups.coordinator.group import Group
from kafka_telemetry.groups.coordinator.group_record import GroupRecord
from kafka_telemetry.groups.coordinator.last_owners import Owner

Row = dict[str, Any]
Names = Mapping[str, str]
Holdings = Mapping[TopicPartition, Owner | None]


class Holders:
    """A classic group's generation gives all at once; a member of a KIP-848 group holds what it has not let go of."""

    def __init__(self, group: Group, names: Names) -> None:
        self._now = _held(group, names)
        self._last = {**group.owners.last, **self._now}
        self._stands = _stands(group)

    def begin(self, group: Group) -> Row | None:
        """How the group stands when a day begins; null for a group without a generation."""
        return None if group.in_force is None else _row(group, None, self._told(dict(self._now)))

    def take(self, group: Group, record: GroupRecord, names: Names) -> Row | None:
        """What a record changed, after the group has taken it; null: neither the generation nor a holder."""
        if record.role == "generation":
            changes = self._become(_held(group, names))
        elif record.role == "current" and group.group_type == "consumer" and record.member_id is not None:
            changes = self._hold(group, record.member_id, names)
        else:
            return None
        stood, self._stands = self._stands, _stands(group)
        if stood[0] != self._stands[0] or group.in_force is None:
            self._last = {}
        held = self._told(changes)
        return _row(group, record, held) if held or stood != self._stands else None

    def _become(self, held: Mapping[TopicPartition, Owner]) -> Holdings:
        before, self._now = self._now, dict(held)
        lost = dict.fromkeys([place for place in before if place not in held])
        return {**lost, **{place: owner for place, owner in held.items() if before.get(place) != owner}}

    def _hold(self, group: Group, member_id: str, names: Names) -> Holdings:
        held = _of_member(group, member_id, names)
        lost = [place for place, owner in self._now.items() if owner.member_id == member_id and place not in held]
        changes = {place: owner for place, owner in held.items() if self._now.get(place) != owner}
        for place in lost:
            del self._now[place]
        self._now |= held
        return {**dict.fromkeys(lost), **changes}

    def _told(self, changes: Holdings) -> list[Row]:
        """Rows of partitions that got the same holder from the same one before."""
        by_owner: dict[tuple[Owner | None, Owner | None], dict[str, list[int]]] = {}
        for (topic, number), owner in sorted(changes.items(), key=lambda of: of[0]):
            before = self._last.get((topic, number))
            moved = before if before is not None and owner is not None and not _is_same(before, owner) else None
            by_owner.setdefault((owner, moved), {}).setdefault(topic, []).append(number)
            if owner is not None:
                self._last[topic, number] = owner
        return [
            {
                "topic": topic,
                "partitions": numbers,
                "member_id": owner and owner.member_id,
                "client_id": owner and owner.client_id,
                "moved_from_member_id": moved and moved.member_id,
            }
            for (owner, moved), topics in by_owner.items()
            for topic, numbers in topics.items()
        ]


def _stands(group: Group) -> tuple[int, int | None, int | None]:
    """What a change of makes another generation: deleted, its members are none."""
    one = group.in_force
    if one is None:
        return group.incarnation, None, 0
    return one.incarnation, one.generation, len(one.members) if one.members_told else None


def _row(group: Group, record: GroupRecord | None, held: list[Row]) -> Row:
    incarnation, generation, member_count = _stands(group)
    return {
        "group_id": group.group_id,
        "incarnation": incarnation,
        "generation": generation,
        "group_type": group.group_type,
        "member_count": member_count,
        "record_offset": record and record.record_offset,
        "since": record and record.recorded_at,
        "held": held,
    }


def _held(group: Group, names: Names) -> dict[TopicPartition, Owner]:
    if group.in_force is None:
        return {}
    if group.in_force.group_type == "consumer":
        return {
            place: owner
            for member_id in sorted(group.heap.currents)
            for place, owner in _of_member(group, member_id, names).items()
        }
    given = [
        (place, Owner(one.member_id, one.client_id, one.instance_id))
        for one in group.in_force.members.values()
        for place in places(one.owned, names)
    ]
    # Of two that claim one partition nobody can say whose it is.
    claims = Counter(place for place, _ in given)
    return {place: owner for place, owner in given if claims[place] == 1}


def _of_member(group: Group, member_id: str, names: Names) -> dict[TopicPartition, Owner]:
    current, described = group.heap.currents.get(member_id), group.heap.members.get(member_id)
    if current is None:
        return {}
    value = described.value if described is not None else {}
    owner = Owner(member_id, value.get("clientId"), value.get("instanceId"))
    return dict.fromkeys(places(reconciled(current.value), names), owner)


def _is_same(before: Owner, now: Owner) -> bool:
    """A static member that comes back has another id, and is the same."""
    return before.member_id == now.member_id or (
        before.instance_id is not None and before.instance_id == now.instance_id
    )
