"""Log lines and recorded generations, written short. Times are seconds."""

import json
from collections.abc import Sequence
from typing import Any

from kafka_telemetry.groups.history import history_state
from kafka_telemetry.groups.history.history import Day, Story
from kafka_telemetry.groups.history.observations import Event, Recorded, Who

SECOND = 1_000_000


def broker(at: float, event: str, member: str | None = None, **told: Any) -> Event:
    details = told.pop("details", {})
    return Event(at=round(at * SECOND), side="broker", event=event, member_id=member, details=details, **told)


def client(at: float, event: str, member: str | None = None, **told: Any) -> Event:
    return broker(at, event, member, **told)._replace(side="client")


def recorded(at: float, generation: int, *members: str, **told: Any) -> Recorded:
    who = told.pop("who", {})
    given: dict[str, Any] = {
        "incarnation": 1, "group_type": "classic", "protocol_type": "consumer", "assignor": "range",
        "recorded_at": round((at + 0.1) * SECOND), "state_at": round(at * SECOND),
        "assigned_at": round((at + 0.1) * SECOND), **told,
    }  # fmt: skip
    return Recorded(generation=generation, members={name: who.get(name, Who()) for name in members}, **given)


def joins(at: float, member: str, old_generation: int) -> list[Event]:
    """As a broker logs it: the member is added, the group prepares."""
    return [
        broker(at, "member_joined", member, reason="member_joined"),
        broker(at + 0.01, "preparing_rebalance", member, generation=old_generation, reason="member_joined"),
    ]


def completes(at: float, generation: int, members: int) -> list[Event]:
    return [
        broker(at, "stabilized", generation=generation, details={"member_count": str(members)}),
        broker(at + 0.5, "assignment_received", generation=generation),
    ]


def bumped(at: float, epoch: int, topics: str = "7") -> Event:
    return broker(at, "epoch_bumped", generation=epoch, details={"metadata_hash": topics})


def day(*events: Event | list[Event], told: tuple[Recorded, ...] = ()) -> Day:
    flat = [one for event in events for one in (event if isinstance(event, list) else [event])]
    return Story().day(flat, told)


def state_text(history: Story) -> str:
    """What silver.stories holds of a history."""
    return json.dumps(history_state.encode(history.state()), ensure_ascii=False, separators=(",", ":"))


def next_day(history: Story, events: Sequence[Event]) -> Day:
    """The day after, started from what is written of the day before."""
    return Story(history_state.decode(json.loads(state_text(history)))).day(events, ())


def facts(of: Day, *columns: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in columns) for row in of.rebalances]


def ends(of: Day) -> list[tuple[str, str | None]]:
    return sorted((row["member_id"], row["ended_by"]) for row in of.sessions)
