"""The records of one log partition, followed day by day: what each tells, and what is known of each group when a day ends."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kafka_telemetry.groups.coordinator import group_balance, group_state
from kafka_telemetry.groups.coordinator.generation import Generation, Member, Partitions
from kafka_telemetry.groups.coordinator.group import Group
from kafka_telemetry.groups.coordinator.group_record import GroupRecord
from kafka_telemetry.groups.coordinator.last_owners import Owners
from kafka_telemetry.groups.coordinator.member_comparison import compared
from kafka_telemetry.groups.coordinator.partition_holders import Holders

Row = dict[str, Any]

# Topic id -> (its name, the day since which it is known).
Names = Mapping[str, tuple[str, int]]

# How long a deleted group is remembered, so that it is known as one when it is made again.
_DELETED_DAYS = 400
_DAY = 86_400_000_000


@dataclass(frozen=True)
class Followed:
    """What a day comes to, as rows: `generation` is one per record, `member` one per member, `group` one per group,
    `owner` one per change of a group's generation or of who holds a partition."""

    day: int
    generation: list[Row] = field(default_factory=list)
    member: list[Row] = field(default_factory=list)
    group: list[Row] = field(default_factory=list)
    owner: list[Row] = field(default_factory=list)


def follow(
    groups: dict[str, Group], records: Iterable[GroupRecord], days: Sequence[int], names: Names
) -> Iterator[Followed]:
    """Follows records that are in the order of days, and within a day of the log. Yields what each of `days` comes to.

    `groups` are as the day before the first left them, and are changed.
    """
    by_day: dict[int, list[GroupRecord]] = defaultdict(list)
    for record in records:
        by_day[record.day].append(record)
    for day in days:
        yield _day(groups, by_day[day], day, names)


def _day(groups: dict[str, Group], records: Iterable[GroupRecord], day: int, names: Names) -> Followed:
    told = Followed(day)
    # Of each group the generation that the day begins with, and those that follow it.
    standing = {group_id: [group.in_force] for group_id, group in groups.items() if group.in_force}
    known = {topic_id: name for topic_id, (name, since) in names.items() if since <= day}
    holders = {group_id: Holders(group, known | group.heap.names) for group_id, group in groups.items()}
    told.owner.extend(row for group_id, of in holders.items() if (row := of.begin(groups[group_id])) is not None)
    for record in records:
        if record.contradicted:
            told.generation.append(_more(record))
            continue
        group = groups.setdefault(record.group_id, Group(record.group_id))
        if record.group_id not in holders:
            holders[record.group_id] = Holders(group, known)
        meaning, generation = group.take(record)
        if (row := holders[record.group_id].take(group, record, known | group.heap.names)) is not None:
            told.owner.append(row)
        if meaning == "first" and generation is not None:
            standing.setdefault(record.group_id, []).append(generation)
        elif generation is not None:
            told.generation.append(_generation(record.group_id, generation))
        else:
            told.generation.append(_more(record))
    for group_id, generations in standing.items():
        _tell(told, groups[group_id], generations, known | groups[group_id].heap.names)
    for group_id in sorted(groups):
        group = groups[group_id]
        if group.deleted_at is not None and day * _DAY - group.deleted_at > _DELETED_DAYS * _DAY:
            del groups[group_id]
        else:
            told.group.append(_group(group))
    return told


def _tell(told: Followed, group: Group, generations: Iterable[Generation], names: Mapping[str, str]) -> None:
    """The generations of a group in their order: each is compared with what those before it gave."""
    group.owners.name(names)
    done = 0
    for generation in generations:
        if generation.incarnation != group.owners.incarnation:
            group.owners = Owners(generation.incarnation)
        if generation.day == told.day:
            row = _generation(group.group_id, generation)
            if group_balance.is_weighed(generation):
                done += group_balance.work(generation, group.owners)
                row |= group_balance.weighed(generation, group.owners, names, exactly=done <= group_balance.MOST_WORK)
            told.generation.append(row)
        # A generation of a day before may have got a member today.
        if any(member.told_on == told.day for member in generation.members.values()):
            told.member.extend(_members(group.group_id, generation, told.day, names, group.owners))
        if generation is not group.in_force:
            group.owners.take(generation, names)
    if group.deleted_at is not None:
        group.owners = Owners()


