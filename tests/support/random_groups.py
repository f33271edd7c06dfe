"""Groups as they come: equal and unequal subscriptions, static members, owners from earlier generations."""

import random

from kafka_telemetry.groups.assignors.assignor_inputs import Member, TopicPartition, in_member_order, java_order
from kafka_telemetry.groups.assignors.range_assignor import range_assignor
from support.kafka_assignors import Group

# Java sorts the second before the third; by code points it is the other way round.
_LETTERS = ["a", "\U0001d11e", "\uff5e", "B", "é", "-", "7"]


def random_groups(count: int, seed: int) -> list[Group]:
    rng = random.Random(seed)
    return [_group(rng) for _ in range(count)]


def _group(rng: random.Random) -> Group:
    topics = sorted({_name(rng) for _ in range(rng.randint(1, 6))}, key=java_order)
    partitions = {topic: rng.choice([0, 1, 1, 2, 3, 3, 5, 8, 12]) for topic in topics}
    known = [*topics, "unknown"]
    ids = {_name(rng) for _ in range(rng.randint(1, 10))}
    # Nobody subscribes to nothing: Kafka's sticky ones would give such a member what the next one subscribes to.
    same = frozenset(rng.sample(known, rng.randint(1, len(known))))
    equal = rng.random() < 0.4
    members = [
        Member(
            member_id,
            f"{_name(rng)}-{nth}" if rng.random() < 0.3 else None,
            same if equal else frozenset(rng.sample(known, rng.randint(1, len(known)))),
        )
        for nth, member_id in enumerate(sorted(ids))
    ]
    owners = rng.choice([_nobody, _anybody, _by_range])(rng, members, partitions)
    owned: dict[str, list[TopicPartition]] = {}
    for partition, owner in owners.items():
        owned.setdefault(owner, []).append(partition)
    members = [member._replace(owned=tuple(owned.get(member.member_id, ()))) for member in members]
    return Group(partitions, in_member_order(members))


def _name(rng: random.Random) -> str:
    return "".join(rng.choices(_LETTERS, k=rng.randint(1, 4)))


def _nobody(_rng: random.Random, _members: list[Member], _partitions: dict[str, int]) -> dict[TopicPartition, str]:
    return {}


def _anybody(rng: random.Random, members: list[Member], partitions: dict[str, int]) -> dict[TopicPartition, str]:
    """Anybody, subscribed or not, or somebody who has left."""
    ids = [member.member_id for member in members] + ["gone"]
    return {(topic, nth): rng.choice(ids) for topic, count in partitions.items() for nth in range(count)}


def _by_range(rng: random.Random, members: list[Member], partitions: dict[str, int]) -> dict[TopicPartition, str]:
    """What a generation before gave, which some of the members have seen."""
    before = [member for member in members if rng.random() < 0.7]
    counts = {topic: count - (count > 1 and rng.random() < 0.3) for topic, count in partitions.items()}
    given = range_assignor(before, counts)
    return {partition: member_id for member_id, each in given.items() for partition in each}
