"""How even an assignment is, how many partitions moved, and what each assignor would have assigned."""

from collections.abc import Mapping, Sequence
from typing import Any

from kafka_telemetry.groups.assignors import assignment_metrics
from kafka_telemetry.groups.assignors.assignor_inputs import Assignment, MemberSubscription, TopicPartition
from kafka_telemetry.groups.coordinator.generation import Generation, Member, topic_partitions
from kafka_telemetry.groups.coordinator.group_shape import AssignorResults, count_moves_needed, run_assignors, shape_of
from kafka_telemetry.groups.coordinator.last_owners import LastOwners

# Assignors are run for the generations of one group and day until so many members and partitions have been looked at.
MAX_COST = 200_000

# What brokers compute where no member requests another.
_DEFAULT_OF_BROKERS = "uniform"


def has_owners(generation: Generation) -> bool:
    """Only the consumer protocol assigns partitions to one member each."""
    return generation.protocol_type == "consumer" and bool(generation.members)


def cost_of(generation: Generation, last_owners: LastOwners) -> int:
    assigned = sum(len(numbers) for member in generation.members.values() for _, numbers, _ in member.owned or ())
    return len(generation.members) + max(assigned, len(last_owners.by_partition))


def balance_columns(
    generation: Generation, last_owners: LastOwners, topic_names: Mapping[str, str], *, with_assignors: bool
) -> dict[str, Any]:
    """Columns of silver.group_generations. Those that need assignors or flows are left out unless `with_assignors`."""
    members = generation.members
    assignment = {
        member_id: topic_partitions(member.owned, topic_names) for member_id, member in sorted(members.items())
    }
    claimed = {partition for member in members.values() for partition in topic_partitions(member.claimed, topic_names)}
    owners = last_owners.present_member_ids(members)
    subscriptions = _subscriptions(members, owners)
    assigned = {partition for partitions in assignment.values() for partition in partitions}
    known = assigned | claimed | owners.keys()
    partitions = _partition_counts(subscriptions, known) if subscriptions is not None else None
    all_assigned = all(member.owned is not None for member in members.values())
    has_one_owner_each = len(assigned) == sum(map(len, assignment.values()))
    is_valid = all_assigned and _are_valid(known) and has_one_owner_each
    columns: dict[str, Any] = {
        "balance": _balance(assignment, subscriptions, partitions, claimed) if is_valid else None
    }
    if is_valid:
        columns["partitions_assigned"] = len(assigned)
        columns["partitions_moved"] = assignment_metrics.partitions_moved(assignment, owners)
    if not with_assignors or subscriptions is None or partitions is None:
        return columns
    if not (_are_valid(known) and _are_all_known(partitions, subscriptions, assigned, all_assigned=all_assigned)):
        return columns
    shape, names = shape_of(subscriptions, partitions, owners)
    results = run_assignors(shape)
    columns["spread_possible"] = results.spread_possible
    columns["what_if"] = _what_if(generation, partitions, results)
    if is_valid:
        columns["partitions_moved_minimum"] = count_moves_needed(shape, names.shorten(assignment))
    return columns


def _subscriptions(
    members: Mapping[str, Member], owners: Mapping[TopicPartition, str]
) -> list[MemberSubscription] | None:
    """The inputs of an assignor in the order of member ids; null where a subscription is not known."""
    owned: dict[str, list[TopicPartition]] = {}
    for partition, member_id in owners.items():
        owned.setdefault(member_id, []).append(partition)
    subscriptions = []
    for member_id, member in sorted(members.items()):
        if member.subscribed_topics is None:
            return None
        topics = frozenset(member.subscribed_topics)
        subscriptions.append(MemberSubscription(member_id, member.instance_id, topics, tuple(owned.get(member_id, ()))))
    return subscriptions


def _partition_counts(subscriptions: Sequence[MemberSubscription], known: set[TopicPartition]) -> dict[str, int]:
    """The number of partitions of each subscribed topic, as far as the group's own records show it."""
    subscribed = {topic for member in subscriptions for topic in member.topics}
    counts: dict[str, int] = {}
    for topic, number in sorted(known):
        if topic in subscribed:
            counts[topic] = number + 1
    return counts


def _are_valid(known: set[TopicPartition]) -> bool:
    """A damaged record may contain any number."""
    return all(number >= 0 for _, number in known)


def _are_all_known(
    partitions: Mapping[str, int],
    subscriptions: Sequence[MemberSubscription],
    assigned: set[TopicPartition],
    *,
    all_assigned: bool,
) -> bool:
    """Whether the assignor had these inputs: not while a topic has no name, nor before any partition of it was
    assigned.

    If all members have an assignment, a topic without known partitions has none.
    """
    return (
        {topic for topic, _ in assigned} <= partitions.keys()
        and (all_assigned or {topic for member in subscriptions for topic in member.topics} <= partitions.keys())
        and sum(partitions.values()) <= MAX_COST
    )


def _balance(
    assignment: Assignment,
    subscriptions: Sequence[MemberSubscription] | None,
    partitions: Mapping[str, int] | None,
    claimed: set[TopicPartition],
) -> dict[str, Any]:
    assigned = {partition for of_member in assignment.values() for partition in of_member}
    # A cooperative member keeps its partitions until it is asked to revoke them. Those of topics without subscribers
    # are not assigned again.
    withheld = sum(partitions is None or topic in partitions for topic, _ in claimed - assigned)
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


def _what_if(generation: Generation, partitions: Mapping[str, int], results: AssignorResults) -> dict[str, Any]:
    actual = generation.assignor
    if generation.group_type != "classic":
        actual = actual or _DEFAULT_OF_BROKERS
    return {
        "topics": [{"topic": topic, "partitions": count} for topic, count in partitions.items()],
        "assignors": [{**result, "is_actual": result["assignor"] == actual} for result in results.what_if],
    }
