"""What the members of a group say that they own, as Kafka's sticky assignors understand it."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kafka_telemetry.groups.assignors.assignor_inputs import MemberSubscription, TopicPartition
from kafka_telemetry.groups.assignors.java_hash_map import in_hash_map_order


class StickyClaims(NamedTuple):
    """Members are in the order of the leader's hash map of subscriptions."""

    members: dict[str, MemberSubscription]
    # Of each member, in topics that have partitions.
    owned: dict[str, list[TopicPartition]]
    # Partitions that two members claim in the same generation: neither keeps them.
    disputed: set[TopicPartition]


def read_claims(members: Iterable[MemberSubscription], partitions: Mapping[str, int]) -> StickyClaims:
    """`members` are in the order in which the coordinator sent them to the leader. Of two claims the one of the higher
    generation counts."""
    by_id = {member.member_id: member for member in members}
    in_order = in_hash_map_order(by_id)
    claims = StickyClaims({member_id: by_id[member_id] for member_id in in_order}, {}, set())
    owners: dict[TopicPartition, MemberSubscription] = {}
    for member_id, member in claims.members.items():
        owned = claims.owned[member_id] = []
        for partition in member.owned:
            if partitions.get(partition[0], 0) <= 0:
                continue
            other = owners.get(partition)
            if other is not None:
                if member.generation < other.generation:
                    continue
                if partition in claims.owned[other.member_id]:
                    claims.owned[other.member_id].remove(partition)
            owners[partition] = member
            if other is not None and member.generation == other.generation:
                claims.disputed.add(partition)
            else:
                owned.append(partition)
    return claims


def subscriptions_are_equal(members: Iterable[MemberSubscription]) -> bool:
    """As Kafka compares them: a member without topics before any with topics is equal to every other."""
    first: frozenset[str] = frozenset()
    for member in members:
        topics = frozenset(member.topics)
        if not first:
            first = topics
        elif topics != first:
            return False
    return True
