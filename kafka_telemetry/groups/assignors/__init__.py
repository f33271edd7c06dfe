"""What each assignor would assign to the same members, with the same subscriptions and previous owners.

`range`, `roundrobin`, `sticky` and `cooperative-sticky` compute exactly what Kafka's do; `uniform` fulfils what Kafka's
promises.
"""

from collections.abc import Callable, Iterable, Mapping

from kafka_telemetry.groups.assignors.assignor_inputs import Assignment, MemberSubscription
from kafka_telemetry.groups.assignors.range_assignor import range_assignor
from kafka_telemetry.groups.assignors.roundrobin_assignor import roundrobin_assignor
from kafka_telemetry.groups.assignors.sticky_assignor import cooperative_sticky_assignor, sticky_assignor
from kafka_telemetry.groups.assignors.uniform_assignor import uniform_assignor

ASSIGNORS: dict[str, Callable[[Iterable[MemberSubscription], Mapping[str, int]], Assignment]] = {
    "range": range_assignor,
    "roundrobin": roundrobin_assignor,
    "sticky": sticky_assignor,
    "cooperative-sticky": cooperative_sticky_assignor,
    "uniform": uniform_assignor,
}

# Their results depend on the names themselves, by Java's hash codes; those of the others only on the order of names.
NAME_DEPENDENT_ASSIGNORS = ("sticky", "cooperative-sticky")
