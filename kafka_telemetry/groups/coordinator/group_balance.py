"""How even an assignment is, how many partitions moved, and what each assignor would have assigned."""

from collections.abc import Iterable
from typing import Any

from kafka_telemetry.groups.assignors import ASSIGNORS, NAME_DEPENDENT_ASSIGNORS, assignment_metrics
from kafka_telemetry.groups.coordinator.generation import Generation
from kafka_telemetry.groups.coordinator.generation_inputs import GenerationInputs
from kafka_telemetry.groups.coordinator.group_shape import count_moves_needed, run_assignors, shape_of
from kafka_telemetry.groups.coordinator.last_owners import LastOwners
from kafka_telemetry.groups.coordinator.what_if import (
    UNKNOWN_RESULT,
    WhatIfInputs,
    WhatIfRow,
    result_columns,
    simulated_row,
)

# Assignors are run for the generations of one group and day until so many members and partitions have been looked at.
MAX_COST = 200_000

_ORDER = list(ASSIGNORS)
# What brokers compute where no member requests another.
_DEFAULT_OF_BROKERS = "uniform"


def has_owners(generation: Generation) -> bool:
    """Only the consumer protocol assigns partitions to one member each."""
    return generation.protocol_type == "consumer" and bool(generation.members)


def cost_of(generation: Generation, last_owners: LastOwners) -> int:
    assigned = sum(len(numbers) for member in generation.members.values() for _, numbers, _ in member.owned or ())
    return len(generation.members) + max(assigned, len(last_owners.by_partition))


def balance_columns(generation: Generation, inputs: GenerationInputs, *, with_assignors: bool) -> dict[str, Any]:
    """Columns of silver.group_generations. Those that need assignors or flows are left out unless `with_assignors`."""
    assignment, owners, subscriptions = inputs.assignment, inputs.owners, inputs.subscriptions
    columns: dict[str, Any] = {"balance": _balance(inputs) if inputs.is_valid else None}
    if inputs.is_valid:
        columns["partitions_assigned"] = len(inputs.assigned)
        columns["partitions_moved"] = assignment_metrics.partitions_moved(assignment, owners)
    partitions = inputs.partitions
    if not with_assignors or not inputs.is_known or subscriptions is None or partitions is None:
        return columns
    shape, names = shape_of(subscriptions, partitions, owners)
    results = run_assignors(shape)
    columns["spread_possible"] = results.spread_possible
    what_if = WhatIfInputs(partitions, owners, sorted(generation.members))
    by_id = {member.member_id: member for member in subscriptions}
    # In the order of the group's record, which is that in which the leader got them.
    in_order = [by_id[member_id] for member_id in generation.members]
    actual = UNKNOWN_RESULT
    if inputs.is_valid:
        actual = result_columns(assignment, what_if, withheld=inputs.withheld)
    columns["what_if"] = {
        "topics": [{"topic": topic, "partitions": count} for topic, count in partitions.items()],
        "assignors": _with_actual(
            [*results.what_if, *(simulated_row(name, in_order, what_if) for name in NAME_DEPENDENT_ASSIGNORS)],
            generation,
            actual,
        ),
    }
    if inputs.is_valid:
        columns["partitions_moved_minimum"] = count_moves_needed(shape, names.shorten(assignment))
    return columns


def _balance(inputs: GenerationInputs) -> dict[str, Any]:
    assignment, subscriptions, withheld = inputs.assignment, inputs.subscriptions, inputs.withheld
    return {
        "idle_members": 0 if withheld else assignment_metrics.idle_members(assignment),
        "withheld": withheld,
        "fewest": assignment_metrics.fewest(assignment),
        "most": assignment_metrics.most(assignment),
        "cv": assignment_metrics.cv(assignment),
        "gini": assignment_metrics.gini(assignment),
        "skewed_topics": assignment_metrics.skewed_topics(assignment, subscriptions)
        if subscriptions is not None
        else None,
    }


def _with_actual(simulated: Iterable[WhatIfRow], generation: Generation, actual: WhatIfRow) -> list[WhatIfRow]:
    """The row of the assignor that was used contains what was really assigned."""
    used = generation.assignor
    if generation.group_type != "classic":
        used = used or _DEFAULT_OF_BROKERS
    rows = [
        {**row, "is_actual": row["assignor"] == used, **(actual if row["assignor"] == used else {})}
        for row in simulated
    ]
    return sorted(rows, key=lambda row: _ORDER.index(row["assignor"]))
