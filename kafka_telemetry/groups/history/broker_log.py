"""What the broker's log says of a group's rebalances, line after line."""

from dataclasses import dataclass, field

from kafka_telemetry.groups.history.logged_generation import Logged
from kafka_telemetry.groups.history.observations import Cause, Event, cause_in
from kafka_telemetry.groups.history.rebalance_reason import MEMBERSHIP_REASONS, ONE_REQUEST
from kafka_telemetry.groups.history.sessions import EVICTED, LEFT


@dataclass
class BrokerLog:
    """Where the reading of the log stands: what a later line will be about."""

    incarnation: int = 1
    # The lowest number given to an incarnation of which the topic's records are gone; 1: to none.
    lost: int = 1
    last_generation: int | None = None
    old_generation: int | None = None
    pending: Logged | None = None
    # The last line that reports a change of the membership, until a generation answers to it.
    membership_change: Cause | None = None
    membership_changed_at: int = 0
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

    def observe_membership_change(self, event: Event) -> None:
        """A member that joins subscribes too: that is one change."""
        usual_reason = MEMBERSHIP_REASONS.get(event.event)
        if usual_reason is None:
            return
        known = self._recent_membership_change(event.at)
        if known and event.event == "subscription_updated" and known.member_id == event.member_id:
            return
        self.membership_change = cause_in(event, event.reason or usual_reason)
        self.membership_changed_at = event.at

    def _recent_membership_change(self, at: int) -> Cause | None:
        return self.membership_change if at - self.membership_changed_at <= ONE_REQUEST else None

    def has_gone(self, member_id: str, by: str) -> None:
        if member_id in self.came:
            self.came.remove(member_id)
        else:
            self.went.append([member_id, by])

    def prepare(self, event: Event) -> None:
        """The first line of a rebalance counts."""
        if self.pending is not None and self.old_generation == event.generation:
            return
        self.old_generation = event.generation
        self.pending = Logged(
            generation=-1,
            started_at=event.at,
            preparation=cause_in(event, event.reason),
            preparation_names_members=event.member_id is not None or bool(event.details.get("member_ids")),
            membership_change=self._recent_membership_change(event.at),
        )

    def stabilize(self, event: Event) -> Logged:
        logged = self.pending or Logged(generation=-1)
        self.pending = self.membership_change = self.old_generation = None
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
        logged = Logged(
            generation=event.generation or 0,
            started_at=event.at,
            by_epoch=True,
            group_type=self.group_kind,
            membership_change=self._recent_membership_change(event.at),
            topics_changed=event.details.get("metadata_hash") != self.metadata_hash,
        )
        self.metadata_hash = event.details.get("metadata_hash")
        self.membership_change = None
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
        self.pending = self.membership_change = None
        self.came, self.went, self.count = [], [], 0
        return Logged(event.generation or 0, member_count=0, stabilized_at=event.at)

    def _account(self, logged: Logged, *, first: bool) -> None:
        """Who went since the generation before, as far as it is told."""
        logged.members_before = self.count if self.count is not None else (0 if first else None)
        logged.left = sum(by in LEFT for _, by in self.went)
        logged.evicted = sum(by in EVICTED for _, by in self.went)
        self.came, self.went = [], []
