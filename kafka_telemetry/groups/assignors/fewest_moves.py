"""The fewest moves for an assignment as balanced as the actual one."""

from collections.abc import Iterable, Mapping, Sequence

from kafka_telemetry.groups.assignors.assignor_inputs import Assignment, MemberSubscription, TopicPartition
from kafka_telemetry.groups.assignors.stickiness import count_staying, partition_pools, stickiest_counts


def fewest_moves(
    assignment: Assignment, members: Sequence[MemberSubscription], owners: Mapping[TopicPartition, str]
) -> int:
    """How many of the assigned partitions had to move to get a balance as good as this assignment's.

    As good: among members that share topics, directly or through others, no member has fewer partitions than the least
    loaded of them has here, and none more than the most loaded. Exact, by a flow of minimum cost.
    """
    position_of = {member.member_id: position for position, member in enumerate(members)}
    partitions: dict[str, list[TopicPartition]] = {}
    allowed: dict[str, set[int]] = {}
    for member_id, assigned in assignment.items():
        for partition in assigned:
            partitions.setdefault(partition[0], []).append(partition)
            allowed.setdefault(partition[0], set()).add(position_of[member_id])
    for position, member in enumerate(members):
        for topic in member.topics:
            if topic in allowed:
                allowed[topic].add(position)
    pools = partition_pools(
        {topic: sorted(allowed[topic]) for topic in partitions},
        partitions,
        {partition: position_of[member_id] for partition, member_id in owners.items() if member_id in position_of},
    )
    loads = [len(assignment.get(member.member_id, ())) for member in members]
    counts = stickiest_counts(pools, _load_bounds(loads, (pool.members for pool in pools)))
    previously_owned = sum(partition in owners for assigned in partitions.values() for partition in assigned)
    return previously_owned - sum(
        count_staying(pool, pool_counts) for pool, pool_counts in zip(pools, counts, strict=True)
    )


def _load_bounds(loads: Sequence[int], sharing: Iterable[Sequence[int]]) -> dict[int, tuple[int, int]]:
    """For each member the lowest and the highest load among the members that share topics with it."""
    parent = list(range(len(loads)))

    def find_root(member: int) -> int:
        while parent[member] != member:
            parent[member] = member = parent[parent[member]]
        return member

    for members in sharing:
        for member in members:
            parent[find_root(member)] = find_root(members[0])
    bounds: dict[int, tuple[int, int]] = {}
    for member, load in enumerate(loads):
        low, high = bounds.get(find_root(member), (load, load))
        bounds[find_root(member)] = min(low, load), max(high, load)
    return {member: bounds[find_root(member)] for member in range(len(loads))}
