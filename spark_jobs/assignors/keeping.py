"""The fewest moves: who keeps what, where each member's load is bounded."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from spark_jobs.assignors.group import TopicPartition
from spark_jobs.assignors.network import Network


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
    filled before all else, since what goes above it costs more than all partitions together.
    """
    source, sink = 0, 1
    member_node = {member: node for node, member in enumerate(bounds, 2 + len(shared))}
    network = Network(2 + len(shared) + len(bounds))
    total = sum(len(pool.partitions) for pool in shared)
    arcs: list[list[tuple[int, int]]] = []
    for node, pool in enumerate(shared, 2):
        size = len(pool.partitions)
        network.arc(source, node, size)
        arcs.append([])
        for member in pool.members:
            if member in pool.owned:
                arcs[-1].append((member, network.arc(node, member_node[member], len(pool.owned[member]))))
            arcs[-1].append((member, network.arc(node, member_node[member], size, 1)))
    for member, (fewest, most) in bounds.items():
        network.arc(member_node[member], sink, fewest)
        network.arc(member_node[member], sink, most - fewest, total + 1)
    filled = network.fill(source, sink)
    if filled.flow < total:
        raise ValueError(f"{total} partitions do not fit: {filled.flow} are the most within {dict(bounds)}")
    counts: list[dict[int, int]] = []
    for pool_arcs in arcs:
        count: dict[int, int] = {}
        for member, arc in pool_arcs:
            count[member] = count.get(member, 0) + network.flow(arc)
        counts.append(count)
    return counts


def kept(pool: Pool, count: Mapping[int, int]) -> int:
    return sum(min(count[member], len(owned)) for member, owned in pool.owned.items())


def hand_out(pool: Pool, count: Mapping[int, int]) -> dict[int, list[TopicPartition]]:
    """Which partitions they are: a member's own first, the lowest numbers of all topics; the rest one by one in turn."""
    given = {}
    left = set(pool.partitions)
    for member in pool.members:
        own = sorted(pool.owned.get(member, ()), key=lambda partition: (partition[1], partition[0]))
        given[member] = own[: count[member]]
        left.difference_update(given[member])
    rest = (partition for partition in pool.partitions if partition in left)
    needy = [member for member in pool.members if len(given[member]) < count[member]]
    while needy:
        for member, partition in zip(needy, rest, strict=False):
            given[member].append(partition)
        needy = [member for member in needy if len(given[member]) < count[member]]
    return given
