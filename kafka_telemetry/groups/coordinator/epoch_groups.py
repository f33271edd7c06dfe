"""Groups of KIP-848, share and streams groups: an epoch, and beside it records of their own for each member."""

from dataclasses import dataclass, field

from kafka_telemetry.groups.coordinator.generation import Generation, Member, Partitions
from kafka_telemetry.groups.coordinator.group_record import GroupRecord, Json


@dataclass
class Told:
    """A value and where in the log it stands."""

    record_offset: int | None
    value: Json


@dataclass
class Heap:
    """The newest record of every key of the group, as the coordinator holds them."""

    members: dict[str, Told] = field(default_factory=dict)
    targets: dict[str, Told] = field(default_factory=dict)
    currents: dict[str, Told] = field(default_factory=dict)
    patterns: dict[str, Told] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    target_epoch: int | None = None

    def take(self, record: GroupRecord) -> None:
        value = record.value
        if record.role == "target_epoch":
            self.target_epoch = value.get("assignmentEpoch") if value is not None else None
            return
        if record.role == "names":
            self.names |= _names(value or {})
            return
        held = {"member": self.members, "target": self.targets, "current": self.currents, "pattern": self.patterns}.get(
            record.role
        )
        key = record.pattern if record.role == "pattern" else record.member_id
        if held is None or key is None:
            return
        if value is None:
            held.pop(key, None)
        else:
            held[key] = Told(record.record_offset, value)

    def forget_before(self, record_offset: int) -> None:
        """Drops what an earlier incarnation left: its tombstones were cleaned away."""
        for held in (self.members, self.targets, self.currents, self.patterns):
            for key in [key for key, told in held.items() if (told.record_offset or 0) < record_offset]:
                del held[key]


def describe(generation: Generation, heap: Heap) -> None:
    """The members that stand when the epoch is written are its members."""
    generation.members = {member_id: _member(member_id, heap, generation) for member_id in sorted(heap.members)}
    generation.assignor = _asked_for(heap)


def follow(generation: Generation, record: GroupRecord, heap: Heap) -> None:
    """What is written after the epoch, and before the next, tells how it went on."""
    if record.value is None:
        return
    if record.role == "target_epoch" and heap.target_epoch == generation.generation:
        generation.assigned_at = generation.assigned_at or record.recorded_at
        for member in generation.members.values():
            member.owned = _target(member.member_id, heap, generation)
    elif record.role in ("target", "current") and record.member_id in heap.members:
        if record.member_id not in generation.members:
            # A static member came back, without a new epoch.
            generation.add(_member(record.member_id, heap, generation, told_on=record.day), record.place)
        member = generation.members[record.member_id]
        if record.role == "target":
            member.owned = _target(member.member_id, heap, generation)
        else:
            _reconcile(member, record.value)
    elif record.role == "pattern":
        for member in generation.members.values():
            told = heap.members.get(member.member_id)
            if told is not None and member.subscribed_topics is None:
                member.subscribed_topics = _subscribed(told.value, heap)
    if generation.reconciled_at is None and generation.members and _all_have_it(generation, heap):
        generation.reconciled_at = record.recorded_at


def _all_have_it(generation: Generation, heap: Heap) -> bool:
    if heap.target_epoch != generation.generation:
        return False
    currents = [heap.currents.get(member_id) for member_id in generation.members]
    return all(
        told is not None and told.value.get("memberEpoch") == generation.generation and told.value.get("state") == 0
        for told in currents
    )


def _member(member_id: str, heap: Heap, generation: Generation, *, told_on: int | None = None) -> Member:
    value = heap.members[member_id].value
    rebalance = value.get("rebalanceTimeoutMs")
    classic = value.get("classicMemberMetadata") or {}
    by_topic = generation.group_type != "streams"
    member = Member(
        member_id=member_id,
        told_on=generation.day if told_on is None else told_on,
        client_id=value.get("clientId"),
        client_host=value.get("clientHost"),
        instance_id=value.get("instanceId"),
        session_timeout_ms=classic.get("sessionTimeoutMs"),
        rebalance_timeout_ms=rebalance if rebalance is not None and rebalance >= 0 else None,
        subscribed_topics=_subscribed(value, heap) if by_topic else None,
        subscribed_regex=value.get("subscribedTopicRegex") or None,
        owned=_target(member_id, heap, generation),
    )
    current = heap.currents.get(member_id)
    if current is not None:
        _reconcile(member, current.value)
    return member


def _target(member_id: str, heap: Heap, generation: Generation) -> Partitions | None:
    """Null while the epoch has no target of its own: what stands is that of an epoch before."""
    if generation.group_type == "streams" or heap.target_epoch != generation.generation:
        return None
    target = heap.targets.get(member_id)
    return _partitions(target.value.get("topicPartitions")) if target else []


def _reconcile(member: Member, value: Json) -> None:
    member.member_epoch = value.get("memberEpoch")
    if "assignedPartitions" in value:
        member.owned_now = _partitions(value["assignedPartitions"])


def reconciled(value: Json) -> Partitions:
    """What a member holds by its current assignment: what it is asked to give back is still its own."""
    told = (value.get("assignedPartitions"), value.get("partitionsPendingRevocation"))
    return [of for partitions in told for of in _partitions(partitions)]


def _subscribed(value: Json, heap: Heap) -> list[str] | None:
    """Null where a regular expression is not resolved yet."""
    topics = set(value.get("subscribedTopicNames") or ())
    pattern = value.get("subscribedTopicRegex")
    if pattern:
        resolved = heap.patterns.get(pattern)
        if resolved is None:
            return None
        topics |= set(resolved.value.get("topics") or ())
    return sorted(topics)


def _asked_for(heap: Heap) -> str | None:
    """The assignor that most members ask for; null where none does: the broker's default."""
    asked = [told.value.get("serverAssignor") for told in heap.members.values()]
    named = sorted(name for name in asked if name)
    return max(named, key=named.count) if named else None


def _partitions(told: list[Json] | None) -> Partitions:
    return [(None, sorted(of["partitions"]), of["topicId"]) for of in told or ()]


def _names(value: Json) -> dict[str, str]:
    lists = ("topics", "initializingTopics", "initializedTopics", "deletingTopics")
    return {of["topicId"]: of["topicName"] for name in lists for of in value.get(name) or ()}
