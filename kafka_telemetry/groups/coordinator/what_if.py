"""Rows of silver.group_generations.what_if: an assignment as numbers that can be compared."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kafka_telemetry.groups.assignors import ASSIGNORS, assignment_metrics
from kafka_telemetry.groups.assignors.assignor_inputs import Assignment, MemberSubscription, TopicPartition

WhatIfRow = Mapping[str, Any]


class WhatIfInputs(NamedTuple):
    partitions: Mapping[str, int]
    last_owners: Mapping[TopicPartition, str]
    # In the order by which `owners` numbers them.
    member_ids: Sequence[str]


def simulated_row(assignor: str, members: Iterable[MemberSubscription], inputs: WhatIfInputs) -> WhatIfRow:
    """What an assignor does not assign it withholds for the partition's present owner."""
    assignment = ASSIGNORS[assignor](members, inputs.partitions)
    withheld = sum(inputs.partitions.values()) - sum(map(len, assignment.values()))
    return {"assignor": assignor, **result_columns(assignment, inputs, withheld=withheld)}


def result_columns(assignment: Assignment, inputs: WhatIfInputs, *, withheld: int) -> WhatIfRow:
    positions = {member_id: position for position, member_id in enumerate(inputs.member_ids)}
    owners = {partition: positions[member_id] for member_id, assigned in assignment.items() for partition in assigned}
    return {
        "spread": assignment_metrics.spread(assignment),
        "idle_members": 0 if withheld else assignment_metrics.idle_members(assignment),
        "partitions_moved": assignment_metrics.partitions_moved(assignment, inputs.last_owners),
        "partitions_withheld": withheld,
        "owners": [
            owners.get((topic, number)) for topic, count in inputs.partitions.items() for number in range(count)
        ],
    }


# What was assigned is not known.
UNKNOWN_RESULT: WhatIfRow = {
    "spread": None,
    "idle_members": None,
    "partitions_moved": None,
    "partitions_withheld": None,
    "owners": None,
}
