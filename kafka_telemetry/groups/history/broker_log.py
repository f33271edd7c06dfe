"""What has been read of a group in the broker log, and later lines build on."""

from dataclasses import dataclass, field

from kafka_telemetry.groups.history.log_event import Cause, LogEvent, cause_in, parse_count
from kafka_telemetry.groups.history.logged_generation import LoggedGeneration
from kafka_telemetry.groups.history.member_session import EVICTED, LEFT
from kafka_telemetry.groups.history.rebalance_reason import MEMBERSHIP_REASONS, ONE_REQUEST


@dataclass
class BrokerLog:
    incarnation: int = 1
    # The lowest incarnation so far: below 1 where only the log reports one, because its records were cleaned away.
    lowest_incarnation: int = 1
    last_generation: int | None = None
    # The rebalance that has begun, and the generation that it ends.
    pending: LoggedGeneration | None = None
    generation_before_pending: int | None = None
    # The last line that reports a change of the membership, until the next generation.
    membership_change: Cause | None = None
    membership_changed_at: int = 0
    # Of the topics of the last epoch.
    metadata_hash: str | None = None
    # Members of the last generation; null: it is before the log begins.
    member_count: int | None = None
    group_kind: str | None = None
    # Since the last generation: members that joined; members of that generation that are gone, and how they ended.
    joined: list[str] = field(default_factory=list)
    departed: list[tuple[str, str]] = field(default_factory=list)
    # By member id, when it was assigned to a member that has to join with it. By instance id, when a static member
    # returned under a member id that no line names.
    assigned_ids: dict[str, int] = field(default_factory=dict)
    returned_instances: dict[str, int] = field(default_factory=dict)

    def observe_membership_change(self, event: LogEvent) -> None:
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

    def record_departure(self, member_id: str, ended_by: str) -> None:
        if member_id in self.joined:
            self.joined.remove(member_id)
        else:
            self.departed.append((member_id, ended_by))

    def forget_members(self) -> None:
        self.member_count = None
        self.joined, self.departed = [], []

    def begin_rebalance(self, event: LogEvent) -> None:
        """The first line "Preparing to rebalance" counts."""
        if self.pending is not None and self.generation_before_pending == event.generation:
            return
        self.generation_before_pending = event.generation
        self.pending = LoggedGeneration(
            generation=-1,
            started_at=event.at,
            preparation=cause_in(event, event.reason),
            preparation_names_members=event.member_id is not None or bool(event.details.get("member_ids")),
            membership_change=self._recent_membership_change(event.at),
        )

    def end_join_phase(self, event: LogEvent) -> LoggedGeneration:
        generation = self.pending or LoggedGeneration(generation=-1)
        self.pending = self.membership_change = self.generation_before_pending = None
        generation.generation = event.generation or 0
        generation.stabilized_at = event.at
        count = parse_count(event.details.get("member_count"))
        self._count_departures(generation, is_first=generation.generation == 1)
        if generation.members_before is not None and count is not None:
            departures = (generation.left or 0) + (generation.evicted or 0)
            generation.joined = count - generation.members_before + departures
        generation.member_count = self.member_count = count
        return generation

    def begin_epoch(self, event: LogEvent) -> LoggedGeneration:
        metadata_hash = event.details.get("metadata_hash")
        generation = LoggedGeneration(
            generation=event.generation or 0,
            started_at=event.at,
            by_epoch=True,
            group_type=self.group_kind,
            membership_change=self._recent_membership_change(event.at),
            topics_changed=metadata_hash != self.metadata_hash,
        )
        self.metadata_hash = metadata_hash
        self.membership_change = None
        joined = len(self.joined)
        # The first member creates a group of epoch 0 and bumps it: by its subscription, in 4.1 and later once more.
        last = self.last_generation
        begins = last is None or last == 1 or generation.generation < last
        self._count_departures(generation, is_first=generation.generation <= 2 and begins)
        if generation.members_before is not None:
            generation.joined = joined
            count = generation.members_before + joined - (generation.left or 0) - (generation.evicted or 0)
            # Fewer than none: the log lacks some of the joins.
            generation.member_count = count if count >= 0 else None
        elif metadata_hash == "0" and not joined:
            # The hash of no topics: nobody is left to subscribe to any. A member that has just joined may wait for the
            # topics of its regular expression.
            generation.member_count = 0
        self.member_count = generation.member_count
        return generation

    def empty_group(self, event: LogEvent) -> LoggedGeneration:
        self.pending = self.membership_change = None
        self.joined, self.departed, self.member_count = [], [], 0
        return LoggedGeneration(event.generation or 0, member_count=0, stabilized_at=event.at)

    def _count_departures(self, generation: LoggedGeneration, *, is_first: bool) -> None:
        generation.members_before = self.member_count if self.member_count is not None else (0 if is_first else None)
        generation.left = sum(ended_by in LEFT for _, ended_by in self.departed)
        generation.evicted = sum(ended_by in EVICTED for _, ended_by in self.departed)
        self.joined, self.departed = [], []
