"""A group's day: its log lines in the order of time, laid over the generations that the offsets topic tells."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from kafka_telemetry.groups.history.client_log import HEARD, assigned_by_leader
from kafka_telemetry.groups.history.history_state import HistoryState
from kafka_telemetry.groups.history.incarnations import FAR, Line, of_lines
from kafka_telemetry.groups.history.joins_and_leaves import Comings
from kafka_telemetry.groups.history.logged_generation import Logged
from kafka_telemetry.groups.history.observations import Event, Recorded, ids_in
from kafka_telemetry.groups.history.previous_generation import Before, Key
from kafka_telemetry.groups.history.rebalance_row import members_of, rebalance
from kafka_telemetry.groups.history.sessions import LEFT, Sessions

Row = dict[str, Any]
# What the topic tells, by generation.
Generations = dict[int, list[Recorded]]

# A record and the lines about it may be so far apart.
_TOLD_TOGETHER = 1_000_000
# A client tells of a generation that it joins within this; it may name it for as long as it lasts.
_JOINS_WITHIN = 10_000_000
_COMES_INTO_FORCE = ("stabilized", "epoch_bumped", "group_emptied")
_ENDS = {
    "member_left": "left",
    "member_expired": "session_timeout",
    "member_evicted": "rebalance_timeout",
    "sync_timed_out": "rebalance_timeout",
    "members_not_rejoined": "rebalance_timeout",
}


# Of one that was given an id and did not join with it.
_NEVER_IN = ("pending_member_left", "pending_member_expired")


@dataclass
class Day:
    """What a day of a group comes to."""

    rebalances: list[Row] = field(default_factory=list)
    sessions: list[Row] = field(default_factory=list)


class Story:
    """Goes on from day to day."""

    def __init__(self, state: HistoryState | None = None) -> None:
        state = state or HistoryState()
        self._sessions = Sessions(state.open_sessions)
        self._log = state.broker_log
        self._clients = state.client_log
        self._before = state.previous_generation
        self._changed_at = state.changed_at
        self._comings = Comings(self._log, self._sessions)
        # Of which incarnation each line is by which a generation came into force, and the last of each number.
        self._incarnations: dict[Line, int] = {}
        self._in_force: dict[int, tuple[int, Key]] = {}

    def state(self) -> HistoryState:
        """What the next day starts from."""
        return HistoryState(self._sessions.open_ones(), self._log, self._clients, self._before, self._changed_at)

    def day(self, events: Iterable[Event], recorded: Sequence[Recorded]) -> Day:
        """`events` and `recorded` are those of the day."""
        recorded = sorted(recorded, key=lambda one: (one.incarnation, one.generation, one.recorded_at or 0))
        in_time = sorted(events, key=lambda event: event.at)
        by_generation: Generations = defaultdict(list)
        for one in recorded:
            by_generation[one.generation].append(one)
        lines = [
            (event.at, event.generation)
            for event in in_time
            if event.side == "broker" and event.event in _COMES_INTO_FORCE and event.generation is not None
        ]
        log = self._log
        self._incarnations = of_lines(
            lines, by_generation, last_generation=log.last_generation, incarnation=log.incarnation, lost=log.lost,
            deletions=[event.at for event in in_time if event.event in ("group_dead", "group_deleted")],
        )  # fmt: skip
        log.lost = min([log.lost, *self._incarnations.values()])
        self._in_force = {}
        logged = self._follow(in_time, by_generation)
        in_last: set[str] | None = set(self._before.members or ()) if self._before else None
        last_key: Key | None = None
        for one in recorded:
            key = (one.incarnation, one.generation)
            in_last = self._lay_over(one, in_last, is_told=key == last_key)
            last_key = key
        self._sessions.gave_up_polling(
            (event.client_id, event.at)
            for event in in_time
            if event.side == "client" and event.reason == "poll_interval" and not event.member_id
        )
        self._sessions.drop_those_that_never_were()
        self._sessions.chain()
        day = Day(rebalances=list(self._rebalances(logged, recorded)))
        day.sessions = [one.row() for one in self._sessions.all]
        self._sessions = Sessions(self._sessions.open_ones())
        self._comings = Comings(self._log, self._sessions)
        return day

    def _follow(self, events: Iterable[Event], recorded: Generations) -> dict[Key, Logged]:
        found: dict[Key, Logged] = {}
        for event in events:
            if event.side == "broker":
                self._broker(event, found, recorded)
            else:
                self._client(event, found, recorded)
        return found

    def _broker(self, event: Event, found: dict[Key, Logged], recorded: Generations) -> None:
        log, sessions, name = self._log, self._sessions, event.event
        log.observe_membership_change(event)
        log.group_kind = event.details.get("group_kind") or log.group_kind
        if name == "member_id_assigned" and event.member_id:
            log.assigned[event.member_id] = event.at
        elif name in ("member_joined", "static_member_joined") and event.member_id:
            self._comings.joins(event)
        elif name in _ENDS:
            by = "poll_interval" if event.reason == "poll_interval" else _ENDS[name]
            for member_id in [event.member_id] if event.member_id else ids_in(event.details.get("removed")):
                self._comings.goes(member_id, event, by)
        elif name in _NEVER_IN:
            sessions.never_was(event.member_id)
            log.assigned.pop(event.member_id or "", None)
        elif name == "static_member_replaced":
            self._comings.replaces(event)
        elif name == "member_fenced" and event.instance_id:
            self._comings.fences(event)
        elif name in ("group_dead", "group_deleted"):
            for session in sessions.open_ones():
                session.end(event.at, "group_removed")
            log.count = None
            log.came, log.went = [], []
        elif name == "group_loaded" and event.details.get("member_count", "").isdigit():
            log.count = int(event.details["member_count"])
        elif name == "preparing_rebalance":
            log.prepare(event)
            if event.reason == "member_joined" and event.member_id and not sessions.is_open(event.member_id):
                self._comings.joins(event)
            if event.reason in LEFT and event.member_id and sessions.is_in_by_broker(event.member_id):
                # Up to 3.9 the line of who leaves follows the one of what it causes.
                self._comings.goes(event.member_id, event, event.reason if event.reason == "poll_interval" else "left")
            if event.reason == "sync_timeout":
                for member_id in ids_in(event.details.get("member_ids")):
                    self._comings.goes(member_id, event, "rebalance_timeout")
        elif name in _COMES_INTO_FORCE and event.generation is not None:
            self._comes_into_force(event, found, recorded)
        elif name == "assignment_received":
            of = found.get(self._key(event, recorded))
            if of is not None and of.completed_at is None:
                of.completed_at = event.at
        elif name == "target_computed":
            of = found.get(self._key(event, recorded))
            if of is not None:
                of.assignor = event.details.get("assignor")

    def _comes_into_force(self, event: Event, found: dict[Key, Logged], recorded: Generations) -> None:
        log, name = self._log, event.event
        key = self._key(event, recorded)
        if key[1] == 1 and log.last_generation is not None:
            log.count = None
        one = (
            log.empty(event) if name == "group_emptied"
            else log.stabilize(event) if name == "stabilized" else log.bump(event)
        )  # fmt: skip
        log.last_generation = event.generation
        one.sides.append("broker")
        if name == "stabilized":
            self._comings.take_in_the_assigned(one)
        elif name == "group_emptied":
            self._comings.owes(one, len(self._sessions.open_ones()))
        if one.member_count != 0:
            for session in self._sessions.open_ones():
                session.by_broker += 1
        told = found.setdefault(key, one)
        if told is not one and "broker" not in told.sides:
            # A client was quicker to tell of it.
            one.sides += told.sides
            one.told_at, one.synced_at = told.told_at, told.synced_at
            one.members, one.partitions = told.members, told.partitions
            one.assignor = one.assignor or told.assignor
            one.client_cause = told.client_cause
            found[key] = one

    def _client(self, event: Event, found: dict[Key, Logged], recorded: Generations) -> None:
        sessions, name = self._sessions, event.event
        if name in HEARD:
            is_member = any(one.client_id == event.client_id for one in sessions.open_ones())
            self._clients.hear(event, is_member=is_member)
        if event.member_id:
            if name in ("joined", "synced"):
                sessions.join(event.member_id, event.at)
            elif name == "member_state":
                self._changes_state(event, found, recorded)
            session = sessions.of(event.member_id)
            if session is not None:
                session.learn(event.client_id, None, event.instance_id)
                if name in ("joined", "synced") and event.generation is not None:
                    session.was_in(event.generation)
            if name == "leave_sent":
                sessions.end(event.member_id, event.at, "poll_interval" if event.reason == "poll_interval" else "left")
        refused = name == "heartbeat_failed" and event.details.get("error") == "FENCED_INSTANCE_ID"
        if refused or (name == "member_fenced" and event.instance_id):
            # Some lines name the client alone, and who took its place has the same client id.
            of_client = [one.member_id for one in sessions.all if one.client_id == event.client_id]
            for member_id in [event.member_id] if event.member_id else (of_client if len(of_client) == 1 else []):
                sessions.end(member_id, event.at, "fenced")
        if name in ("joined", "synced", "assignment_finished") and event.generation:
            one = self._told_by_client(event, found, recorded)
            one.assignor = one.assignor or event.details.get("protocol")
            if name == "synced":
                one.synced_at = max(one.synced_at or 0, event.at)
                self._clients.synced(one, event.client_id)
            elif name == "assignment_finished":
                assigned_by_leader(one, event.details.get("assignment", ""))

    def _told_by_client(self, event: Event, found: dict[Key, Logged], recorded: Generations) -> Logged:
        one = found.setdefault(self._key(event, recorded), Logged(event.generation or 0))
        if "client" not in one.sides:
            one.sides.append("client")
            one.told_at = event.at
        return one

    def _changes_state(self, event: Event, found: dict[Key, Logged], recorded: Generations) -> None:
        """A KIP-848 member prints the epoch that it is in; 0 while it joins, -1 when it leaves, -2 when it may come back."""
        sessions, member_id, to_state = self._sessions, event.member_id or "", event.details.get("to_state")
        epoch = event.details.get("epoch", "")
        if epoch.isdigit() and int(epoch) > 0:
            one = self._told_by_client(event._replace(generation=int(epoch)), found, recorded)
            one.by_epoch = True
            one.group_type = one.group_type or event.group_kind
            if event.details.get("from_state") == "JOINING":
                sessions.join(member_id, event.at)
            session = sessions.of(member_id)
            if session is not None:
                session.was_in(int(epoch))
        elif to_state == "LEAVING" and epoch == "-1":
            sessions.end(member_id, event.at, "left")
        elif to_state == "STALE":
            sessions.end(member_id, event.at, "poll_interval")

    def _key(self, event: Event, recorded: Generations) -> Key:
        """Lines name no incarnation: it is that of the generation that the broker's log told last under this number; else
        of the record of this generation that is nearest in time."""
        number = event.generation or 0
        forced_at, forced = self._in_force.get(number, (None, None))
        if event.side == "broker" and event.event in _COMES_INTO_FORCE:
            key = self._incarnations[event.at, number], number
            self._in_force[number] = event.at, key
            self._log.incarnation = max(self._log.incarnation, key[0])
            return key
        if (
            forced is not None
            and forced_at is not None
            and (event.side == "broker" or event.at - forced_at <= _JOINS_WITHIN)
        ):
            return forced
        timed = [(abs(one.at - event.at), one.incarnation) for one in recorded.get(number, ()) if one.at is not None]
        distance, incarnation = min(timed, default=(FAR, 0))
        return incarnation if distance < FAR else self._log.incarnation, number

    def _lay_over(self, one: Recorded, in_last: set[str] | None, *, is_told: bool) -> set[str] | None:
        """A generation's members are in it; who is no longer among them has gone. `in_last`: those of the last one.

        `is_told`: a group that changed its protocol tells one generation twice.
        """
        if one.members is None:
            return in_last
        if one.at is None:
            # A console's text tells who was in it, and not when.
            return set(one.members)
        replaced = {old for who in one.members.values() for old in who.replaces}
        for member_id, who in one.members.items():
            is_back = in_last is not None and member_id not in in_last
            self._sessions.seen(member_id, who, one.at, is_back=is_back, is_told=is_told)
        for session in self._sessions.open_ones():
            slack = 0 if session.generations else _TOLD_TOGETHER
            if session.member_id not in one.members and session.joined_at < one.at - slack:
                session.end(one.at, "replaced" if session.member_id in replaced else None)
        return set(one.members)

    def _rebalances(self, logged: dict[Key, Logged], recorded: Sequence[Recorded]) -> Iterable[Row]:
        of_topic: dict[Key, Recorded] = {}
        for one in recorded:
            of_topic.setdefault((one.incarnation, one.generation), one)
        for key in sorted({*logged, *of_topic}):
            log, topic = logged.get(key), of_topic.get(key)
            before = self._before if self._before is not None and self._before.incarnation == key[0] else None
            row = rebalance(key, log, topic, before, self._sessions)
            members = members_of(log, topic)
            self._before = Before(
                *key,
                members,
                row["members_after"],
                row["partitions_assigned"],
                log is not None and "broker" in log.sides,
            )
            # Since 4.1 a group is made with epoch 1, and a client alone can't tell whether that was a rebalance.
            is_initial = key[1] == 1 and topic is None and log is not None and log.by_epoch and log.sides == ["client"]
            if row["members_after"] != 0 and not is_initial:
                self._changed_at = max(self._changed_at, row["completed_at"] or row["told_at"] or 0)
                yield row
