"""The state of a group's history that a day leaves to the next, and its form on disk: the JSON of silver.stories.story.

Every key is written out here, so that renaming an attribute changes nothing on disk. A change of the keys or of what
they mean needs a new VERSION.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kafka_telemetry.groups.history.broker_log import BrokerLog
from kafka_telemetry.groups.history.client_log import ClientLog
from kafka_telemetry.groups.history.log_event import Cause
from kafka_telemetry.groups.history.logged_generation import LoggedGeneration
from kafka_telemetry.groups.history.member_session import MemberSession
from kafka_telemetry.groups.history.previous_generation import PreviousGeneration
from kafka_telemetry.groups.history.rebalance_reason import cause_of_preparation
from kafka_telemetry.groups.reading.reading_state import (
    ReadingState,
    decode_reading_state,
    encode_reading_state,
)
from kafka_telemetry.groups.state_version import check_version

VERSION = 2


@dataclass(frozen=True)
class HistoryState:
    open_sessions: list[MemberSession] = field(default_factory=list)
    broker_log: BrokerLog = field(default_factory=BrokerLog)
    client_log: ClientLog = field(default_factory=ClientLog)
    previous_generation: PreviousGeneration | None = None
    # When a generation with members came into force last; 0: never.
    changed_at: int = 0
    reading: ReadingState = field(default_factory=ReadingState)

    @property
    def is_empty(self) -> bool:
        """Whether the next day can start without this state."""
        return not (
            self.open_sessions
            or self.previous_generation
            or self.broker_log.pending
            or self.broker_log.last_generation is not None
            or self.reading.readings
        )


def encode(state: HistoryState) -> dict[str, Any]:
    return {
        "version": VERSION,
        "sessions": [_encode_session(session) for session in state.open_sessions],
        "log": _encode_broker_log(state.broker_log),
        "clients": _encode_client_log(state.client_log),
        "before": _encode_previous(state.previous_generation) if state.previous_generation else None,
        # SQL reads this one: $.changed_at.
        "changed_at": state.changed_at,
        "reading": encode_reading_state(state.reading),
    }


def decode(encoded: Mapping[str, Any]) -> HistoryState:
    check_version(encoded, VERSION)
    previous = encoded["before"]
    return HistoryState(
        open_sessions=[_decode_session(session) for session in encoded["sessions"]],
        broker_log=_decode_broker_log(encoded["log"]),
        client_log=_decode_client_log(encoded["clients"]),
        previous_generation=_decode_previous(previous) if previous else None,
        changed_at=encoded["changed_at"],
        reading=decode_reading_state(encoded["reading"]),
    )


def _encode_session(session: MemberSession) -> dict[str, Any]:
    return {
        "member_id": session.member_id,
        "joined_at": session.joined_at,
        "client_id": session.client_id,
        "client_host": session.client_host,
        "instance_id": session.instance_id,
        "session_timeout_ms": session.session_timeout_ms,
        "ended_at": session.ended_at,
        "ended_by": session.ended_by,
        "generations": session.generations_in_topic,
        "by_broker": session.generations_in_broker_log,
        "by_client": session.generations_in_client_log,
        "last_generation": session.last_generation_in_client_log,
        "next_member_id": session.next_member_id,
        "gone_by_broker": session.ended_in_broker_log,
    }


def _decode_session(encoded: Mapping[str, Any]) -> MemberSession:
    return MemberSession(
        member_id=encoded["member_id"],
        joined_at=encoded["joined_at"],
        client_id=encoded["client_id"],
        client_host=encoded["client_host"],
        instance_id=encoded["instance_id"],
        session_timeout_ms=encoded["session_timeout_ms"],
        ended_at=encoded["ended_at"],
        ended_by=encoded["ended_by"],
        generations_in_topic=encoded["generations"],
        generations_in_broker_log=encoded["by_broker"],
        generations_in_client_log=encoded["by_client"],
        last_generation_in_client_log=encoded["last_generation"],
        next_member_id=encoded["next_member_id"],
        ended_in_broker_log=encoded["gone_by_broker"],
    )


def _encode_broker_log(log: BrokerLog) -> dict[str, Any]:
    change = log.membership_change
    return {
        "incarnation": log.incarnation,
        "lost": log.lowest_incarnation,
        "last_generation": log.last_generation,
        "old_generation": log.generation_before_pending,
        "pending": _encode_pending(log.pending) if log.pending else None,
        "cause": change and {"at": log.membership_changed_at, **_encode_cause(change)},
        "metadata_hash": log.metadata_hash,
        "count": log.member_count,
        "group_kind": log.group_kind,
        "came": log.joined,
        "went": log.departed,
        "assigned": log.assigned_ids,
        "returned": log.returned_instances,
    }


def _decode_broker_log(encoded: Mapping[str, Any]) -> BrokerLog:
    change = encoded["cause"]
    return BrokerLog(
        incarnation=encoded["incarnation"],
        lowest_incarnation=encoded["lost"],
        last_generation=encoded["last_generation"],
        generation_before_pending=encoded["old_generation"],
        pending=_decode_pending(encoded["pending"]) if encoded["pending"] else None,
        membership_change=_decode_cause(change) if change else None,
        membership_changed_at=change["at"] if change else 0,
        metadata_hash=encoded["metadata_hash"],
        member_count=encoded["count"],
        group_kind=encoded["group_kind"],
        joined=encoded["came"],
        departed=[(member_id, ended_by) for member_id, ended_by in encoded["went"]],
        assigned_ids=encoded["assigned"],
        returned_instances=encoded["returned"],
    )


def _encode_client_log(log: ClientLog) -> dict[str, Any]:
    """`word` is null while no rebalance has begun, and empty where one has begun whose cause is not known."""
    word = _encode_cause(log.cause) if log.cause else {}
    return {"last_generation": log.last_generation, "word": word if log.is_rebalancing else None}


def _decode_client_log(encoded: Mapping[str, Any]) -> ClientLog:
    word = encoded["word"]
    return ClientLog(
        last_generation=encoded["last_generation"],
        is_rebalancing=word is not None,
        cause=_decode_cause(word) if word else None,
    )


def _encode_cause(cause: Cause) -> dict[str, Any]:
    return {
        "reason": cause.reason,
        "reason_text": cause.reason_text,
        "trigger_member_id": cause.member_id,
        "trigger_client_id": cause.client_id,
    }


def _decode_cause(encoded: Mapping[str, Any]) -> Cause:
    return Cause(
        reason=encoded["reason"],
        reason_text=encoded["reason_text"],
        member_id=encoded["trigger_member_id"],
        client_id=encoded["trigger_client_id"],
    )


def _encode_pending(generation: LoggedGeneration) -> dict[str, Any]:
    return {
        "generation": generation.generation,
        "started_at": generation.started_at,
        "stabilized_at": generation.stabilized_at,
        "completed_at": generation.completed_at,
        **_encode_cause(cause_of_preparation(generation) or Cause(None)),
        "member_count": generation.member_count,
        "members_before": generation.members_before,
        "joined": generation.joined,
        "left": generation.left,
        "evicted": generation.evicted,
        "assignor": generation.assignor,
        "by_epoch": generation.by_epoch,
        "group_type": generation.group_type,
        "sides": generation.sides,
        "told_at": generation.first_client_line_at,
        "synced_at": generation.last_synced_at,
        "members": generation.members,
        "partitions": generation.partitions,
    }


def _decode_pending(encoded: Mapping[str, Any]) -> LoggedGeneration:
    return LoggedGeneration(
        generation=encoded["generation"],
        started_at=encoded["started_at"],
        stabilized_at=encoded["stabilized_at"],
        completed_at=encoded["completed_at"],
        preparation=_decode_cause(encoded),
        member_count=encoded["member_count"],
        members_before=encoded["members_before"],
        joined=encoded["joined"],
        left=encoded["left"],
        evicted=encoded["evicted"],
        assignor=encoded["assignor"],
        by_epoch=encoded["by_epoch"],
        group_type=encoded["group_type"],
        sides=encoded["sides"],
        first_client_line_at=encoded["told_at"],
        last_synced_at=encoded["synced_at"],
        members=encoded["members"],
        partitions=encoded["partitions"],
    )


def _encode_previous(previous: PreviousGeneration) -> dict[str, Any]:
    return {
        "incarnation": previous.incarnation,
        "generation": previous.generation,
        "members": previous.members,
        "member_count": previous.member_count,
        "partitions_assigned": previous.partitions_assigned,
        "by_broker": previous.in_broker_log,
    }


def _decode_previous(encoded: Mapping[str, Any]) -> PreviousGeneration:
    return PreviousGeneration(
        incarnation=encoded["incarnation"],
        generation=encoded["generation"],
        members=encoded["members"],
        member_count=encoded["member_count"],
        partitions_assigned=encoded["partitions_assigned"],
        in_broker_log=encoded["by_broker"],
    )
