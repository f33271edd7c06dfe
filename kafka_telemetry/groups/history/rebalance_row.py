"""Builds rows of silver.rebalances: a generation as logs and the offsets topic report it together."""

from typing import Any

from kafka_telemetry.formats.integer_ranges import LARGEST_INT32
from kafka_telemetry.groups.history import rebalance_reason
from kafka_telemetry.groups.history.logged_generation import LoggedGeneration
from kafka_telemetry.groups.history.member_session import EVICTED, LEFT
from kafka_telemetry.groups.history.previous_generation import GenerationKey, PreviousGeneration
from kafka_telemetry.groups.history.rebalance_reason import Observations
from kafka_telemetry.groups.history.recorded_generation import RecordedGeneration
from kafka_telemetry.groups.history.sessions import MemberSessions

_COMPUTED_COUNTS = ("members_before", "members_after", "members_joined", "unobserved_before")


def rebalance_row(
    key: GenerationKey,
    log: LoggedGeneration | None,
    topic: RecordedGeneration | None,
    previous: PreviousGeneration | None,
    sessions: MemberSessions,
) -> dict[str, Any]:
    """`previous` is the last known generation of the same incarnation."""
    by_epoch = topic.group_type != "classic" if topic else bool(log and log.by_epoch)
    stabilized_at = (log.stabilized_at if log else None) or (topic.state_at if topic and not by_epoch else None)
    completed_at = topic.reconciled_at if topic and by_epoch else None
    if not by_epoch:
        completed_at = (
            (log.completed_at if log else None)
            or (topic.assigned_at if topic else None)
            or (log.last_synced_at if log else None)
        )
    started_at = (log.started_at if log else None) or (topic.recorded_at if topic and by_epoch else None)
    known_at = started_at or stabilized_at or completed_at or (topic.recorded_at if topic else None)
    members = members_of_generation(log, topic)
    is_first = previous is None and key[1] == 1
    unobserved = _unobserved(key, previous, log)
    if unobserved:
        # The last known generation is not the one before.
        previous = None
    joined, left, evicted = _membership_changes(key, log, topic, previous, sessions)
    cause = rebalance_reason.decide(Observations(log, topic, previous, sessions, by_epoch, started_at))
    evidence = [f"{side}_log" for side in ("broker", "client") if log and side in log.sides]
    row: dict[str, Any] = {
        "incarnation": key[0],
        "generation": key[1],
        "group_type": topic.group_type if topic else ((log.group_type if log else None) or _group_type(by_epoch)),
        "protocol_type": topic.protocol_type if topic else None,
        "assignor": (topic.assignor if topic else None) or (log.assignor if log else None),
        "started_at": started_at,
        "stabilized_at": stabilized_at,
        "completed_at": completed_at,
        "told_at": known_at or (log.first_client_line_at if log else None),
        "reason": cause.reason,
        "reason_text": cause.reason_text,
        "trigger_member_id": cause.member_id,
        "trigger_client_id": cause.client_id,
        "members_before": _first_known(
            previous.member_count if previous else None, log.members_before if log else None, 0 if is_first else None
        ),
        "members_after": _first_known(len(members) if members is not None else None, log.member_count if log else None),
        "members_joined": joined,
        "members_left": left,
        "members_evicted": evicted,
        "partitions_before": previous.partitions_assigned if previous else None,
        "partitions_assigned": topic.partitions_assigned if topic else (log.partitions if log else None),
        "partitions_moved": topic.partitions_moved if topic else None,
        "partitions_moved_minimum": topic.partitions_moved_minimum if topic else None,
        "unobserved_before": unobserved,
        "evidence": [*evidence, *(["offsets_topic"] if topic else [])],
    }
    # A log may contain any number, and a sum of two may not fit the column.
    return row | {name: None for name in _COMPUTED_COUNTS if (row[name] or 0) > LARGEST_INT32}


def members_of_generation(log: LoggedGeneration | None, topic: RecordedGeneration | None) -> list[str] | None:
    if topic is not None and topic.members is not None:
        return sorted(topic.members)
    return sorted(log.members) if log is not None and log.members is not None else None


def _membership_changes(
    key: GenerationKey,
    log: LoggedGeneration | None,
    topic: RecordedGeneration | None,
    previous: PreviousGeneration | None,
    sessions: MemberSessions,
) -> tuple[int | None, int | None, int | None]:
    """How many members joined, left and were evicted; null where no source shows it."""
    members = members_of_generation(log, topic)
    at = (log.stabilized_at or log.started_at or log.last_synced_at) if log else None
    at = at or (topic.in_force_at if topic else None)
    by_log = (log.joined, log.left, log.evicted) if log else (None, None, None)
    if members is not None and previous is not None and previous.members is not None and at is not None:
        joined, ends = _compare_members(members, topic, previous.members, sessions, at)
        if None in ends:
            return (joined, *by_log[1:])
        return joined, sum(ended_by in LEFT for ended_by in ends), sum(ended_by in EVICTED for ended_by in ends)
    if members is not None and previous is None and key[1] == 1:
        return len(members), 0, 0
    if members is not None and previous is None and log is not None and log.members_before == 0:
        return len(members), 0, 0
    return by_log


def _compare_members(
    members: list[str], topic: RecordedGeneration | None, before: list[str], sessions: MemberSessions, at: int
) -> tuple[int, list[str | None]]:
    """How many members joined, and how departed members ended. Static members that returned do neither."""
    identities = topic.members if topic is not None and topic.members is not None else {}
    replaced = {old for identity in identities.values() for old in identity.replaces}
    returned = {name for name, identity in identities.items() if set(identity.replaces) & set(before)}
    gone = [name for name in before if name not in members and name not in replaced]
    ends = [sessions.nearest_end(name, at) for name in gone]
    # Up to 2.5 the return of a static member is recorded only with the next generation.
    taken_over = {end.instance_id for end in ends if end is not None and end.ended_by in ("replaced", "fenced")}
    returned |= {
        name
        for name, identity in identities.items()
        if identity.instance_id is not None and identity.instance_id in taken_over
    }
    joined = len(set(members) - returned - set(before))
    return joined, [end.ended_by if end is not None else None for end in ends]


def _group_type(by_epoch: bool) -> str:
    return "consumer" if by_epoch else "classic"


def _first_known(*values: int | None) -> int | None:
    return next((value for value in values if value is not None), None)


def _unobserved(key: GenerationKey, previous: PreviousGeneration | None, log: LoggedGeneration | None) -> int | None:
    """Numbers between two generations that no source shows; a broker log that shows both shows all between."""
    if previous is None:
        return None
    if previous.in_broker_log and log is not None and log.in_broker_log:
        return 0
    return max(key[1] - previous.generation - 1, 0)
