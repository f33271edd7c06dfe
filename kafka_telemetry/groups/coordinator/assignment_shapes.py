"""What assignors answer hangs on the shape of a group and not on its names: groups of one shape are asked about once."""

import functools
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kafka_telemetry.groups import assignors
from kafka_telemetry.groups.assignors import measures
from kafka_telemetry.groups.assignors.assignor_inputs import Assignment, Member, TopicPartition, java_order
from kafka_telemetry.groups.assignors.fewest_moves import fewest_moves

# What is kept of groups up to this size stays below some tens of megabytes.
_PARTITIONS_KEPT = 200
_GROUPS_KEPT = 2_000
_GONE = ""


class Shape(NamedTuple):
    """A group in whose names nothing is left but their order."""

    members: tuple[Member, ...]
    partitions: tuple[tuple[str, int], ...]
    had: tuple[tuple[TopicPartition, str], ...]


class Answers(NamedTuple):
    spread_possible: int
    # What each assignor would have given: rows of `what_if`, to be copied and not changed.
    what_if: tuple[Mapping[str, Any], ...]


def shape_of(
    group: Sequence[Member], partitions: Mapping[str, int], had: Mapping[TopicPartition, str]
) -> tuple[Shape, "Names"]:
    names = Names(
        members=_in_order(member.member_id for member in group),
        instances=_in_order(member.instance_id for member in group if member.instance_id is not None),
        topics=_in_order({*partitions, *(t for member in group for t in member.topics), *(t for t, _ in had)}),
    )
    members = tuple(
        Member(
            names.members[member.member_id],
            None if member.instance_id is None else names.instances[member.instance_id],
            tuple(sorted(names.topics[topic] for topic in member.topics)),
            tuple((names.topics[topic], number) for topic, number in member.owned),
        )
        for member in group
    )
    counts = tuple((names.topics[topic], count) for topic, count in partitions.items())
    owners = (((names.topics[t], number), names.members.get(who, _GONE)) for (t, number), who in had.items())
    return Shape(members, counts, tuple(sorted(owners))), names


class Names(NamedTuple):
    members: Mapping[str, str]
    instances: Mapping[str, str]
    topics: Mapping[str, str]

    def of(self, given: Assignment) -> tuple[tuple[str, tuple[TopicPartition, ...]], ...]:
        return tuple(
            (self.members[member_id], tuple((self.topics[topic], number) for topic, number in of_member))
            for member_id, of_member in given.items()
        )


def answers(shape: Shape) -> Answers:
    return (_kept_answers if _is_small(shape) else _answers)(shape)


def moves_needed(shape: Shape, given: tuple[tuple[str, tuple[TopicPartition, ...]], ...]) -> int:
    return (_kept_moves if _is_small(shape) else _moves)(shape, given)


def _is_small(shape: Shape) -> bool:
    return sum(count for _, count in shape.partitions) + len(shape.members) <= _PARTITIONS_KEPT


def _answers(shape: Shape) -> Answers:
    group, partitions, had = shape.members, dict(shape.partitions), dict(shape.had)
    place_of = {member.member_id: place for place, member in enumerate(group)}
    computed: dict[Any, Assignment] = {}
    results = []
    for name, assignor in assignors.ASSIGNORS.items():
        if assignor not in computed:
            computed[assignor] = assignor(group, partitions)
        given = computed[assignor]
        owners = {place: place_of[member_id] for member_id, of_member in given.items() for place in of_member}
        results.append(
            {
                "assignor": name,
                "spread": measures.spread(given),
                "idle_members": measures.idle_members(given),
                "partitions_moved": measures.partitions_moved(given, had),
                "owners": [owners[topic, number] for topic, count in partitions.items() for number in range(count)],
            }
        )
    return Answers(measures.spread_possible(group, partitions), tuple(results))


def _moves(shape: Shape, given: tuple[tuple[str, tuple[TopicPartition, ...]], ...]) -> int:
    return fewest_moves({member_id: list(of) for member_id, of in given}, shape.members, dict(shape.had))


_kept_answers = functools.lru_cache(_GROUPS_KEPT)(_answers)
_kept_moves = functools.lru_cache(_GROUPS_KEPT)(_moves)


def _in_order(names: Iterable[str] | Collection[str]) -> dict[str, str]:
    """Short names that sort as the names do in Java."""
    return {name: f"{place:06}" for place, name in enumerate(sorted(set(names), key=java_order))}
