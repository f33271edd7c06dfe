"""The history of one group, day after day: its log lines merged with the generations of the offsets topic."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from kafka_telemetry.groups.history.broker_lines import BrokerLines
from kafka_telemetry.groups.history.client_lines import ClientLines
from kafka_telemetry.groups.history.day_generations import DayGenerations
from kafka_telemetry.groups.history.history_state import HistoryState
from kafka_telemetry.groups.history.log_event import LogEvent
from kafka_telemetry.groups.history.logged_generation import LoggedGeneration
from kafka_telemetry.groups.history.previous_generation import GenerationKey, PreviousGeneration
from kafka_telemetry.groups.history.rebalance_row import members_of_generation, rebalance_row
from kafka_telemetry.groups.history.recorded_generation import RecordedGeneration
from kafka_telemetry.groups.history.sessions import MemberSessions
from kafka_telemetry.groups.reading.owner_change import OwnerChange
from kafka_telemetry.groups.reading.reading_history import ReadingHistory

# A record and the log lines about it may be so far apart.
_SAME_CHANGE_WITHIN = 1_000_000


@dataclass
class HistoryDay:
    """Rows of silver.rebalances, silver.member_sessions and silver.read_starts."""

    rebalances: list[dict[str, Any]] = field(default_factory=list)
    sessions: list[dict[str, Any]] = field(default_factory=list)
    read_starts: list[dict[str, Any]] = field(default_factory=list)


class GroupHistory:
    def __init__(self, state: HistoryState | None = None) -> None:
        state = state or HistoryState()
        self._sessions = MemberSessions(state.open_sessions)
        self._broker_log = state.broker_log
        self._client_log = state.client_log
        self._previous = state.previous_generation
        self._changed_at = state.changed_at
        self._reading = state.reading

    def state(self) -> HistoryState:
        """What the next day starts from."""
        return HistoryState(
            self._sessions.open_sessions(),
            self._broker_log,
            self._client_log,
            self._previous,
            self._changed_at,
            self._reading,
        )

    def add_day(
        self,
        events: Iterable[LogEvent],
        recorded: Iterable[RecordedGeneration],
        owner_changes: Sequence[OwnerChange] = (),
    ) -> HistoryDay:
        recorded = sorted(recorded, key=lambda one: (one.incarnation, one.generation, one.recorded_at or 0))
        events = sorted(events, key=lambda event: event.at)
        generations = DayGenerations(self._broker_log, events, recorded)
        self._apply_lines(events, generations)
        self._apply_records(recorded)
        self._sessions.apply_poll_timeouts(
            (event.client_id, event.at)
            for event in events
            if event.side == "client" and event.reason == "poll_interval" and not event.member_id
        )
        self._sessions.drop_never_joined()
        self._sessions.link_successors()
        rebalances = list(self._rebalances(generations.logged, recorded))
        reading = ReadingHistory(
            self._reading,
            events,
            generations,
            self._sessions,
            rebalances,
            sees_whole_group=bool(recorded or owner_changes or any(event.side == "broker" for event in events)),
        )
        read_starts = reading.follow(owner_changes)
        last_at = max([*(event.at for event in events[-1:]), *(change.at for change in owner_changes)], default=0)
        self._reading = reading.state(last_at)
        sessions = [session.row() for session in self._sessions.all]
        self._sessions = MemberSessions(self._sessions.open_sessions())
        return HistoryDay(rebalances, sessions, read_starts)

    def _apply_lines(self, events: Iterable[LogEvent], generations: DayGenerations) -> None:
        broker = BrokerLines(self._broker_log, self._sessions, generations)
        clients = ClientLines(self._client_log, self._sessions, generations)
        for event in events:
            if event.side == "broker":
                broker.apply(event)
            else:
                clients.apply(event)

    def _apply_records(self, recorded: Iterable[RecordedGeneration]) -> None:
        """Members of a generation have a session; sessions of others end. A generation may be recorded twice: by a
        group that changes its protocol."""
        previous_key: GenerationKey | None = None
        previous_members: set[str] | None = set(self._previous.members or ()) if self._previous else None
        for generation in recorded:
            key = (generation.incarnation, generation.generation)
            if generation.members is not None:
                # The output of a console consumer has the members, but no time.
                if generation.in_force_at is not None:
                    self._apply_record(generation, generation.in_force_at, previous_members, key == previous_key)
                previous_members = set(generation.members)
            previous_key = key

    def _apply_record(
        self, generation: RecordedGeneration, at: int, previous_members: set[str] | None, is_repeated: bool
    ) -> None:
        members = generation.members or {}
        replaced = {old for identity in members.values() for old in identity.replaces}
        for member_id, identity in members.items():
            is_new = previous_members is not None and member_id not in previous_members
            self._sessions.record_member(member_id, identity, at, is_new=is_new, is_repeated=is_repeated)
        for session in self._sessions.open_sessions():
            slack = 0 if session.generations_in_topic else _SAME_CHANGE_WITHIN
            if session.member_id not in members and session.joined_at < at - slack:
                session.end(at, "replaced" if session.member_id in replaced else None)

    def _rebalances(
        self, logged: dict[GenerationKey, LoggedGeneration], recorded: Sequence[RecordedGeneration]
    ) -> Iterator[dict[str, Any]]:
        """One row per generation with members."""
        first_records: dict[GenerationKey, RecordedGeneration] = {}
        for one in recorded:
            first_records.setdefault((one.incarnation, one.generation), one)
        for key in sorted({*logged, *first_records}):
            log, topic = logged.get(key), first_records.get(key)
            is_same_incarnation = self._previous is not None and self._previous.incarnation == key[0]
            row = rebalance_row(key, log, topic, self._previous if is_same_incarnation else None, self._sessions)
            self._previous = PreviousGeneration(
                *key,
                members=members_of_generation(log, topic),
                member_count=row["members_after"],
                partitions_assigned=row["partitions_assigned"],
                in_broker_log=log is not None and log.in_broker_log,
            )
            # Since 4.1 a group is created with epoch 1: a client's log does not show whether that was a rebalance.
            is_initial = key[1] == 1 and topic is None and log is not None and log.by_epoch and log.sides == ["client"]
            if row["members_after"] != 0 and not is_initial:
                self._changed_at = max(self._changed_at, row["completed_at"] or row["told_at"] or 0)
                yield row
