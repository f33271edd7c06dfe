"""`uniform`, which brokers compute for groups of the `consumer` protocol (KIP-848)."""

from collections.abc import Collection, Iterable, Mapping

from kafka_telemetry.groups.assignors.assignor_inputs import (
    Assignment,
    Member,
    TopicPartition,
    in_member_order,
    last_owners,
    subscribers,
)
from kafka_telemetry.groups.assignors.evening import Evening
from kafka_telemetry.groups.assignors.sticky_assignor import sticky_assignor

# UniformHeterogeneousAssignmentBuilder.MAX_ITERATION_COUNT
_ROUNDS = 16


def uniform_assignor(members: Iterable[Member], partitions: Mapping[str, int]) -> Assignment:
    """Equal subscriptions: within one of each other, fewest moves. Others: what Kafka's own steps come to, which is nearly even.

    Kafka's steps break ties by topic id and by the order of a hash map; here it is the topic's name and the member order.
    """
    ordered = in_member_order(members)
    if len({frozenset(member.topics) for member in ordered}) < 2:
        return sticky_assignor(ordered, partitions)
    wanted = subscribers(ordered, partitions)
    # Most partitions for each subscriber first; then the fewest subscribers.
    topics = sorted(wanted, key=lambda topic: (-partitions[topic] / len(wanted[topic]), len(wanted[topic])))
    owned = _still_owned(ordered, partitions)
    sizes = [len(own) for own in owned]
    holders = {topic: [-1] * partitions[topic] for topic in topics}
    for place, own in enumerate(owned):
        for topic, partition in own:
            holders[topic][partition] = place

    for topic in topics:
        unassigned = [partition for partition, holder in enumerate(holders[topic]) if holder < 0]
        evening = Evening(wanted[topic], sizes)
        for partition in unassigned:
            _give(holders[topic], partition, evening.next_least_loaded(), sizes)
    _balance([topic for topic in topics if len(wanted[topic]) > 1], wanted, holders, sizes)

    given: Assignment = {member.member_id: [] for member in ordered}
    for topic, places in holders.items():
        for partition, place in enumerate(places):
            given[ordered[place].member_id].append((topic, partition))
    return given


def _still_owned(members: Collection[Member], partitions: Mapping[str, int]) -> list[list[TopicPartition]]:
    owners = last_owners(members)
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


def _give(holders: list[int], partition: int, place: int, sizes: list[int]) -> None:
    if holders[partition] >= 0:
        sizes[holders[partition]] -= 1
    holders[partition] = place
    sizes[place] += 1


def _balance(
    topics: list[str], wanted: Mapping[str, list[int]], holders: Mapping[str, list[int]], sizes: list[int]
) -> None:
    """Topic after topic, until none has changed in a whole turn."""
    last_changed = None
    for _ in range(_ROUNDS):
        for topic in topics:
            if topic == last_changed:
                return
            if _balance_topic(wanted[topic], holders[topic], sizes) or last_changed is None:
                last_changed = topic


def _balance_topic(places: list[int], holders: list[int], sizes: list[int]) -> bool:
    """From those who have most, of all topics, to those who have least; whether anything moved."""
    evening = Evening(places, sizes)
    if evening.imbalance <= 1:
        return False
    held: dict[int, list[int]] = {}
    for partition, holder in enumerate(holders):
        held.setdefault(holder, []).append(partition)
    moved = False
    while not evening.is_even():
        place = evening.next_most_loaded()
        while place is not None and not held.get(place):
            evening.exclude_most_loaded()
            place = evening.next_most_loaded()
        if place is None:
            break
        partition = held[place].pop()
        to = evening.next_least_loaded()
        if evening.is_even():
            break
        _give(holders, partition, to, sizes)
        moved = True
    return moved
