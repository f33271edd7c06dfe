"""Runs assignors on the shape of a group, so that groups that differ only in names are computed once."""

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kafka_telemetry.groups.assignors import ASSIGNORS, NAME_DEPENDENT_ASSIGNORS, assignment_metrics
from kafka_telemetry.groups.assignors.assignor_inputs import (
    Assignment,
    MemberSubscription,
    TopicPartition,
    java_sort_key,
)
from kafka_telemetry.groups.assignors.fewest_moves import fewest_moves
from kafka_telemetry.groups.coordinator.what_if import WhatIfInputs, WhatIfRow, simulated_row

# Results of groups up to this size are cached, which takes some tens of megabytes at most.
_MAX_CACHED_SIZE = 200
_CACHED_GROUPS = 2_000
_NO_MEMBER = ""

# By member, as an Assignment.
ShapeAssignment = tuple[tuple[str, tuple[TopicPartition, ...]], ...]


class GroupShape(NamedTuple):
    """A group with short names in place of its own, in the same order."""

    members: tuple[MemberSubscription, ...]
    partitions: tuple[tuple[str, int], ...]
    last_owners: tuple[tuple[TopicPartition, str], ...]


class ShapeNames(NamedTuple):
    """The short name of each name of a group."""

    members: Mapping[str, str]
    instances: Mapping[str, str]
    topics: Mapping[str, str]

    def shorten(self, assignment: Assignment) -> ShapeAssignment:
        return tuple(
            (self.members[member_id], tuple((self.topics[topic], number) for topic, number in assigned))
            for member_id, assigned in assignment.items()
        )


class AssignorResults(NamedTuple):
    spread_possible: int
    # Of each assignor that depends only on the shape; to be copied and not changed.
    what_if: tuple[WhatIfRow, ...]


def shape_of(
    members: Sequence[MemberSubscription], partitions: Mapping[str, int], last_owners: Mapping[TopicPartition, str]
) -> tuple[GroupShape, ShapeNames]:
    names = ShapeNames(
        members=_short_names(member.member_id for member in members),
        instances=_short_names(member.instance_id for member in members if member.instance_id is not None),
        topics=_short_names(
            {
                *partitions,
                *(topic for member in members for topic in member.topics),
                *(topic for topic, _ in last_owners),
            }
        ),
    )
    shortened = tuple(
        MemberSubscription(
            names.members[member.member_id],
            None if member.instance_id is None else names.instances[member.instance_id],
            tuple(sorted(names.topics[topic] for topic in member.topics)),
            tuple((names.topics[topic], number) for topic, number in member.owned),
        )
        for member in members
    )
    counts = tuple((names.topics[topic], count) for topic, count in partitions.items())
    owners = (
        ((names.topics[topic], number), names.members.get(member_id, _NO_MEMBER))
        for (topic, number), member_id in last_owners.items()
    )
    return GroupShape(shortened, counts, tuple(sorted(owners))), names


def run_assignors(shape: GroupShape) -> AssignorResults:
    return (_run_assignors_cached if _is_cached(shape) else _run_assignors)(shape)


def count_moves_needed(shape: GroupShape, assignment: ShapeAssignment) -> int:
    return (_count_moves_needed_cached if _is_cached(shape) else _count_moves_needed)(shape, assignment)


def _is_cached(shape: GroupShape) -> bool:
    return sum(count for _, count in shape.partitions) + len(shape.members) <= _MAX_CACHED_SIZE


def _run_assignors(shape: GroupShape) -> AssignorResults:
    members = shape.members
    inputs = WhatIfInputs(dict(shape.partitions), dict(shape.last_owners), [member.member_id for member in members])
    names = [name for name in ASSIGNORS if name not in NAME_DEPENDENT_ASSIGNORS]
    return AssignorResults(
        assignment_metrics.spread_possible(members, inputs.partitions),
        tuple(simulated_row(name, members, inputs) for name in names),
    )


def _count_moves_needed(shape: GroupShape, assignment: ShapeAssignment) -> int:
    by_member = {member_id: list(assigned) for member_id, assigned in assignment}
    return fewest_moves(by_member, shape.members, dict(shape.last_owners))


_run_assignors_cached = functools.lru_cache(_CACHED_GROUPS)(_run_assignors)
_count_moves_needed_cached = functools.lru_cache(_CACHED_GROUPS)(_count_moves_needed)


def _short_names(names: Iterable[str]) -> dict[str, str]:
    """Short names that sort as the names do in Java."""
    return {name: f"{position:06}" for position, name in enumerate(sorted(set(names), key=java_sort_key))}
