"""How balanced an assignment is and how much of it moved, named as the columns of gold.assignor_balance.

Every member counts, also those without partitions.
"""

from collections.abc import Collection, Mapping
from math import fsum, sqrt

from kafka_telemetry.groups.assignors.assignor_inputs import (
    Assignment,
    MemberSubscription,
    TopicPartition,
    subscribers_by_topic,
)
from kafka_telemetry.groups.assignors.balanced_loads import load_levels


def fewest(assignment: Assignment) -> int:
    return min(_loads(assignment), default=0)


def most(assignment: Assignment) -> int:
    return max(_loads(assignment), default=0)


def spread(assignment: Assignment) -> int:
    return most(assignment) - fewest(assignment)


def spread_possible(members: Collection[MemberSubscription], partitions: Mapping[str, int]) -> int:
    """The smallest spread that any assignment to these members has; exact."""
    levels = load_levels(len(members), subscribers_by_topic(members, partitions), partitions)
    highest = max((level.most for level in levels), default=0)
    return highest - min((level.fewest for level in levels), default=0)


def idle_members(assignment: Assignment) -> int:
    return _loads(assignment).count(0)


def cv(assignment: Assignment) -> float | None:
    """The coefficient of variation of the loads: their standard deviation over their mean. None without partitions."""
    return _coefficient_of_variation(_loads(assignment))


def gini(assignment: Assignment) -> float | None:
    """0 where all members have the same load; the nearer to 1, the fewer members have all partitions."""
    loads = sorted(_loads(assignment))
    if not sum(loads):
        return None
    ranked = sum((2 * rank - len(loads) - 1) * load for rank, load in enumerate(loads, 1))
    return ranked / (len(loads) * sum(loads))


def rate_cv(assignment: Assignment, rates: Mapping[TopicPartition, float]) -> float | None:
    """`cv` of the records per second that members have to read. A partition without a rate has no records."""
    return _coefficient_of_variation(
        [fsum(rates.get(partition, 0.0) for partition in assigned) for assigned in assignment.values()]
    )


def skewed_topics(assignment: Assignment, members: Collection[MemberSubscription]) -> list[str]:
    """Topics of which one subscriber has at least two partitions more than another."""
    counts: dict[str, dict[str, int]] = {}
    for member in members:
        for topic in member.topics:
            counts.setdefault(topic, {})[member.member_id] = 0
    for member_id, assigned in assignment.items():
        for topic, _ in assigned:
            counts_of_topic = counts.setdefault(topic, {})
            counts_of_topic[member_id] = counts_of_topic.get(member_id, 0) + 1
    return sorted(topic for topic, loads in counts.items() if max(loads.values()) - min(loads.values()) > 1)


def partitions_moved(assignment: Assignment, owners: Mapping[TopicPartition, str]) -> int:
    """Partitions whose member is not their last owner. `owners` contains members that are gone, too, and names a static
    member that returned by its present id. A partition that nobody owned has not moved."""
    return sum(
        owners.get(partition, member_id) != member_id
        for member_id, assigned in assignment.items()
        for partition in assigned
    )


def _loads(assignment: Assignment) -> list[int]:
    return [len(assigned) for assigned in assignment.values()]


def _coefficient_of_variation(loads: Collection[float]) -> float | None:
    total = fsum(loads)
    if not total:
        return None
    mean = total / len(loads)
    return sqrt(fsum((load - mean) ** 2 for load in loads) / len(loads)) / mean
