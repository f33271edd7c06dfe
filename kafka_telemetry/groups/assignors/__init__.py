"""What each assignor would assign to the same members, with the same subscriptions and previous owners.

`range` and `roundrobin` compute exactly what Kafka's do; the others fulfil what Kafka's promise.
"""

from collections.abc import Callable, Iterable, Mapping

from kafka_telemetry.groups.assignors.assignor_inputs import Assignment, MemberSubscription
from kafka_telemetry.groups.assignors.range_assignor import range_assignor
from kafka_telemetry.groups.assignors.roundrobin_assignor import roundrobin_assignor
from kafka_telemetry.groups.assignors.sticky_assignor import sticky_assignor
from kafka_telemetry.groups.assignors.uniform_assignor import uniform_assignor

ASSIGNORS: dict[str, Callable[[Iterable[MemberSubscription], Mapping[str, int]], Assignment]] = {
    "range": range_assignor,
    "roundrobin": roundrobin_assignor,
    "sticky": sticky_assignor,
    # Its assignment after the partitions that it withholds for their old owners are assigned too.
    "cooperative-sticky": sticky_assignor,
    "uniform": uniform_assignor,
}
