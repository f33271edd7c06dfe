"""`roundrobin`: all partitions in a row, all members in a circle."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping

from kafka_telemetry.groups.assignors.assignor_inputs import Assignment, Member, in_member_order, subscribers


def roundrobin_assignor(members: Iterable[Member], partitions: Mapping[str, int]) -> Assignment:
    """What Kafka's RoundRobinAssignor gives."""
    ordered = in_member_order(members)
    given: Assignment = {member.member_id: [] for member in ordered}
    # The circle goes on from topic to topic: it does not start again with the first member.
    turn = 0
    for topic, places in subscribers(ordered, partitions).items():
        nth = bisect_left(places, turn)
        for partition in range(partitions[topic]):
            place = places[nth % len(places)]
            given[ordered[place].member_id].append((topic, partition))
            nth += 1
        turn = place + 1
    return given