def _more(record: GroupRecord) -> Row:
    """A record that tells no new generation, so that every record is counted."""
    return {
        "group_id": record.group_id,
        "recorded_at": record.recorded_at,
        "record_offset": record.record_offset,
        "contradicted": record.contradicted,
        **record.place._asdict(),
    }


def _place(of: Generation) -> Row:
    assert of.place is not None
    return of.place._asdict()


def _generation(group_id: str, of: Generation) -> Row:
    return {
        "group_id": group_id,
        "incarnation": of.incarnation,
        "generation": of.generation,
        "group_type": of.group_type,
        "protocol_type": of.protocol_type,
        "assignor": of.assignor,
        "leader_member_id": of.leader_member_id,
        "state_at": of.state_at,
        "assigned_at": of.assigned_at,
        "reconciled_at": of.reconciled_at,
        "recorded_at": of.recorded_at,
        "member_count": len(of.members) if of.members_told else None,
        "previous_generation": of.previous_generation,
        "complete": of.complete,
        "record_offset": of.record_offset,
        "contradicted": False,
        "member_ids": sorted({*of.members, *(old for one in of.members.values() for old in one.replaces)}),
        **_place(of),
    }


def _members(group_id: str, of: Generation, day: int, names: Mapping[str, str], owners: Owners) -> Iterator[Row]:
    weighed = group_balance.is_weighed(of)
    compared_by = compared(of, names)
    for member in of.members.values():
        if member.told_on == day:
            yield {
                "group_id": group_id,
                "incarnation": of.incarnation,
                "generation": of.generation,
                "group_type": of.group_type,
                "protocol_type": of.protocol_type,
                "member_id": member.member_id,
                "client_id": member.client_id,
                "client_host": member.client_host,
                "instance_id": member.instance_id,
                "session_timeout_ms": member.session_timeout_ms,
                "rebalance_timeout_ms": member.rebalance_timeout_ms,
                "subscribed_topics": member.subscribed_topics,
                "subscribed_regex": member.subscribed_regex,
                "owned": _named(member.owned, names),
                "moved": _moved(member, names, owners) if weighed and member.owned is not None else None,
                "claimed": _named(member.claimed, names),
                "owned_now": _named(member.owned_now, names),
                "member_epoch": member.member_epoch,
                "replaces": member.replaces,
                **compared_by[member.member_id],
                **_place(of),
                "copies": 1,
            }


def _named(told: Partitions | None, names: Mapping[str, str]) -> list[Row] | None:
    if told is None:
        return None
    return [
        {"topic": topic or names.get(topic_id or ""), "partitions": partitions, "topic_id": topic_id}
        for topic, partitions, topic_id in told
    ]


def _moved(member: Member, names: Mapping[str, str], owners: Owners) -> list[Row]:
    return [
        {
            "topic": topic,
            "partition_id": number,
            "from_member_id": owner.member_id,
            "from_client_id": owner.client_id,
        }
        for (topic, number), owner in owners.moved_to(member, names)
    ]


def _group(group: Group) -> Row:
    stands = group.in_force
    return {
        "group_id": group.group_id,
        "incarnation": group.incarnation,
        "generation": group.generation,
        "group_type": group.group_type,
        "member_count": len(stands.members) if stands is not None and stands.members_told else None,
        "subscribed_topics": group.subscription(),
        "deleted_at": group.deleted_at if group.deleted_at is not None and group.deleted_at >= 0 else None,
        "record_offset": group.record_offset if group.record_offset >= 0 else None,
        "holes": group.holes,
        "heap": json.dumps(group_state.encode(group), ensure_ascii=False, separators=(",", ":")),
    }
