"""How even a generation's assignment is, how much of it is new, and what each assignor would have given instead."""

from collections.abc import Mapping, Sequence
from typing import Any

from kafka_telemetry.groups.assignors import measures
from kafka_telemetry.groups.assignors.assignor_inputs import Assignment, TopicPartition
from kafka_telemetry.groups.assignors.assignor_inputs import Member as Subscriber
from kafka_telemetry.groups.coordinator import assignment_shapes
from kafka_telemetry.groups.coordinator.generation import Generation, Member, places
from kafka_telemetry.groups.coordinator.last_owners import Owners

# What is exact by flows costs most: of one group's day it is made until so many members and partitions were followed.
MOST_WORK = 200_000

# What brokers compute where no member asks for another.
_DEFAULT_OF_BROKERS = "uniform"


def is_weighed(generation: Generation) -> bool:
    """Only the consumers' own protocol tells who owns what."""
    return generation.protocol_type == "consumer" and bool(generation.members)


def work(generation: Generation, owners: Owners) -> int:
    given = sum(len(numbers) for one in generation.members.values() for _, numbers, _ in one.owned or ())
    return len(generation.members) + max(given, len(owners.last))


def weighed(generation: Generation, owners: Owners, names: Mapping[str, str], *, exactly: bool) -> dict[str, Any]:
    """Columns of silver.group_generations. `owners` are those before it; without `exactly`, what needs flows is left out."""
    members = generation.members
    given = {member_id: places(member.owned, names) for member_id, member in sorted(members.items())}
    claimed = {place for member in members.values() for place in places(member.claimed, names)}
    had = owners.by_present_ids(members)
    group = _subscribers(members, had)
    assigned = {place for of_member in given.values() for place in of_member}
    known = assigned | claimed | had.keys()
    partitions = _partitions(group, known) if group is not None else None
    told = all(member.owned is not None for member in members.values())
    lawful = told and _are_real(known) and len(assigned) == sum(map(len, given.values()))
    row: dict[str, Any] = {"balance": _balance(given, group, partitions, claimed) if lawful else None}
    if lawful:
        row["partitions_assigned"] = len(assigned)
        row["partitions_moved"] = measures.partitions_moved(given, had)
    if not exactly or group is None or partitions is None:
        return row
    if not (_are_real(known) and _are_all_known(partitions, group, assigned, told=told)):
        return row
    shape, of_shape = assignment_shapes.shape_of(group, partitions, had)
    answers = assignment_shapes.answers(shape)
    row["spread_possible"] = answers.spread_possible
    row["what_if"] = _what_if(generation, partitions, answers)
    if lawful:
        row["partitions_moved_minimum"] = assignment_shapes.moves_needed(shape, of_shape.of(given))
    return row


def _subscribers(members: Mapping[str, Member], had: Mapping[TopicPartition, str]) -> list[Subscriber] | None:
    """What an assignor is told of the members, in the order of their ids; none where a subscription is not known."""
    owned: dict[str, list[TopicPartition]] = {}
    for place, member_id in had.items():
        owned.setdefault(member_id, []).append(place)
    group = []
    for member_id, member in sorted(members.items()):
        if member.subscribed_topics is None:
            return None
        topics = frozenset(member.subscribed_topics)
        group.append(Subscriber(member_id, member.instance_id, topics, tuple(owned.get(member_id, ()))))
    return group


def _partitions(group: Sequence[Subscriber], known: set[TopicPartition]) -> dict[str, int]:
    """How many partitions each topic that somebody wants has, as far as the group's own records tell."""
    wanted = {topic for member in group for topic in member.topics}
    counts: dict[str, int] = {}
    for topic, number in sorted(known):
        if topic in wanted:
            counts[topic] = number + 1
    return counts


def _are_real(known: set[TopicPartition]) -> bool:
    """A damaged record may name any number."""
    return all(number >= 0 for _, number in known)


def _are_all_known(
    partitions: Mapping[str, int], group: Sequence[Subscriber], assigned: set[TopicPartition], *, told: bool
) -> bool:
    """Whether this is what the assignor was told: not while a topic has no name, nor before anything was given of it.

    A topic of which nothing is told has no partitions if all assignments are.
    """
    return (
        {topic for topic, _ in assigned} <= partitions.keys()
        and (told or {topic for member in group for topic in member.topics} <= partitions.keys())
        and sum(partitions.values()) <= MOST_WORK
    )


def _balance(
    given: Assignment,
    group: Sequence[Subscriber] | None,
    partitions: Mapping[str, int] | None,
    claimed: set[TopicPartition],
) -> dict[str, Any]:
    assigned = {place for of_member in given.values() for place in of_member}
    # A cooperative member keeps what it has until it is asked to let go; of topics that nobody wants it is not waited for.
    withheld = sum(partitions is None or topic in partitions for topic, _ in claimed - assigned)
    return {
        "idle_members": 0 if withheld else measures.idle_members(given),
        "withheld": withheld,
        "fewest": measures.fewest(given),
        "most": measures.most(given),
        "cv": measures.cv(given),
        "gini": measures.gini(given),
        "skewed_topics": measures.skewed_topics(given, group) if group is not None else None,
    }


def _what_if(
    generation: Generation, partitions: Mapping[str, int], answers: assignment_shapes.Answers
) -> dict[str, Any]:
    actual = generation.assignor
    if generation.group_type != "classic":
        actual = actual or _DEFAULT_OF_BROKERS
    return {
        "topics": [{"topic": topic, "partitions": count} for topic, count in partitions.items()],
        "assignors": [{**answer, "is_actual": answer["assignor"] == actual} for answer in answers.what_if],
    }
