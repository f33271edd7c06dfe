"""`range`: each topic by itself, cut into as many runs as it has subscribers."""

from collections.abc import Iterable, Mapping

from kafka_telemetry.groups.assignors.assignor_inputs import Assignment, Member, in_member_order, subscribers


def range_assignor(members: Iterable[Member], partitions: Mapping[str, int]) -> Assignment:
    """What Kafka's RangeAssignor gives where racks are not told."""
    ordered = in_member_order(members)
    given: Assignment = {member.member_id: [] for member in ordered}
    for topic, places in subscribers(ordered, partitions).items():
        each, extra = divmod(partitions[topic], len(places))
        start = 0
        for nth, place in enumerate(places):
            end = start + each + (nth < extra)
            given[ordered[place].member_id] += [(topic, partition) for partition in range(start, end)]
            start = end
    return given
