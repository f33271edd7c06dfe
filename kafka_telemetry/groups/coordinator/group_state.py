"""The state of a group that a day leaves to the next, on disk: the JSON of silver.groups.heap.

Every key is written out here, so that renaming an attribute changes nothing on disk. A change of the keys or of what
they mean needs a new VERSION.
"""

from collections.abc import Mapping
from typing import Any

from kafka_telemetry.groups.coordinator.generation import Generation, Member
from kafka_telemetry.groups.coordinator.group import UNKNOWN_HOLES, Group
from kafka_telemetry.groups.coordinator.last_owners import LastOwners, PartitionOwner
from kafka_telemetry.groups.coordinator.latest_records import LatestRecords, RecordValue
from kafka_telemetry.groups.state_version import check_version

VERSION = 2


def encode(group: Group) -> dict[str, Any]:
    return {
        "version": VERSION,
        "group_id": group.group_id,
        "incarnation": group.incarnation,
        "generation": group.generation,
        "group_type": group.group_type,
        "record_offset": group.record_offset,
        "deleted_at": group.deleted_at,
        "in_force": _encode_generation(group.current) if group.current else None,
        "subscribed_topics": group.subscribed_topics,
        "heap": _encode_latest_records(group.latest_records),
        "owners": _encode_last_owners(group.last_owners),
    }


def decode(encoded: Mapping[str, Any], *, complete: bool) -> Group:
    """`complete`: the log has no hole between this state and the days that are replayed from it."""
    check_version(encoded, VERSION)
    return Group(
        group_id=encoded["group_id"],
        incarnation=encoded["incarnation"],
        generation=encoded["generation"],
        group_type=encoded["group_type"],
        record_offset=encoded["record_offset"],
        holes=0 if complete else UNKNOWN_HOLES,
        deleted_at=encoded["deleted_at"],
        current=_decode_generation(encoded["in_force"]) if encoded["in_force"] else None,
        subscribed_topics=encoded["subscribed_topics"],
        latest_records=_decode_latest_records(encoded["heap"]),
        last_owners=_decode_last_owners(encoded["owners"]),
    )


def _encode_generation(generation: Generation) -> dict[str, Any]:
    return {
        "incarnation": generation.incarnation,
        "generation": generation.generation,
        "group_type": generation.group_type,
        "protocol_type": generation.protocol_type,
        "day": generation.day,
        "recorded_at": generation.recorded_at,
        "record_offset": generation.record_offset,
        # The source is that of a record of the day, and the next day has its own.
        "place": None,
        "previous_generation": generation.previous_generation,
        "complete": generation.complete,
        "assignor": generation.assignor,
        "leader_member_id": generation.leader_member_id,
        "state_at": generation.state_at,
        "assigned_at": generation.assigned_at,
        "reconciled_at": generation.reconciled_at,
        "members": {member_id: _encode_member(member) for member_id, member in generation.members.items()},
        "members_told": generation.members_known,
    }


def _decode_generation(encoded: Mapping[str, Any]) -> Generation:
    return Generation(
        incarnation=encoded["incarnation"],
        generation=encoded["generation"],
        group_type=encoded["group_type"],
        protocol_type=encoded["protocol_type"],
        day=encoded["day"],
        recorded_at=encoded["recorded_at"],
        record_offset=encoded["record_offset"],
        source=None,
        previous_generation=encoded["previous_generation"],
        complete=encoded["complete"],
        assignor=encoded["assignor"],
        leader_member_id=encoded["leader_member_id"],
        state_at=encoded["state_at"],
        assigned_at=encoded["assigned_at"],
        reconciled_at=encoded["reconciled_at"],
        members={member_id: _decode_member(member) for member_id, member in encoded["members"].items()},
        members_known=encoded["members_told"],
    )


def _encode_member(member: Member) -> dict[str, Any]:
    return {
        "member_id": member.member_id,
        "told_on": member.recorded_on,
        "client_id": member.client_id,
        "client_host": member.client_host,
        "instance_id": member.instance_id,
        "session_timeout_ms": member.session_timeout_ms,
        "rebalance_timeout_ms": member.rebalance_timeout_ms,
        "subscribed_topics": member.subscribed_topics,
        "subscribed_regex": member.subscribed_regex,
        "owned": member.owned,
        "claimed": member.claimed,
        "owned_now": member.owned_now,
        "member_epoch": member.member_epoch,
        "replaces": member.replaces,
    }


def _decode_member(encoded: Mapping[str, Any]) -> Member:
    return Member(
        member_id=encoded["member_id"],
        recorded_on=encoded["told_on"],
        client_id=encoded["client_id"],
        client_host=encoded["client_host"],
        instance_id=encoded["instance_id"],
        session_timeout_ms=encoded["session_timeout_ms"],
        rebalance_timeout_ms=encoded["rebalance_timeout_ms"],
        subscribed_topics=encoded["subscribed_topics"],
        subscribed_regex=encoded["subscribed_regex"],
        owned=encoded["owned"],
        claimed=encoded["claimed"],
        owned_now=encoded["owned_now"],
        member_epoch=encoded["member_epoch"],
        replaces=encoded["replaces"],
    )


def _encode_latest_records(records: LatestRecords) -> dict[str, Any]:
    return {
        "members": _encode_values(records.members),
        "targets": _encode_values(records.target_assignments),
        "currents": _encode_values(records.current_assignments),
        "patterns": _encode_values(records.regular_expressions),
        "names": records.topic_names,
        "target_epoch": records.target_epoch,
    }


def _decode_latest_records(encoded: Mapping[str, Any]) -> LatestRecords:
    return LatestRecords(
        members=_decode_values(encoded["members"]),
        target_assignments=_decode_values(encoded["targets"]),
        current_assignments=_decode_values(encoded["currents"]),
        regular_expressions=_decode_values(encoded["patterns"]),
        topic_names=encoded["names"],
        target_epoch=encoded["target_epoch"],
    )


def _encode_values(values: Mapping[str, RecordValue]) -> dict[str, Any]:
    return {key: {"record_offset": record.record_offset, "value": record.value} for key, record in values.items()}


def _decode_values(encoded: Mapping[str, Any]) -> dict[str, RecordValue]:
    return {
        key: RecordValue(record_offset=record["record_offset"], value=record["value"])
        for key, record in encoded.items()
    }


def _encode_last_owners(owners: LastOwners) -> dict[str, Any]:
    """Per owner its ids, then its partitions by topic."""
    partitions: dict[PartitionOwner, dict[str, list[int]]] = {}
    for (topic, number), owner in sorted(owners.by_partition.items(), key=lambda item: item[0]):
        partitions.setdefault(owner, {}).setdefault(topic, []).append(number)
    return {
        "incarnation": owners.incarnation,
        "had": [[owner.member_id, owner.client_id, owner.instance_id, topics] for owner, topics in partitions.items()],
        "released": [[topic, number] for topic, number in sorted(owners.released)],
    }


def _decode_last_owners(encoded: Mapping[str, Any]) -> LastOwners:
    owners = LastOwners(encoded["incarnation"])
    for member_id, client_id, instance_id, topics in encoded["had"]:
        owner = PartitionOwner(member_id, client_id, instance_id)
        for topic, numbers in topics.items():
            owners.by_partition.update({(topic, number): owner for number in numbers})
    owners.released.update((topic, number) for topic, number in encoded["released"])
    return owners
