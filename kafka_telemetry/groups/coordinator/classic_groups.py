"""Groups of the classic protocol: one record contains the generation, its members and their assignment."""

from kafka_telemetry.formats.time_range import LATEST_TIME
from kafka_telemetry.groups.coordinator.generation import Generation, Member, PartitionsByTopic
from kafka_telemetry.groups.coordinator.group_record import GroupRecord, JsonObject


def update_classic_generation(generation: Generation, record: GroupRecord) -> None:
    """Sets everything that the record contains; an earlier record of the generation is outdated."""
    value = record.value or {}
    members = value.get("members")
    generation.protocol_type = value.get("protocolType")
    generation.assignor = value.get("protocol")
    generation.leader_member_id = value.get("leader")
    state_at = value.get("currentStateTimestamp")
    if generation.state_at is None and state_at is not None and 0 <= state_at <= LATEST_TIME:
        generation.state_at = state_at * 1000
    generation.source = generation.source or record.source
    generation.members_known = members is not None
    if members and generation.assigned_at is None:
        generation.assigned_at = record.recorded_at
    before = generation.members
    present = [_member(member, record, value.get("protocolType")) for member in members or ()]
    present_ids = {member.member_id for member in present}
    gone = {
        member.instance_id: member
        for member in before.values()
        if member.instance_id and member.member_id not in present_ids
    }
    for member in present:
        known = before.get(member.member_id)
        if known is not None:
            member.recorded_on, member.replaces = known.recorded_on, known.replaces
        elif member.instance_id in gone:
            member.replaces = [*gone[member.instance_id].replaces, gone[member.instance_id].member_id]
    # Not by `add_member`: a rule finds two members with the same instance id.
    generation.members = {member.member_id: member for member in present}


def _member(value: JsonObject, record: GroupRecord, protocol_type: str | None) -> Member:
    """Fields of subscription and assignment are known only of the consumer protocol."""
    session, rebalance = value.get("sessionTimeout"), value.get("rebalanceTimeout")
    member = Member(
        member_id=value["memberId"],
        recorded_on=record.day,
        client_id=value.get("clientId"),
        client_host=value.get("clientHost"),
        instance_id=value.get("groupInstanceId"),
        session_timeout_ms=session,
        # Version 0 has no rebalance timeout: the session timeout is used for it.
        rebalance_timeout_ms=rebalance if rebalance is not None and rebalance >= 0 else session,
    )
    if protocol_type == "consumer":
        subscription, assignment = value.get("subscription"), value.get("assignment")
        if isinstance(subscription, dict):
            member.subscribed_topics = sorted(set(subscription.get("topics") or ()))
            member.claimed = _partitions(subscription.get("ownedPartitions"))
        # A member to which the leader assigned nothing may have an assignment of no bytes.
        if isinstance(assignment, dict) or assignment == "":
            member.owned = _partitions(assignment.get("assignedPartitions") if assignment else None)
    return member


def _partitions(values: list[JsonObject] | None) -> PartitionsByTopic:
    return [(value["topic"], value["partitions"], None) for value in values or ()]
