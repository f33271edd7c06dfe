"""KIP-848, share and streams groups: one record contains the epoch, others a member or an assignment each."""

from kafka_telemetry.groups.coordinator.generation import Generation, Member, PartitionsByTopic
from kafka_telemetry.groups.coordinator.group_record import GroupRecord, JsonObject
from kafka_telemetry.groups.coordinator.latest_records import LatestRecords


def set_epoch_members(generation: Generation, records: LatestRecords) -> None:
    """The members of an epoch are those that exist when its record is written."""
    generation.members = {member_id: _member(member_id, records, generation) for member_id in sorted(records.members)}
    generation.assignor = _requested_assignor(records)


def update_epoch(generation: Generation, record: GroupRecord, records: LatestRecords) -> None:
    """Records between that of an epoch and that of the next show its target and how it is reconciled."""
    if record.value is None:
        return
    if record.role == "target_epoch" and records.target_epoch == generation.generation:
        generation.assigned_at = generation.assigned_at or record.recorded_at
        for member in generation.members.values():
            member.owned = _target(member.member_id, records, generation)
    elif record.role in ("target_assignment", "current_assignment") and record.member_id in records.members:
        if record.member_id not in generation.members:
            # A static member returned, without a new epoch.
            returned = _member(record.member_id, records, generation, recorded_on=record.day)
            generation.add_member(returned, record.source)
        member = generation.members[record.member_id]
        if record.role == "target_assignment":
            member.owned = _target(member.member_id, records, generation)
        else:
            _set_reconciled(member, record.value)
    elif record.role == "regular_expression":
        for member in generation.members.values():
            described = records.members.get(member.member_id)
            if described is not None and member.subscribed_topics is None:
                member.subscribed_topics = _subscribed_topics(described.value, records)
    if generation.reconciled_at is None and generation.members and _is_reconciled(generation, records):
        generation.reconciled_at = record.recorded_at


def held_partitions(current_assignment: JsonObject) -> PartitionsByTopic:
    """A member holds its partitions until it has revoked them, also those that it has been asked to revoke."""
    lists = (current_assignment.get("assignedPartitions"), current_assignment.get("partitionsPendingRevocation"))
    return [partitions for values in lists for partitions in _partitions(values)]


def _is_reconciled(generation: Generation, records: LatestRecords) -> bool:
    if records.target_epoch != generation.generation:
        return False
    assignments = [records.current_assignments.get(member_id) for member_id in generation.members]
    return all(
        assignment is not None
        and assignment.value.get("memberEpoch") == generation.generation
        and assignment.value.get("state") == 0
        for assignment in assignments
    )


def _member(
    member_id: str, records: LatestRecords, generation: Generation, *, recorded_on: int | None = None
) -> Member:
    value = records.members[member_id].value
    rebalance = value.get("rebalanceTimeoutMs")
    classic = value.get("classicMemberMetadata") or {}
    has_topics = generation.group_type != "streams"
    member = Member(
        member_id=member_id,
        recorded_on=generation.day if recorded_on is None else recorded_on,
        client_id=value.get("clientId"),
        client_host=value.get("clientHost"),
        instance_id=value.get("instanceId"),
        session_timeout_ms=classic.get("sessionTimeoutMs"),
        rebalance_timeout_ms=rebalance if rebalance is not None and rebalance >= 0 else None,
        subscribed_topics=_subscribed_topics(value, records) if has_topics else None,
        subscribed_regex=value.get("subscribedTopicRegex") or None,
        owned=_target(member_id, records, generation),
    )
    current = records.current_assignments.get(member_id)
    if current is not None:
        _set_reconciled(member, current.value)
    return member


def _target(member_id: str, records: LatestRecords, generation: Generation) -> PartitionsByTopic | None:
    """Null while the epoch has no target: the latest one belongs to an earlier epoch."""
    if generation.group_type == "streams" or records.target_epoch != generation.generation:
        return None
    target = records.target_assignments.get(member_id)
    return _partitions(target.value.get("topicPartitions")) if target else []


def _set_reconciled(member: Member, current_assignment: JsonObject) -> None:
    member.member_epoch = current_assignment.get("memberEpoch")
    if "assignedPartitions" in current_assignment:
        member.owned_now = _partitions(current_assignment["assignedPartitions"])


def _subscribed_topics(value: JsonObject, records: LatestRecords) -> list[str] | None:
    """Null while a regular expression is not resolved."""
    topics = set(value.get("subscribedTopicNames") or ())
    expression = value.get("subscribedTopicRegex")
    if expression:
        resolved = records.regular_expressions.get(expression)
        if resolved is None:
            return None
        topics |= set(resolved.value.get("topics") or ())
    return sorted(topics)


def _requested_assignor(records: LatestRecords) -> str | None:
    """The assignor that most members request; null where none requests one, so that the broker's default applies."""
    requested = [member.value.get("serverAssignor") for member in records.members.values()]
    named = sorted(name for name in requested if name)
    return max(named, key=named.count) if named else None


def _partitions(values: list[JsonObject] | None) -> PartitionsByTopic:
    return [(None, sorted(value["partitions"]), value["topicId"]) for value in values or ()]
