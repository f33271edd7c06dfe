"""What the broker's log says of a group's rebalances, line after line."""

from dataclasses import dataclass, field
from typing import Any

from kafka_telemetry.groups.history.observations import Event
from kafka_telemetry.groups.history.sessions import EVICTED, LEFT

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
# What a broker does in answer to one request it logs within this.
_ANSWERED = 1_000_000


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
    members_before: int | None = None
    joined: int | None = None
    left: int | None = None
    evicted: int | None = None
    assignor: str | None = None
    by_epoch: bool = False
    group_type: str | None = None
    sides: list[str] = field(default_factory=list)
    # First time that a client told of it, and the last.
    told_at: int | None = None
    synced_at: int | None = None
    # As the leader's own log has it: the members that it assigned, and how many partitions.
    members: list[str] | None = None
    partitions: int | None = None


@dataclass
class BrokerLog:
    """Where the reading of the log stands: what a later line will be about."""

    incarnation: int = 1
    # The lowest number given to an incarnation of which the topic's records are gone; 1: to none.
    lost: int = 1
    last_generation: int | None = None
    old_generation: int | None = None
    pending: Logged | None = None
    cause: dict[str, Any] | None = None
    metadata_hash: str | None = None
    # Members of the last generation; null: the log does not reach back so far.
    count: int | None = None
    group_kind: str | None = None
    # Since the last generation: who joined, and (who, how) has gone of those that were in it.
    came: list[str] = field(default_factory=list)
    went: list[list[str]] = field(default_factory=list)
    # Ids handed out to members that are to join with them, and static members whose new ids no line names, with the time.
    assigned: dict[str, int] = field(default_factory=dict)
    returned: dict[str, int] = field(default_factory=dict)

    def cause_of(self, event: Event) -> None:
        """Something that a new generation or epoch will answer to. Who joins subscribes too, and that is one thing."""
        if event.event not in _MEMBERSHIP:
            return
        known = self._fresh_cause(event.at)
        if known and event.event == "subscription_updated" and known["trigger_member_id"] == event.member_id:
            return
        self.cause = {
            "at": event.at,
            "reason": event.reason or _MEMBERSHIP[event.event],
            "reason_text": event.reason_text,
            "trigger_member_id": event.member_id,
            "trigger_client_id": event.client_id,
        }

    def _fresh_cause(self, at: int) -> dict[str, Any] | None:
        return self.cause if self.cause is not None and at - self.cause["at"] <= _ANSWERED else None

    def has_gone(self, member_id: str, by: str) -> None:
        if member_id in self.came:
            self.came.remove(member_id)
        else:
            self.went.append([member_id, by])

    def prepare(self, event: Event) -> None:
        """The first word counts; the leave line of the same member may tell the reason better."""
        if self.pending is not None and self.old_generation == event.generation:
            return
        self.old_generation = event.generation
        reason, text = event.reason, event.reason_text
        trigger, client_id = event.member_id, event.client_id
        cause = self._fresh_cause(event.at)
        # A static member that an administrator removed is not named: `LeaveGroup` request for () members; nor is whoever
        # ended a group's time of the consumer protocol.
        unnamed = trigger is None and not event.details.get("member_ids") and reason in ("member_left", "unknown")
        if cause is not None and (unnamed or (reason == "member_left" and cause["trigger_member_id"] == trigger)):
            reason, text = cause["reason"], cause["reason_text"] or text
            trigger, client_id = cause["trigger_member_id"], client_id or cause["trigger_client_id"]
        self.pending = Logged(
            generation=-1, started_at=event.at, reason=reason, reason_text=text,
            trigger_member_id=trigger, trigger_client_id=client_id,
        )  # fmt: skip

    def stabilize(self, event: Event) -> Logged:
        logged = self.pending or Logged(generation=-1)
        self.pending = self.cause = self.old_generation = None
        logged.generation = event.generation or 0
        logged.stabilized_at = event.at
        count = event.details.get("member_count")
        after = int(count) if count is not None and count.isdigit() else None
        self._account(logged, first=logged.generation == 1)
        if logged.members_before is not None and after is not None:
            logged.joined = after - logged.members_before + (logged.left or 0) + (logged.evicted or 0)
        logged.member_count = self.count = after
        return logged

    def bump(self, event: Event) -> Logged:
        """An epoch answers to what came before it; if that is nothing, to topics that changed."""
        told = {name: value for name, value in (self._fresh_cause(event.at) or {}).items() if name != "at"}
        changed = event.details.get("metadata_hash") != self.metadata_hash
        if not told and changed:
            told = {"reason": "subscription_or_topics_changed"}
        self.metadata_hash = event.details.get("metadata_hash")
        self.cause = None
        logged = Logged(
            generation=event.generation or 0, started_at=event.at, by_epoch=True, group_type=self.group_kind, **told
        )
        came = len(self.came)
        # The first member makes a group of epoch 0 and bumps it: by its subscription, in 4.1 and later once more.
        last = self.last_generation
        begins = last is None or last == 1 or logged.generation < last
        self._account(logged, first=logged.generation <= 2 and begins)
        if logged.members_before is not None:
            logged.joined = came
            count = logged.members_before + came - (logged.left or 0) - (logged.evicted or 0)
            # Fewer than none: the log does not hold all that came.
            logged.member_count = count if count >= 0 else None
        elif self.metadata_hash == "0" and not came:
            # The hash of no topics: nobody is left to subscribe to any. Who just joined may wait for its expression.
            logged.member_count = 0
        self.count = logged.member_count
        return logged

    def empty(self, event: Event) -> Logged:
        self.pending = self.cause = None
        self.came, self.went, self.count = [], [], 0
        return Logged(event.generation or 0, member_count=0, stabilized_at=event.at)

    def _account(self, logged: Logged, *, first: bool) -> None:
        """Who went since the generation before, as far as it is told."""
        logged.members_before = self.count if self.count is not None else (0 if first else None)
        logged.left = sum(by in LEFT for _, by in self.went)
        logged.evicted = sum(by in EVICTED for _, by in self.went)
        self.came, self.went = [], []
