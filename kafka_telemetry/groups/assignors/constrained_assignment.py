"""The sticky assignors' algorithm for members with equal subscriptions: ConstrainedAssignmentBuilder, without racks.

With equal subscriptions each member gets the lower or the upper of two loads, which differ by one at most.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from kafka_telemetry.groups.assignors.assignor_inputs import Assignment, TopicPartition, java_sort_key
from kafka_telemetry.groups.assignors.sticky_claims import StickyClaims


class ConstrainedResult(NamedTuple):
    assignment: Assignment
    # Partitions with a new owner that another member has to revoke first.
    transferred: dict[TopicPartition, str]


def constrained_assignment(claims: StickyClaims, partitions: Mapping[str, int]) -> ConstrainedResult:
    assignment: Assignment = {}
    revoked_from: dict[TopicPartition, str] = {}
    lower, members_with_one_more = divmod(sum(partitions.values()), len(claims.members))
    upper = lower + (members_with_one_more > 0)
    below_lower, at_lower = [], []
    for member_id, claimed in claims.owned.items():
        owned = sorted(
            (partition for partition in claimed if partition not in claims.disputed),
            key=lambda partition: (partition[1], java_sort_key(partition[0])),
        )
        kept = lower
        if len(owned) < lower:
            below_lower.append(member_id)
        elif len(owned) >= upper and members_with_one_more > 0:
            kept = upper
            members_with_one_more -= 1
        else:
            at_lower.append(member_id)
        assignment[member_id] = owned[:kept]
        revoked_from.update(dict.fromkeys(owned[kept:], member_id))
    result = ConstrainedResult(assignment, {})
    unfilled = _members_to_fill(_sorted_ids(below_lower), _sorted_ids(at_lower), assignment, lower)
    for partition in _unassigned(assignment, partitions):
        member_id = next(unfilled)
        assignment[member_id].append(partition)
        if revoked_from.get(partition, member_id) != member_id or partition in claims.disputed:
            result.transferred[partition] = member_id
    return result


def _members_to_fill(
    below_lower: list[str], at_lower: list[str], assignment: Mapping[str, list[TopicPartition]], lower: int
) -> Iterator[str]:
    """Each gets one partition per turn until it has the lower load; then the first of them get one more."""
    while below_lower:
        yield from below_lower
        at_lower += [member_id for member_id in below_lower if len(assignment[member_id]) >= lower]
        below_lower = [member_id for member_id in below_lower if len(assignment[member_id]) < lower]
    yield from at_lower


def _unassigned(assignment: Assignment, partitions: Mapping[str, int]) -> list[TopicPartition]:
    assigned = {partition for owned in assignment.values() for partition in owned}
    return [
        (topic, number)
        for topic in sorted(partitions, key=java_sort_key)
        for number in range(partitions[topic])
        if (topic, number) not in assigned
    ]


def _sorted_ids(member_ids: Iterable[str]) -> list[str]:
    return sorted(member_ids, key=java_sort_key)
