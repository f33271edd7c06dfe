"""How many partitions can stay with their owners, where each member's load is bounded."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from kafka_telemetry.groups.assignors.assignor_inputs import TopicPartition
from kafka_telemetry.groups.assignors.flow_network import FlowNetwork


class PartitionPool(NamedTuple):
    """Partitions that the same members can have, and which of them these members owned."""

    partitions: list[TopicPartition]
    members: list[int]
    owned: dict[int, list[TopicPartition]]


def partition_pools(
    members: Mapping[str, Sequence[int]],
    partitions: Mapping[str, Sequence[TopicPartition]],
    owners: Mapping[TopicPartition, int],
) -> list[PartitionPool]:
    """Groups topics by the members that can have them: the partitions of one group are interchangeable."""
    topics_by_members: dict[tuple[int, ...], list[str]] = {}
    for topic, positions in members.items():
        topics_by_members.setdefault(tuple(positions), []).append(topic)
    pools = []
    for positions, topics in topics_by_members.items():
        pool = PartitionPool([partition for topic in topics for partition in partitions[topic]], list(positions), {})
        allowed = set(positions)
        for partition in pool.partitions:
            owner = owners.get(partition)
            if owner in allowed:
                pool.owned.setdefault(owner, []).append(partition)
        pools.append(pool)
    return pools


def stickiest_counts(pools: Sequence[PartitionPool], bounds: Mapping[int, tuple[int, int]]) -> list[dict[int, int]]:
    """How many partitions of each pool each member gets, so that the most partitions stay with their owners.

    This is a flow of minimum cost: a partition that stays costs nothing, any other 1. Loads above a member's lower
    bound cost more than all partitions together, so that all lower bounds are filled first. Partitions that move flow
    through one node for all members with the same pools: that leaves few arcs where thousands of members are alike.
    """
    members_by_pools = _members_by_pools(pools, bounds)
    source, sink = 0, 1
    class_node = {numbers: node for node, numbers in enumerate(members_by_pools, 2 + len(pools))}
    member_node = {member: node for node, member in enumerate(bounds, 2 + len(pools) + len(members_by_pools))}
    network = FlowNetwork(2 + len(pools) + len(members_by_pools) + len(bounds))
    total = sum(len(pool.partitions) for pool in pools)
    for node, pool in enumerate(pools, 2):
        network.add_arc(source, node, len(pool.partitions))
    stay_arcs = [
        {member: network.add_arc(node, member_node[member], len(owned)) for member, owned in pool.owned.items()}
        for node, pool in enumerate(pools, 2)
    ]
    move_arcs = {
        numbers: [
            (number, network.add_arc(2 + number, class_node[numbers], len(pools[number].partitions), 1))
            for number in numbers
        ]
        for numbers in members_by_pools
    }
    arrival_arcs = {
        member: network.add_arc(class_node[numbers], member_node[member], bounds[member][1])
        for numbers, alike in members_by_pools.items()
        for member in alike
    }
    for member, (fewest, most) in bounds.items():
        network.add_arc(member_node[member], sink, fewest)
        network.add_arc(member_node[member], sink, most - fewest, total + 1)
    flow = network.maximize_flow(source, sink).value
    if flow < total:
        raise ValueError(f"{total} partitions do not fit: {flow} are the most within {dict(bounds)}")
    counts = [{member: network.flow(arc) for member, arc in arcs.items()} for arcs in stay_arcs]
    for numbers, alike in members_by_pools.items():
        # Among members that are alike it does not matter which of them gets which of the moved partitions.
        moved = (number for number, arc in move_arcs[numbers] for _ in range(network.flow(arc)))
        for member in alike:
            for number in islice(moved, network.flow(arrival_arcs[member])):
                counts[number][member] = counts[number].get(member, 0) + 1
    return counts


def _members_by_pools(pools: Sequence[PartitionPool], members: Iterable[int]) -> dict[tuple[int, ...], list[int]]:
    """Groups members by the numbers of the pools from which they can have partitions."""
    pools_of_member: dict[int, list[int]] = {member: [] for member in members}
    for number, pool in enumerate(pools):
        for member in pool.members:
            pools_of_member[member].append(number)
    members_by_pools: dict[tuple[int, ...], list[int]] = {}
    for member, numbers in pools_of_member.items():
        members_by_pools.setdefault(tuple(numbers), []).append(member)
    return members_by_pools


def count_staying(pool: PartitionPool, counts: Mapping[int, int]) -> int:
    return sum(min(counts.get(member, 0), len(owned)) for member, owned in pool.owned.items())


def distribute(pool: PartitionPool, counts: Mapping[int, int]) -> dict[int, list[TopicPartition]]:
    """Each member first gets partitions that it owned, by the lowest numbers; the rest is dealt in turn."""
    assigned = {}
    left = set(pool.partitions)
    for member in pool.members:
        owned = sorted(pool.owned.get(member, ()), key=lambda partition: (partition[1], partition[0]))
        assigned[member] = owned[: counts.get(member, 0)]
        left.difference_update(assigned[member])
    rest = (partition for partition in pool.partitions if partition in left)
    incomplete = [member for member in pool.members if len(assigned[member]) < counts.get(member, 0)]
    while incomplete:
        for member, partition in zip(incomplete, rest, strict=False):
            assigned[member].append(partition)
        incomplete = [member for member in incomplete if len(assigned[member]) < counts.get(member, 0)]
    return assigned
