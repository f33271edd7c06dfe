"""Short forms of log events and recorded generations, and of a group's history. Times are seconds."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from kafka_telemetry.groups.history import history_state
from kafka_telemetry.groups.history.group_history import GroupHistory, HistoryDay
from kafka_telemetry.groups.history.log_event import LogEvent
from kafka_telemetry.groups.history.recorded_generation import MemberIdentity, RecordedGeneration

SECOND = 1_000_000


def broker(at: float, event: str, member: str | None = None, **fields: Any) -> LogEvent:
    details = fields.pop("details", {})
    return LogEvent(at=round(at * SECOND), side="broker", event=event, member_id=member, details=details, **fields)


def client(at: float, event: str, member: str | None = None, **fields: Any) -> LogEvent:
    return broker(at, event, member, **fields)._replace(side="client")


def recorded(at: float, generation: int, *members: str, **fields: Any) -> RecordedGeneration:
    identities = fields.pop("identities", {})
    columns: dict[str, Any] = {
        "incarnation": 1, "group_type": "classic", "protocol_type": "consumer", "assignor": "range",
        "recorded_at": round((at + 0.1) * SECOND), "state_at": round(at * SECOND),
        "assigned_at": round((at + 0.1) * SECOND), **fields,
    }  # fmt: skip
    described = {member_id: identities.get(member_id, MemberIdentity()) for member_id in members}
    return RecordedGeneration(generation=generation, members=described, **columns)


def joins(at: float, member: str, old_generation: int) -> list[LogEvent]:
    """The broker adds the member, and the group prepares to rebalance."""
    return [
        broker(at, "member_joined", member, reason="member_joined"),
        broker(at + 0.01, "preparing_rebalance", member, generation=old_generation, reason="member_joined"),
    ]


def completes(at: float, generation: int, members: int) -> list[LogEvent]:
    return [
        broker(at, "stabilized", generation=generation, details={"member_count": str(members)}),
        broker(at + 0.5, "assignment_received", generation=generation),
    ]


def bumped(at: float, epoch: int, topics: str = "7") -> LogEvent:
    return broker(at, "epoch_bumped", generation=epoch, details={"metadata_hash": topics})


def one_day(*events: LogEvent | list[LogEvent], records: Iterable[RecordedGeneration] = ()) -> HistoryDay:
    """The only day of a group's history."""
    flat = [event for group in events for event in (group if isinstance(group, list) else [group])]
    return GroupHistory().add_day(flat, records)


def state_text(history: GroupHistory) -> str:
    """What silver.stories holds of a history."""
    return json.dumps(history_state.encode(history.state()), ensure_ascii=False, separators=(",", ":"))


def next_day(history: GroupHistory, events: Sequence[LogEvent]) -> HistoryDay:
    """The day after, started from the text that the day before left."""
    return GroupHistory(history_state.decode(json.loads(state_text(history)))).add_day(events, ())


def rebalances(day: HistoryDay, *columns: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in columns) for row in day.rebalances]


def session_ends(day: HistoryDay) -> list[tuple[str, str | None]]:
    return sorted((row["member_id"], row["ended_by"]) for row in day.sessions)
