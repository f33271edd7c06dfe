"""Random groups: equal and unequal subscriptions, static members, owners from earlier generations."""

import random
from uuid import UUID

from kafka_telemetry.groups.assignors.assignor_inputs import (
    MemberSubscription,
    TopicPartition,
    java_sort_key,
    sorted_members,
)
from kafka_telemetry.groups.assignors.range_assignor import range_assignor
from support.kafka_assignors import SubscribedGroup

# Java sorts the second before the third; by code points the third comes first.
_LETTERS = ["a", "\U0001d11e", "\uff5e", "B", "é", "-", "7"]


def random_groups(count: int, seed: int) -> list[SubscribedGroup]:
    rng = random.Random(seed)
    return [_group(rng) for _ in range(count)]


def large_groups(count: int, seed: int) -> list[SubscribedGroup]:
    """Groups with member ids as Kafka makes them, most of whose members owned something."""
    rng = random.Random(seed)
    groups = []
    for _ in range(count):
        partitions = {f"orders-{rng.randrange(10**6)}": rng.choice([3, 12, 30]) for _ in range(rng.randint(1, 12))}
        topics = sorted(partitions)
        ids = [f"consumer-g-{nth}-{UUID(int=rng.getrandbits(128))}" for nth in range(rng.randint(2, 80))]
        owners = rng.sample(ids, max(1, len(ids) * 3 // 4))
        owned = {(topic, nth): rng.choice(owners) for topic, number in partitions.items() for nth in range(number)}
        is_equal = rng.random() < 0.5
        members = [
            MemberSubscription(
                member_id,
                None,
                frozenset(topics if is_equal else rng.sample(topics, rng.randint(1, len(topics)))),
                tuple(partition for partition, owner in owned.items() if owner == member_id),
            )
            for member_id in ids
        ]
        groups.append(SubscribedGroup(partitions, members))
    return groups


def _group(rng: random.Random) -> SubscribedGroup:
    topics = sorted({_name(rng) for _ in range(rng.randint(1, 6))}, key=java_sort_key)
    partitions = {topic: rng.choice([0, 1, 1, 2, 3, 3, 5, 8, 12]) for topic in topics}
    known = [*topics, "unknown"]
    ids = {_name(rng) for _ in range(rng.randint(1, 10))}
    # Every member subscribes to a topic: Kafka's sticky assignors give a member without one the topics of the next
    # member.
    same = frozenset(rng.sample(known, rng.randint(1, len(known))))
    equal = rng.random() < 0.4
    members = [
        MemberSubscription(
            member_id,
            f"{_name(rng)}-{nth}" if rng.random() < 0.3 else None,
            same if equal else frozenset(rng.sample(known, rng.randint(1, len(known)))),
        )
        for nth, member_id in enumerate(sorted(ids))
    ]
    owners = rng.choice([_no_owners, _any_owners, _owners_by_range])(rng, members, partitions)
    members = [
        member._replace(
            owned=tuple(partition for partition, owner in owners.items() if owner == member.member_id), generation=7
        )
        for member in members
    ]
    return SubscribedGroup(partitions, sorted_members(members))


def groups_with_older_claims(count: int, seed: int) -> list[SubscribedGroup]:
    """Random groups in which some members missed generations, and claim what they owned before."""
    rng = random.Random(seed)
    groups = []
    for _ in range(count):
        group = _group(rng)
        before = _any_owners(rng, group.members, group.partitions)
        members = []
        for member in group.members:
            if rng.random() < 0.3:
                owned = tuple(partition for partition, owner in before.items() if owner == member.member_id)
                member = member._replace(owned=owned, generation=rng.choice([-1, 5, 6, 7]))
            members.append(member)
        groups.append(SubscribedGroup(group.partitions, members))
    return groups


def _name(rng: random.Random) -> str:
    return "".join(rng.choices(_LETTERS, k=rng.randint(1, 4)))


def _no_owners(
    _rng: random.Random, _members: list[MemberSubscription], _partitions: dict[str, int]
) -> dict[TopicPartition, str]:
    return {}


def _any_owners(
    rng: random.Random, members: list[MemberSubscription], partitions: dict[str, int]
) -> dict[TopicPartition, str]:
    """Owners are any members, subscribed or not, or one that has left."""
    ids = [member.member_id for member in members] + ["gone"]
    return {(topic, nth): rng.choice(ids) for topic, count in partitions.items() for nth in range(count)}


def _owners_by_range(
    rng: random.Random, members: list[MemberSubscription], partitions: dict[str, int]
) -> dict[TopicPartition, str]:
    """Owners by an earlier generation, of which some of the members were a part."""
    before = [member for member in members if rng.random() < 0.7]
    counts = {topic: count - (count > 1 and rng.random() < 0.3) for topic, count in partitions.items()}
    assignment = range_assignor(before, counts)
    return {partition: member_id for member_id, partitions in assignment.items() for partition in partitions}
