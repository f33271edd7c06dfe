"""A generation, told by all sources together: by the log and by the offsets topic."""

from typing import Any

from kafka_telemetry.groups.history import rebalance_reason
from kafka_telemetry.groups.history.logged_generation import Logged
from kafka_telemetry.groups.history.observations import Recorded
from kafka_telemetry.groups.history.previous_generation import Before, Key
from kafka_telemetry.groups.history.rebalance_reason import Observations
from kafka_telemetry.groups.history.sessions import EVICTED, LEFT, Sessions


def rebalance(
    key: Key, log: Logged | None, topic: Recorded | None, before: Before | None, sessions: Sessions
) -> dict[str, Any]:
    """The generation as silver.rebalances has it."""
    by_epoch = topic.group_type != "classic" if topic else bool(log and log.by_epoch)
    stabilized_at = (log.stabilized_at if log else None) or (topic.state_at if topic and not by_epoch else None)
    completed_at = topic.reconciled_at if topic and by_epoch else None
    if not by_epoch:
        completed_at = (
            (log.completed_at if log else None)
            or (topic.assigned_at if topic else None)
            or (log.synced_at if log else None)
        )
    started_at = (log.started_at if log else None) or (topic.recorded_at if topic and by_epoch else None)
    told_at = started_at or stabilized_at or completed_at or (topic.recorded_at if topic else None)
    members = members_of(log, topic)
    is_first = before is None and key[1] == 1
    unobserved = _unobserved(key, before, log)
    if unobserved:
        # What is known is known of another generation than the one before.
        before = None
    joined, left, evicted = _changes(key, log, topic, before, sessions)
    cause = rebalance_reason.decide(Observations(log, topic, before, sessions, by_epoch, started_at))
    evidence = [f"{side}_log" for side in ("broker", "client") if log and side in log.sides]
    return {
        "incarnation": key[0],
        "generation": key[1],
        "group_type": topic.group_type if topic else ((log.group_type if log else None) or _kind(by_epoch)),
        "protocol_type": topic.protocol_type if topic else None,
        "assignor": (topic.assignor if topic else None) or (log.assignor if log else None),
        "started_at": started_at,
        "stabilized_at": stabilized_at,
        "completed_at": completed_at,
        "told_at": told_at or (log.told_at if log else None),
        "reason": cause.reason,
        "reason_text": cause.reason_text,
        "trigger_member_id": cause.member_id,
        "trigger_client_id": cause.client_id,
        "members_before": _first_of(
            before.member_count if before else None, log.members_before if log else None, 0 if is_first else None
        ),
        "members_after": _first_of(len(members) if members is not None else None, log.member_count if log else None),
        "members_joined": joined,
        "members_left": left,
        "members_evicted": evicted,
        "partitions_before": before.partitions_assigned if before else None,
        "partitions_assigned": topic.partitions_assigned if topic else (log.partitions if log else None),
        "partitions_moved": topic.partitions_moved if topic else None,
        "partitions_moved_minimum": topic.partitions_moved_minimum if topic else None,
        "unobserved_before": unobserved,
        "evidence": [*evidence, *(["offsets_topic"] if topic else [])],
    }


def _changes(
    key: Key, log: Logged | None, topic: Recorded | None, before: Before | None, sessions: Sessions
) -> tuple[int | None, int | None, int | None]:
    """How many joined, left and were evicted; null where nothing tells."""
    members = members_of(log, topic)
    at = (log.stabilized_at or log.started_at or log.synced_at if log else None) or (topic.at if topic else None)
    by_log = (log.joined, log.left, log.evicted) if log else (None, None, None)
    if members is not None and before is not None and before.members is not None and at is not None:
        who = topic.members if topic is not None and topic.members is not None else {}
        replaced = {old for one in who.values() for old in one.replaces}
        back = {name for name, one in who.items() if set(one.replaces) & set(before.members)}
        gone = [name for name in before.members if name not in members and name not in replaced]
        ends = [sessions.ending(name, at) for name in gone]
        how = [one.ended_by for one in ends if one is not None and one.ended_by is not None]
        # Up to 2.5 a static member's return is not written down before the next generation.
        taken_over = {one.instance_id for one in ends if one is not None and one.ended_by in ("replaced", "fenced")}
        back |= {name for name, one in who.items() if one.instance_id is not None and one.instance_id in taken_over}
        joined = len(set(members) - back - set(before.members))
        if len(how) < len(gone):
            return (joined, *by_log[1:])
        return joined, sum(by in LEFT for by in how), sum(by in EVICTED for by in how)
    if members is not None and before is None and key[1] == 1:
        return len(members), 0, 0
    if members is not None and before is None and log is not None and log.members_before == 0:
        return len(members), 0, 0
    return by_log


def members_of(log: Logged | None, topic: Recorded | None) -> list[str] | None:
    if topic is not None and topic.members is not None:
        return sorted(topic.members)
    return sorted(log.members) if log is not None and log.members is not None else None


def _kind(by_epoch: bool) -> str:
    return "consumer" if by_epoch else "classic"


def _first_of(*values: int | None) -> int | None:
    return next((value for value in values if value is not None), None)


def _unobserved(key: Key, before: Before | None, log: Logged | None) -> int | None:
    """Numbers between two generations that no source shows; a broker's log that shows both shows all between."""
    if before is None:
        return None
    if before.by_broker and log is not None and "broker" in log.sides:
        return 0
    return max(key[1] - before.generation - 1, 0)
