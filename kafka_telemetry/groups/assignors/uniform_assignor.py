"""`uniform`, which brokers compute for groups of the `consumer` protocol (KIP-848)."""

from collections.abc import Collection, Iterable, Mapping

from kafka_telemetry.groups.assignors.assignor_inputs import (
    Assignment,
    MemberSubscription,
    TopicPartition,
    sorted_members,
    subscribers_by_topic,
    undisputed_owners,
)
from kafka_telemetry.groups.assignors.even_assignment import even_assignment
from kafka_telemetry.groups.assignors.member_assignment_balancer import MemberAssignmentBalancer

# UniformHeterogeneousAssignmentBuilder.MAX_ITERATION_COUNT
_MAX_ITERATIONS = 16


def uniform_assignor(members: Iterable[MemberSubscription], partitions: Mapping[str, int]) -> Assignment:
    """Where all subscriptions are equal, loads differ by one at most and the fewest partitions move. Otherwise it
    follows the steps of Kafka's UniformHeterogeneousAssignmentBuilder, whose result is nearly even.

    Kafka breaks ties by topic id and by the order of a hash map, this function by topic name and member order.
    """
    members = sorted_members(members)
    if len({frozenset(member.topics) for member in members}) < 2:
        return even_assignment(members, partitions)
    subscribers = subscribers_by_topic(members, partitions)
    # Most partitions for each subscriber first; then the fewest subscribers.
    topics = sorted(
        subscribers, key=lambda topic: (-partitions[topic] / len(subscribers[topic]), len(subscribers[topic]))
    )
    still_owned = _still_owned(members, partitions)
    loads = [len(owned) for owned in still_owned]
    # By topic and partition the position of the member, -1: none.
    owners = {topic: [-1] * partitions[topic] for topic in topics}
    for position, owned in enumerate(still_owned):
        for topic, partition in owned:
            owners[topic][partition] = position

    for topic in topics:
        unassigned = [partition for partition, owner in enumerate(owners[topic]) if owner < 0]
        balancer = MemberAssignmentBalancer(subscribers[topic], loads)
        for partition in unassigned:
            _assign(owners[topic], partition, balancer.next_least_loaded(), loads)
    _balance([topic for topic in topics if len(subscribers[topic]) > 1], subscribers, owners, loads)

    assignment: Assignment = {member.member_id: [] for member in members}
    for topic, owners_of_topic in owners.items():
        for partition, position in enumerate(owners_of_topic):
            assignment[members[position].member_id].append((topic, partition))
    return assignment


def _still_owned(members: Collection[MemberSubscription], partitions: Mapping[str, int]) -> list[list[TopicPartition]]:
    owners = undisputed_owners(members)
    return [
        [
            (topic, partition)
            for topic, partition in set(member.owned)
            if topic in member.topics
            and partition < partitions.get(topic, 0)
            and owners.get((topic, partition)) == member.member_id
        ]
        for member in members
    ]


def _assign(owners: list[int], partition: int, position: int, loads: list[int]) -> None:
    if owners[partition] >= 0:
        loads[owners[partition]] -= 1
    owners[partition] = position
    loads[position] += 1


def _balance(
    topics: list[str], subscribers: Mapping[str, list[int]], owners: Mapping[str, list[int]], loads: list[int]
) -> None:
    """Balances topic after topic, until none has changed in a whole iteration."""
    last_changed = None
    for _ in range(_MAX_ITERATIONS):
        for topic in topics:
            if topic == last_changed:
                return
            if _balance_topic(subscribers[topic], owners[topic], loads) or last_changed is None:
                last_changed = topic


def _balance_topic(subscribers: list[int], owners: list[int], loads: list[int]) -> bool:
    """Moves partitions of a topic from the most to the least loaded members; returns whether any moved."""
    balancer = MemberAssignmentBalancer(subscribers, loads)
    if balancer.imbalance <= 1:
        return False
    partitions_of: dict[int, list[int]] = {}
    for partition, owner in enumerate(owners):
        partitions_of.setdefault(owner, []).append(partition)
    moved = False
    while not balancer.is_balanced():
        giver = balancer.next_most_loaded()
        while giver is not None and not partitions_of.get(giver):
            balancer.exclude_most_loaded()
            giver = balancer.next_most_loaded()
        if giver is None:
            break
        partition = partitions_of[giver].pop()
        receiver = balancer.next_least_loaded()
        if balancer.is_balanced():
            break
        _assign(owners, partition, receiver, loads)
        moved = True
    return moved
