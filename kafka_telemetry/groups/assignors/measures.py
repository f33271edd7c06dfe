"""How even an assignment is, and how much of it is new. Every member counts, those who got nothing too."""

from collections.abc import Collection, Mapping
from math import fsum, sqrt

from kafka_telemetry.groups.assignors.assignor_inputs import Assignment, Member, TopicPartition, subscribers
from kafka_telemetry.groups.assignors.levels import levels


def fewest(assignment: Assignment) -> int:
    return min(_loads(assignment), default=0)


def most(assignment: Assignment) -> int:
    return max(_loads(assignment), default=0)


def spread(assignment: Assignment) -> int:
    return most(assignment) - fewest(assignment)


def spread_possible(members: Collection[Member], partitions: Mapping[str, int]) -> int:
    """The smallest spread that any assignment to these members has; exact, by the flows of `levels`."""
    found = levels(len(members), subscribers(members, partitions), partitions)
    highest = max((level.most for level in found), default=0)
    return highest - min((level.fewest for level in found), default=0)


def idle_members(assignment: Assignment) -> int:
    return _loads(assignment).count(0)


def cv(assignment: Assignment) -> float | None:
    """Standard deviation of the loads, all members taken, as a part of their mean; none where there is nothing to have."""
    return _variation(_loads(assignment))


def gini(assignment: Assignment) -> float | None:
    """0 where all have the same; the nearer to 1, the fewer have it all."""
    loads = sorted(_loads(assignment))
    if not sum(loads):
        return None
    ranked = sum((2 * rank - len(loads) - 1) * load for rank, load in enumerate(loads, 1))
    return ranked / (len(loads) * sum(loads))


def rate_cv(assignment: Assignment, rates: Mapping[TopicPartition, float]) -> float | None:
    """`cv` of the records per second that members have to read. A partition without a rate brings no records."""
    return _variation([fsum(rates.get(each, 0.0) for each in given) for given in assignment.values()])


def skewed_topics(assignment: Assignment, members: Collection[Member]) -> list[str]:
    """Topics of which one subscriber has at least two partitions more than another."""
    counts: dict[str, dict[str, int]] = {}
    for member in members:
        for topic in member.topics:
            counts.setdefault(topic, {})[member.member_id] = 0
    for member_id, given in assignment.items():
        for topic, _ in given:
            of_topic = counts.setdefault(topic, {})
            of_topic[member_id] = of_topic.get(member_id, 0) + 1
    return sorted(topic for topic, loads in counts.items() if max(loads.values()) - min(loads.values()) > 1)


def partitions_moved(assignment: Assignment, owners: Mapping[TopicPartition, str]) -> int:
    """Partitions whose member is not the one that had them last. `owners` has members who are gone, too, and names a
    static member who came back as it is named now. What nobody had is not moved."""
    return sum(owners.get(each, member_id) != member_id for member_id, given in assignment.items() for each in given)


def _loads(assignment: Assignment) -> list[int]:
    return [len(given) for given in assignment.values()]


def _variation(loads: Collection[float]) -> float | None:
    total = fsum(loads)
    if not total:
        return None
    mean = total / len(loads)
    return sqrt(fsum((load - mean) ** 2 for load in loads) / len(loads)) / mean
