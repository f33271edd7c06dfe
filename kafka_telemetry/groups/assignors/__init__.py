"""What each assignor would have given: the same members, subscriptions and previous owners, another rule.

No Spark: a group goes in, an assignment comes out. `range` and `roundrobin` are Kafka's to the letter; the others keep
the promises that Kafka's make.
"""

from collections.abc import Callable, Iterable, Mapping

from kafka_telemetry.groups.assignors.assignor_inputs import Assignment, Member
from kafka_telemetry.groups.assignors.range_assignor import range_assignor
from kafka_telemetry.groups.assignors.roundrobin_assignor import roundrobin_assignor
from kafka_telemetry.groups.assignors.sticky_assignor import sticky_assignor
from kafka_telemetry.groups.assignors.uniform_assignor import uniform_assignor

ASSIGNORS: dict[str, Callable[[Iterable[Member], Mapping[str, int]], Assignment]] = {
    "range": range_assignor,
    "roundrobin": roundrobin_assignor,
    "sticky": sticky_assignor,
    # What it comes to when the partitions withheld for their old owners have been given out too.
    "cooperative-sticky": sticky_assignor,
    "uniform": uniform_assignor,
}
