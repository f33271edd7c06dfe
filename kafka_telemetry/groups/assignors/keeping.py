"""The fewest moves: who keeps what, where each member's load is bounded."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from kafka_telemetry.groups.assignors.assignor_inputs import TopicPartition
from kafka_telemetry.groups.assignors.flow_network import Network


class Pool(NamedTuple):
    """Partitions that the same members may have, and what these had of them."""

    partitions: list[TopicPartition]
    members: list[int]
    owned: dict[int, list[TopicPartition]]


def pools(
    members: Mapping[str, Sequence[int]],
    partitions: Mapping[str, Sequence[TopicPartition]],
    owners: Mapping[TopicPartition, int],
) -> list[Pool]:
    """Topics by who may have them: partitions of two topics with the same members are as good as each other."""
    alike: dict[tuple[int, ...], list[str]] = {}
    for topic, places in members.items():
        alike.setdefault(tuple(places), []).append(topic)
    made = []
    for places, topics in alike.items():
        pool = Pool([partition for topic in topics for partition in partitions[topic]], list(places), {})
        may = set(places)
        for partition in pool.partitions:
            owner = owners.get(partition)
            if owner in may:
                pool.owned.setdefault(owner, []).append(partition)
        made.append(pool)
    return made


def most_kept(shared: Sequence[Pool], bounds: Mapping[int, tuple[int, int]]) -> list[dict[int, int]]:
    """How many partitions of each pool each member gets, so that the most stay where they were.

    A cheapest flow: what a member had costs nothing, anything else 1. What a member needs to reach its lower bound is
    filled before all else, since what goes above it costs more than all partitions together. What is new comes by way
    of a node for all members who may have the same: that leaves few arcs where thousands are alike.
    """
    kinds = _kinds(shared, bounds)
    source, sink = 0, 1
    kind_node = {kind: node for node, kind in enumerate(kinds, 2 + len(shared))}
    member_node = {member: node for node, member in enumerate(bounds, 2 + len(shared) + len(kinds))}
    network = Network(2 + len(shared) + len(kinds) + len(bounds))
    total = sum(len(pool.partitions) for pool in shared)
    for node, pool in enumerate(shared, 2):
        network.arc(source, node, len(pool.partitions))
    stays = [
        {member: network.arc(node, member_node[member], len(owned)) for member, owned in pool.owned.items()}
        for node, pool in enumerate(shared, 2)
    ]
    comes = {
        kind: [(nth, network.arc(2 + nth, kind_node[kind], len(shared[nth].partitions), 1)) for nth in kind]
        for kind in kinds
    }
    arrives = {
        member: network.arc(kind_node[kind], member_node[member], bounds[member][1])
        for kind, alike in kinds.items()
        for member in alike
    }
    for member, (fewest, most) in bounds.items():
        network.arc(member_node[member], sink, fewest)
        network.arc(member_node[member], sink, most - fewest, total + 1)
    flow = network.fill(source, sink).flow
    if flow < total:
        raise ValueError(f"{total} partitions do not fit: {flow} are the most within {dict(bounds)}")
    counts = [{member: network.flow(arc) for member, arc in arcs.items()} for arcs in stays]
    for kind, alike in kinds.items():
        # Which of those alike gets which of the new ones makes no difference to anybody.
        new = (nth for nth, arc in comes[kind] for _ in range(network.flow(arc)))
        for member in alike:
            for nth in islice(new, network.flow(arrives[member])):
                counts[nth][member] = counts[nth].get(member, 0) + 1
    return counts


def _kinds(shared: Sequence[Pool], members: Iterable[int]) -> dict[tuple[int, ...], list[int]]:
    """Members by the pools that they may have of."""
    may: dict[int, list[int]] = {member: [] for member in members}
    for nth, pool in enumerate(shared):
        for member in pool.members:
            may[member].append(nth)
    kinds: dict[tuple[int, ...], list[int]] = {}
    for member, numbers in may.items():
        kinds.setdefault(tuple(numbers), []).append(member)
    return kinds


def kept(pool: Pool, count: Mapping[int, int]) -> int:
    return sum(min(count.get(member, 0), len(owned)) for member, owned in pool.owned.items())


def hand_out(pool: Pool, count: Mapping[int, int]) -> dict[int, list[TopicPartition]]:
    """Which partitions they are: a member's own first, the lowest numbers of all topics; the rest one by one in turn."""
    given = {}
    left = set(pool.partitions)
    for member in pool.members:
        own = sorted(pool.owned.get(member, ()), key=lambda partition: (partition[1], partition[0]))
        given[member] = own[: count.get(member, 0)]
        left.difference_update(given[member])
    rest = (partition for partition in pool.partitions if partition in left)
    needy = [member for member in pool.members if len(given[member]) < count.get(member, 0)]
    while needy:
        for member, partition in zip(needy, rest, strict=False):
            given[member].append(partition)
        needy = [member for member in needy if len(given[member]) < count.get(member, 0)]
    return given
