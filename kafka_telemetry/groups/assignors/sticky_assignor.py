"""`sticky` and `cooperative-sticky`, to the letter as far as Kafka's classes are deterministic, without racks.

The results depend on the order of Java's hash maps, which is computed from the ids of members and the names of topics.
"""

from collections.abc import Iterable, Mapping

from kafka_telemetry.groups.assignors.assignor_inputs import Assignment, MemberSubscription, TopicPartition
from kafka_telemetry.groups.assignors.constrained_assignment import constrained_assignment
from kafka_telemetry.groups.assignors.general_assignment import general_assignment
from kafka_telemetry.groups.assignors.sticky_claims import read_claims, subscriptions_are_equal


def sticky_assignor(members: Iterable[MemberSubscription], partitions: Mapping[str, int]) -> Assignment:
    """Computes the assignment of Kafka's StickyAssignor."""
    return _assign(members, partitions, withholds=False)


def cooperative_sticky_assignor(members: Iterable[MemberSubscription], partitions: Mapping[str, int]) -> Assignment:
    """Computes the assignment of Kafka's CooperativeStickyAssignor: the same, except that a partition that another
    member has to revoke first is assigned to nobody until the next generation."""
    return _assign(members, partitions, withholds=True)


def _assign(members: Iterable[MemberSubscription], partitions: Mapping[str, int], *, withholds: bool) -> Assignment:
    members = list(members)
    if not members:
        return {}
    subscribed = {topic for member in members for topic in member.topics}
    partitions = {topic: count for topic, count in partitions.items() if count > 0 and topic in subscribed}
    claims = read_claims(members, partitions)
    if subscriptions_are_equal(claims.members.values()):
        assignment, transferred = constrained_assignment(claims, partitions)
    else:
        assignment = general_assignment(claims, partitions)
        transferred = _transferred(claims.members, assignment)
    if withholds:
        for partition, member_id in transferred.items():
            assignment[member_id].remove(partition)
    return {member.member_id: assignment[member.member_id] for member in members}


def _transferred(members: Mapping[str, MemberSubscription], assignment: Assignment) -> dict[TopicPartition, str]:
    """Partitions that are new to a member while another one loses them."""
    lost = {
        partition
        for member_id, member in members.items()
        for partition in set(member.owned).difference(assignment[member_id])
    }
    return {
        partition: member_id
        for member_id, assigned in assignment.items()
        for partition in assigned
        if partition in lost and partition not in members[member_id].owned
    }
