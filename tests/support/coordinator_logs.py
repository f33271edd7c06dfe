"""Short forms of group records, and of what a replay of them returns."""

import json
from collections.abc import Iterable
from typing import Any

from kafka_telemetry.groups.coordinator import group_state
from kafka_telemetry.groups.coordinator.group_record import GroupRecord, RecordSource
from kafka_telemetry.groups.coordinator.replay import ReplayedDay, TopicNames, replay_days

DAY = 20_000
MIDNIGHT = DAY * 86_400_000_000
TOPIC_ID = "nLtPe8D-ReuBFPNlDqJWSQ"


def record(key_type: int, value: dict[str, Any] | None, **fields: Any) -> GroupRecord:
    columns = {
        "group_id": "g", "member_id": None, "regular_expression": None, "day": DAY, "holes": 0, "contradicted": False,
        "recorded_at": None, "record_offset": -1, **fields,
    }  # fmt: skip
    return GroupRecord(key_type=key_type, value=value, source=RecordSource(columns["day"], "file", 0, 1), **columns)


def member(name: str, *partitions: int, instance: str | None = None) -> dict[str, Any]:
    return {
        "memberId": name,
        "groupInstanceId": instance,
        "clientId": f"client-{name}",
        "clientHost": "/10.0.0.1",
        "sessionTimeout": 45_000,
        "rebalanceTimeout": 300_000,
        "subscription": {"topics": ["t"], "ownedPartitions": []},
        "assignment": {"assignedPartitions": [{"topic": "t", "partitions": list(partitions)}] if partitions else []},
    }


def classic(generation: int, *members: dict[str, Any], **fields: Any) -> GroupRecord:
    value = {
        "protocolType": "consumer",
        "generation": generation,
        "protocol": "range" if members else None,
        "leader": members[0]["memberId"] if members else None,
        "currentStateTimestamp": 1,
        "members": list(members),
    }
    return record(2, value, **fields)


def joined(name: str, **fields: Any) -> GroupRecord:
    """KIP-848: the record that describes a member."""
    value = {"clientId": f"client-{name}", "clientHost": "/10.0.0.1", "subscribedTopicNames": ["t"], "instanceId": None}
    return record(5, {**value, **fields.pop("value", {})}, member_id=name, **fields)


def epoch(number: int, **fields: Any) -> GroupRecord:
    return record(3, {"epoch": number}, **fields)


def target(name: str, *partitions: int) -> GroupRecord:
    return record(7, {"topicPartitions": [{"topicId": TOPIC_ID, "partitions": list(partitions)}]}, member_id=name)


def target_of(number: int) -> GroupRecord:
    return record(6, {"assignmentEpoch": number})


def current(
    name: str, number: int, *partitions: int, state: int = 0, pending: tuple[int, ...] = (), **fields: Any
) -> GroupRecord:
    assigned, revoked = (
        [{"topicId": TOPIC_ID, "partitions": list(numbers)}] if numbers else [] for numbers in (partitions, pending)
    )
    value = {
        "memberEpoch": number,
        "state": state,
        "assignedPartitions": assigned,
        "partitionsPendingRevocation": revoked,
    }
    return record(8, value, member_id=name, **fields)


def tombstone(key_type: int, name: str | None = None, **fields: Any) -> GroupRecord:
    return record(key_type, None, member_id=name, **fields)


def in_order(records: Iterable[GroupRecord]) -> list[GroupRecord]:
    """Offsets and times continue from one record to the next unless a record has its own."""
    ordered: list[GroupRecord] = []
    offset = -1
    for one in records:
        offset = one.record_offset if one.record_offset >= 0 else offset + 1
        time = MIDNIGHT + offset * 1000 if one.recorded_at is None else one.recorded_at
        ordered.append(one._replace(record_offset=offset, recorded_at=time))
    return ordered


def replayed(*records: GroupRecord, topic_names: TopicNames | None = None) -> ReplayedDay:
    """One day."""
    [day] = replay_days({}, in_order(records), [DAY], topic_names or {})
    return day


def replayed_after(
    first: Iterable[GroupRecord], second: Iterable[GroupRecord], *, complete: bool = True
) -> ReplayedDay:
    """The second of two days, started from the state that the first left."""
    next_day = (one._replace(day=DAY + 1, source=RecordSource(DAY + 1, "file", 0, 1)) for one in second)
    ordered = in_order([*first, *next_day])
    [day] = replay_days({}, [record for record in ordered if record.day == DAY], [DAY], {})
    groups = {
        row["group_id"]: group_state.decode(json.loads(row["heap"]), complete=complete and row["holes"] == 0)
        for row in day.groups
    }
    [day] = replay_days(groups, [record for record in ordered if record.day == DAY + 1], [DAY + 1], {})
    return day


def generations(day: ReplayedDay, *columns: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in columns) for row in day.generations if row.get("generation") is not None]


def owned_partitions(day: ReplayedDay) -> dict[int, dict[str, list[int] | None]]:
    """Generation -> member -> partitions."""
    owned: dict[int, dict[str, list[int] | None]] = {}
    for row in day.members:
        partitions = row["owned"] and [number for topic in row["owned"] for number in topic["partitions"]]
        owned.setdefault(row["generation"], {})[row["member_id"]] = partitions
    return owned
