"""Groups of the classic protocol: one record holds the generation, its members, and what each was assigned."""

from kafka_telemetry.groups.coordinator.generation import Generation, Member, Partitions
from kafka_telemetry.groups.coordinator.group_record import GroupRecord, Json


def describe(generation: Generation, record: GroupRecord) -> None:
    """Makes the generation what the record says of it; what it said before is outdated."""
    value = record.value or {}
    members = value.get("members")
    generation.protocol_type = value.get("protocolType")
    generation.assignor = value.get("protocol")
    generation.leader_member_id = value.get("leader")
    state_at = value.get("currentStateTimestamp")
    if generation.state_at is None and state_at is not None and state_at >= 0:
        generation.state_at = state_at * 1000
    generation.place = generation.place or record.place
    generation.members_told = members is not None
    if members and generation.assigned_at is None:
        generation.assigned_at = record.recorded_at
    before = generation.members
    told = [_member(member, record, value.get("protocolType")) for member in members or ()]
    here = {member.member_id for member in told}
    gone = {one.instance_id: one for one in before.values() if one.instance_id and one.member_id not in here}
    for member in told:
        known = before.get(member.member_id)
        if known is not None:
            member.told_on, member.replaces = known.told_on, known.replaces
        elif member.instance_id in gone:
            member.replaces = [*gone[member.instance_id].replaces, gone[member.instance_id].member_id]
    # Not by `add`: that two members have one instance is for a rule to find.
    generation.members = {member.member_id: member for member in told}


def _member(value: Json, record: GroupRecord, protocol_type: str | None) -> Member:
    """Only the consumers' own protocol is decoded to fields; what others say to each other stays text."""
    session, rebalance = value.get("sessionTimeout"), value.get("rebalanceTimeout")
    member = Member(
        member_id=value["memberId"],
        told_on=record.day,
        client_id=value.get("clientId"),
        client_host=value.get("clientHost"),
        instance_id=value.get("groupInstanceId"),
        session_timeout_ms=session,
        # Version 0 has none: the session timeout stands for it.
        rebalance_timeout_ms=rebalance if rebalance is not None and rebalance >= 0 else session,
    )
    if protocol_type == "consumer":
        subscription, assignment = value.get("subscription"), value.get("assignment")
        if isinstance(subscription, dict):
            member.subscribed_topics = sorted(set(subscription.get("topics") or ()))
            member.claimed = _partitions(subscription.get("ownedPartitions"))
        # A member that the leader gave nothing may have an assignment of no bytes.
        if isinstance(assignment, dict) or assignment == "":
            member.owned = _partitions(assignment.get("assignedPartitions") if assignment else None)
    return member


def _partitions(told: list[Json] | None) -> Partitions:
    return [(of["topic"], of["partitions"], None) for of in told or ()]
