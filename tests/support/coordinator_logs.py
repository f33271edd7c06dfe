"""Logs of group records, written short: what differs from the record before is said, the rest is filled in."""

import json
from collections.abc import Iterable
from typing import Any

from kafka_telemetry.groups.coordinator import group_state
from kafka_telemetry.groups.coordinator.group_record import GroupRecord, Place
from kafka_telemetry.groups.coordinator.replay import Followed, Names, follow

DAY = 20_000
MIDNIGHT = DAY * 86_400_000_000
TOPIC_ID = "nLtPe8D-ReuBFPNlDqJWSQ"


def record(key_type: int, value: dict[str, Any] | None, **told: Any) -> GroupRecord:
    given = {"group_id": "g", "member_id": None, "pattern": None, "day": DAY, "holes": 0, "contradicted": False, **told}
    given.setdefault("recorded_at", None)
    given.setdefault("record_offset", -1)
    return GroupRecord(key_type=key_type, value=value, place=Place(given["day"], "file", 0, 1), **given)


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


def classic(generation: int, *members: dict[str, Any], **told: Any) -> GroupRecord:
    value = {
        "protocolType": "consumer",
        "generation": generation,
        "protocol": "range" if members else None,
        "leader": members[0]["memberId"] if members else None,
        "currentStateTimestamp": 1,
        "members": list(members),
    }
    return record(2, value, **told)


def joined(name: str, **told: Any) -> GroupRecord:
    """KIP-848: a member's own record."""
    value = {"clientId": f"client-{name}", "clientHost": "/10.0.0.1", "subscribedTopicNames": ["t"], "instanceId": None}
    return record(5, {**value, **told.pop("value", {})}, member_id=name, **told)


def epoch(number: int, **told: Any) -> GroupRecord:
    return record(3, {"epoch": number}, **told)


def target(name: str, *partitions: int) -> GroupRecord:
    return record(7, {"topicPartitions": [{"topicId": TOPIC_ID, "partitions": list(partitions)}]}, member_id=name)


def target_of(number: int) -> GroupRecord:
    return record(6, {"assignmentEpoch": number})


def current(
    name: str, number: int, *partitions: int, state: int = 0, pending: tuple[int, ...] = (), **told: Any
) -> GroupRecord:
    assigned, revoked = ([{"topicId": TOPIC_ID, "partitions": list(of)}] if of else [] for of in (partitions, pending))
    value = {
        "memberEpoch": number,
        "state": state,
        "assignedPartitions": assigned,
        "partitionsPendingRevocation": revoked,
    }
    return record(8, value, member_id=name, **told)


def gone(key_type: int, name: str | None = None, **told: Any) -> GroupRecord:
    return record(key_type, None, member_id=name, **told)


def in_order(records: Iterable[GroupRecord]) -> list[GroupRecord]:
    """Positions and times go on from one to the next where they are not given."""
    placed: list[GroupRecord] = []
    at = -1
    for one in records:
        at = one.record_offset if one.record_offset >= 0 else at + 1
        time = MIDNIGHT + at * 1000 if one.recorded_at is None else one.recorded_at
        placed.append(one._replace(record_offset=at, recorded_at=time))
    return placed


def followed(*records: GroupRecord, names: Names | None = None) -> Followed:
    """One day."""
    [day] = follow({}, in_order(records), [DAY], names or {})
    return day


def in_two_days(first: Iterable[GroupRecord], second: Iterable[GroupRecord], *, complete: bool = True) -> Followed:
    """The second of two days, started from what is written of the first."""
    ordered = in_order([*first, *(one._replace(day=DAY + 1, place=Place(DAY + 1, "file", 0, 1)) for one in second)])
    [one] = follow({}, [record for record in ordered if record.day == DAY], [DAY], {})
    carried = {
        row["group_id"]: group_state.decode(json.loads(row["heap"]), complete=complete and row["holes"] == 0)
        for row in one.group
    }
    [two] = follow(carried, [record for record in ordered if record.day == DAY + 1], [DAY + 1], {})
    return two


def generations(told: Followed, *columns: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in columns) for row in told.generation if row.get("generation") is not None]


def owners(told: Followed) -> dict[int, dict[str, list[int] | None]]:
    """generation -> member -> partitions."""
    found: dict[int, dict[str, list[int] | None]] = {}
    for row in told.member:
        owned = row["owned"] and [number for of in row["owned"] for number in of["partitions"]]
        found.setdefault(row["generation"], {})[row["member_id"]] = owned
    return found
