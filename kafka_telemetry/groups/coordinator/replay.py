"""Replays the group records of one log partition, day after day."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kafka_telemetry.groups.coordinator import group_balance
from kafka_telemetry.groups.coordinator.computed_assignment import computed_columns
from kafka_telemetry.groups.coordinator.generation import Generation
from kafka_telemetry.groups.coordinator.generation_inputs import inputs_of
from kafka_telemetry.groups.coordinator.group import Group
from kafka_telemetry.groups.coordinator.group_record import GroupRecord
from kafka_telemetry.groups.coordinator.last_owners import LastOwners
from kafka_telemetry.groups.coordinator.partition_holders import PartitionHolders
from kafka_telemetry.groups.coordinator.replayed_rows import (
    generation_row,
    group_row,
    member_rows,
    row_without_generation,
)

# Topic id -> (its name, the first day on which it is known).
TopicNames = Mapping[str, tuple[str, int]]

_DAY = 86_400_000_000
# How long a deleted group is remembered, so that it gets another incarnation when it is created again.
_DELETED_GROUPS_EXPIRE_AFTER = 400 * _DAY


@dataclass(frozen=True)
class ReplayedDay:
    day: int
    # One row per record; only the first record of a generation has its columns.
    generations: list[dict[str, Any]] = field(default_factory=list)
    members: list[dict[str, Any]] = field(default_factory=list)
    groups: list[dict[str, Any]] = field(default_factory=list)
    # One row per change of a group's generation or of the holder of a partition.
    owner_changes: list[dict[str, Any]] = field(default_factory=list)


def replay_days(
    groups: dict[str, Group], records: Iterable[GroupRecord], days: Sequence[int], topic_names: TopicNames
) -> Iterator[ReplayedDay]:
    """`records` of a day are in the order of the log. `groups`, as they are before the first day, are changed."""
    by_day: dict[int, list[GroupRecord]] = defaultdict(list)
    for record in records:
        by_day[record.day].append(record)
    for day in days:
        yield _replay_day(groups, by_day[day], day, topic_names)


def _replay_day(
    groups: dict[str, Group], records: Iterable[GroupRecord], day: int, topic_names: TopicNames
) -> ReplayedDay:
    replayed = ReplayedDay(day)
    names = {topic_id: name for topic_id, (name, known_since) in topic_names.items() if known_since <= day}
    # By group the generation with which the day begins, and all that follow.
    generations = {group_id: [group.current] for group_id, group in groups.items() if group.current}
    holders = {
        group_id: PartitionHolders(group, names | group.latest_records.topic_names)
        for group_id, group in groups.items()
    }
    for group_id, of_group in holders.items():
        first_row = of_group.first_row(groups[group_id])
        if first_row is not None:
            replayed.owner_changes.append(first_row)
    for record in records:
        if record.contradicted or not record.is_valid:
            replayed.generations.append(row_without_generation(record))
            continue
        group = groups.setdefault(record.group_id, Group(record.group_id))
        if record.group_id not in holders:
            holders[record.group_id] = PartitionHolders(group, names)
        effect, generation = group.apply(record)
        row = holders[record.group_id].row_after(group, record, names | group.latest_records.topic_names)
        if row is not None:
            replayed.owner_changes.append(row)
        if generation is None:
            replayed.generations.append(row_without_generation(record))
        elif effect == "begins_generation":
            generations.setdefault(record.group_id, []).append(generation)
        else:
            replayed.generations.append(generation_row(record.group_id, generation))
    for group_id, of_day in generations.items():
        group = groups[group_id]
        _add_generations(replayed, group, of_day, names | group.latest_records.topic_names)
    for group_id in sorted(groups):
        group = groups[group_id]
        if group.deleted_at is not None and day * _DAY - group.deleted_at > _DELETED_GROUPS_EXPIRE_AFTER:
            del groups[group_id]
        else:
            replayed.groups.append(group_row(group))
    return replayed


def _add_generations(
    replayed: ReplayedDay, group: Group, generations: Iterable[Generation], topic_names: Mapping[str, str]
) -> None:
    """Each generation is compared with the last owners in those before it, so they come in the order of the log."""
    group.last_owners.apply_topic_names(topic_names)
    cost = 0
    for generation in generations:
        if generation.incarnation != group.last_owners.incarnation:
            group.last_owners = LastOwners(generation.incarnation)
        computed: dict[str, Any] = {}
        if generation.day == replayed.day:
            row = generation_row(group.group_id, generation)
            if group_balance.has_owners(generation):
                cost += group_balance.cost_of(generation, group.last_owners)
                inputs = inputs_of(generation, group.last_owners, topic_names)
                is_affordable = max(cost, inputs.partition_count) <= group_balance.MAX_COST
                row |= group_balance.balance_columns(generation, inputs, with_assignors=is_affordable)
                computed = computed_columns(generation, inputs, with_assignors=is_affordable)
            replayed.generations.append(row)
        # A generation of an earlier day may have got a member today.
        if any(member.recorded_on == replayed.day for member in generation.members.values()):
            replayed.members.extend(
                {**row, **computed.get(row["member_id"], {})}
                for row in member_rows(group.group_id, generation, replayed.day, topic_names, group.last_owners)
            )
        if generation is not group.current:
            group.last_owners.apply_generation(generation, topic_names)
    if group.deleted_at is not None:
        group.last_owners = LastOwners()
