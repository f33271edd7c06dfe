"""What the broker's log says of a group's rebalances, line after line."""

from dataclasses import asdict, dataclass, field
from typing import Any

from spark_jobs.story.told import Event

_MEMBERSHIP = {
    "member_joined": "member_joined",
    "static_member_joined": "member_joined",
    "member_left": "member_left",
    "member_expired": "session_timeout",
    "member_evicted": "rebalance_timeout",
    "members_not_rejoined": "rebalance_timeout",
    "sync_timed_out": "sync_timeout",
    "static_member_replaced": "static_member_changed",
    "subscription_updated": "subscription_or_topics_changed",
    "regex_refreshed": "subscription_or_topics_changed",
}


@dataclass
class Logged:
    """One generation as logs tell it."""

    generation: int
    started_at: int | None = None
    stabilized_at: int | None = None
    completed_at: int | None = None
    reason: str | None = None
    reason_text: str | None = None
    trigger_member_id: str | None = None
    trigger_client_id: str | None = None
    member_count: int | None = None
    assignor: str | None = None
    by_epoch: bool = False
    sides: list[str] = field(default_factory=list)
    # Last time that a client told of it.
    synced_at: int | None = None


@dataclass
class BrokerLog:
    """Where the reading of the log stands: what a later line will be about."""

    incarnation: int = 1
    last_generation: int | None = None
    old_generation: int | None = None
    pending: Logged | None = None
    cause: dict[str, Any] | None = None
    metadata_hash: str | None = None
    gone: bool = False

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(told: dict[str, Any]) -> "BrokerLog":
        pending = told["pending"]
        return BrokerLog(**{**told, "pending": Logged(**pending) if pending else None})

    def cause_of(self, event: Event) -> None:
        """Something that a new generation or epoch will answer to."""
        if event.event in _MEMBERSHIP:
            self.cause = {
                "reason": event.reason or _MEMBERSHIP[event.event],
                "reason_text": event.reason_text,
                "trigger_member_id": event.member_id,
                "trigger_client_id": event.client_id,
            }

    def prepare(self, event: Event) -> None:
        """The first word counts; the leave line of the same member may tell the reason better."""
        if self.pending is not None and self.old_generation == event.generation:
            return
        self.old_generation = event.generation
        reason, text = event.reason, event.reason_text
        cause = self.cause
        if cause is not None and cause["trigger_member_id"] == event.member_id and reason == "member_left":
            reason, text = cause["reason"], cause["reason_text"] or text
        self.pending = Logged(
            generation=-1, started_at=event.at, reason=reason, reason_text=text,
            trigger_member_id=event.member_id, trigger_client_id=event.client_id,
        )  # fmt: skip

    def stabilize(self, event: Event) -> Logged:
        logged = self.pending or Logged(generation=-1)
        self.pending = self.cause = self.old_generation = None
        logged.generation = event.generation or 0
        logged.stabilized_at = event.at
        count = event.details.get("member_count")
        logged.member_count = int(count) if count is not None and count.isdigit() else None
        return logged

    def bump(self, event: Event) -> Logged:
        """An epoch answers to what came before it; if that is nothing, to topics that changed."""
        told = self.cause or {}
        changed = event.details.get("metadata_hash") != self.metadata_hash
        if not told and changed:
            told = {"reason": "subscription_or_topics_changed"}
        self.metadata_hash = event.details.get("metadata_hash")
        self.cause = None
        logged = Logged(generation=event.generation or 0, started_at=event.at, by_epoch=True, **told)
        if self.metadata_hash == "0":
            # The hash of no topics: nobody is left to subscribe to any.
            logged.member_count = 0
        return logged
