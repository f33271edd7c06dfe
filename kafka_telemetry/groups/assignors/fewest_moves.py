"""How few moves would have done."""

from collections.abc import Iterable, Mapping, Sequence

from kafka_telemetry.groups.assignors.assignor_inputs import Assignment, Member, TopicPartition
from kafka_telemetry.groups.assignors.keeping import kept, most_kept, pools


def fewest_moves(assignment: Assignment, members: Sequence[Member], owners: Mapping[TopicPartition, str]) -> int:
    """The fewest of the assigned partitions that had to move for a balance as good as this assignment's.

    As good: among members who share topics, directly or by way of others, nobody has fewer than the fewest that one of
    them has here, and nobody more than the most. Exact, by the cheapest flow.
    """
    place_of = {member.member_id: place for place, member in enumerate(members)}
    partitions: dict[str, list[TopicPartition]] = {}
    may_have: dict[str, set[int]] = {}
    for member_id, given in assignment.items():
        for partition in given:
            partitions.setdefault(partition[0], []).append(partition)
            may_have.setdefault(partition[0], set()).add(place_of[member_id])
    for place, member in enumerate(members):
        for topic in member.topics:
            if topic in may_have:
                may_have[topic].add(place)
    shared = pools(
        {topic: sorted(may_have[topic]) for topic in partitions},
        partitions,
        {partition: place_of[member_id] for partition, member_id in owners.items() if member_id in place_of},
    )
    loads = [len(assignment.get(member.member_id, ())) for member in members]
    counts = most_kept(shared, _as_good(loads, (pool.members for pool in shared)))
    had = sum(partition in owners for given in partitions.values() for partition in given)
    return had - sum(kept(pool, count) for pool, count in zip(shared, counts, strict=True))


def _as_good(loads: Sequence[int], sharing: Iterable[Sequence[int]]) -> dict[int, tuple[int, int]]:
    """The fewest and the most among those who share topics, for each member."""
    leader = list(range(len(loads)))

    def find(place: int) -> int:
        while leader[place] != place:
            leader[place] = place = leader[leader[place]]
        return place

    for together in sharing:
        for place in together:
            leader[find(place)] = find(together[0])
    within: dict[int, tuple[int, int]] = {}
    for place, load in enumerate(loads):
        low, high = within.get(find(place), (load, load))
        within[find(place)] = min(low, load), max(high, load)
    return {place: within[find(place)] for place in range(len(loads))}
