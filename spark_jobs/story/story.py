"""A group's day: its log lines in the order of time, laid over the generations that the offsets topic tells."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from spark_jobs.story.rebalances import BrokerLog, Logged
from spark_jobs.story.sessions import EVICTED, LEFT, Session, Sessions
from spark_jobs.story.told import Event, Recorded, Who, client_of

Row = dict[str, Any]
Key = tuple[int, int]

_MEMBER_ID = re.compile(r"[^\s,\[\](){}'\"]+")
_ENDS = {
    "member_left": "left",
    "member_expired": "session_timeout",
    "member_evicted": "rebalance_timeout",
    "sync_timed_out": "rebalance_timeout",
    "members_not_rejoined": "rebalance_timeout",
}


@dataclass
class Before:
    """The generation before, whoever told of it."""

    incarnation: int
    generation: int
    members: list[str] | None
    member_count: int | None
    partitions_assigned: int | None
    by_broker: bool


@dataclass
class Day:
    """What a day of a group comes to."""

    rebalances: list[Row] = field(default_factory=list)
    sessions: list[Row] = field(default_factory=list)


class Story:
    """Goes on from day to day."""

    def __init__(self, told: dict[str, Any] | None = None) -> None:
        told = told or {"sessions": [], "log": BrokerLog().to_json(), "before": None}
        self._sessions = Sessions(told["sessions"])
        self._log = BrokerLog.from_json(told["log"])
        self._before = Before(**told["before"]) if told["before"] else None

    def to_json(self) -> dict[str, Any]:
        return {
            "sessions": self._sessions.to_json(),
            "log": self._log.to_json(),
            "before": asdict(self._before) if self._before else None,
        }

    def day(self, events: Iterable[Event], recorded: Sequence[Recorded]) -> Day:
        """`events` and `recorded` are those of the day."""
        recorded = sorted(recorded, key=lambda one: (one.incarnation, one.generation, one.recorded_at))
        in_time = sorted(events, key=lambda event: event.at)
        logged = self._follow(in_time, recorded)
        for one in recorded:
            self._lay_over(one, any(event.side == "broker" for event in in_time))
        for event in in_time:
            if event.side == "client" and event.reason == "poll_interval":
                self._sessions.gave_up_polling(event.client_id, event.at)
        self._sessions.chain()
        day = Day(rebalances=list(self._rebalances(logged, recorded)))
        day.sessions = [_session(one) for one in self._sessions.all]
        self._sessions = Sessions(self._sessions.to_json())
        return day

    def _follow(self, events: Iterable[Event], recorded: Sequence[Recorded]) -> dict[Key, Logged]:
        found: dict[Key, Logged] = {}
        for event in events:
            if event.side == "broker":
                self._broker(event, found, recorded)
            else:
                self._client(event, found, recorded)
        return found

    def _broker(self, event: Event, found: dict[Key, Logged], recorded: Sequence[Recorded]) -> None:
        log, sessions, name = self._log, self._sessions, event.event
        log.cause_of(event)
        if name in ("member_joined", "static_member_joined") and event.member_id:
            sessions.join(event.member_id, event.at).learn(
                event.client_id or (None if event.instance_id else client_of(event.member_id)), None, event.instance_id
            )
        elif name in _ENDS:
            by = "poll_interval" if event.reason == "poll_interval" else _ENDS[name]
            for member_id in (
                [event.member_id] if event.member_id else _MEMBER_ID.findall(event.details.get("removed", ""))
            ):
                sessions.end(member_id, event.at, by)
        elif name == "static_member_replaced":
            sessions.end(event.details.get("old_member_id"), event.at, "replaced")
            if event.member_id:
                sessions.join(event.member_id, event.at).learn(None, None, event.instance_id)
        elif name == "member_fenced" and event.instance_id:
            sessions.end(event.member_id, event.at, "fenced")
        elif name in ("group_dead", "group_deleted"):
            for session in sessions.open_ones():
                session.end(event.at, "group_removed")
            log.gone = True
        elif name == "preparing_rebalance":
            log.prepare(event)
        elif name in ("stabilized", "epoch_bumped", "group_emptied") and event.generation is not None:
            key = self._key(event, recorded)
            log.last_generation = event.generation
            if name == "group_emptied":
                log.pending = log.cause = None
                one = Logged(event.generation, member_count=0, stabilized_at=event.at)
            else:
                one = log.stabilize(event) if name == "stabilized" else log.bump(event)
            one.sides.append("broker")
            found.setdefault(key, one)
        elif name == "assignment_received":
            of = found.get(self._key(event, recorded))
            if of is not None and of.completed_at is None:
                of.completed_at = event.at
        elif name == "target_computed":
            of = found.get(self._key(event, recorded))
            if of is not None:
                of.assignor = event.details.get("assignor")

    def _client(self, event: Event, found: dict[Key, Logged], recorded: Sequence[Recorded]) -> None:
        if event.member_id:
            session = self._sessions.of(event.member_id)
            if event.event in ("joined", "synced"):
                session = session or self._sessions.join(event.member_id, event.at)
            if session is not None:
                session.learn(event.client_id, None, event.instance_id)
            if event.event == "leave_sent":
                self._sessions.end(
                    event.member_id, event.at, "poll_interval" if event.reason == "poll_interval" else "left"
                )
        if event.event in ("joined", "synced") and event.generation is not None and event.generation > 0:
            one = found.setdefault(self._key(event, recorded), Logged(event.generation))
            if "client" not in one.sides:
                one.sides.append("client")
            one.assignor = one.assignor or event.details.get("protocol")
            if event.event == "synced":
                one.synced_at = max(one.synced_at or 0, event.at)

    def _key(self, event: Event, recorded: Sequence[Recorded]) -> Key:
        """Lines name no incarnation: it is that of the record of this generation that is nearest in time; without one, a
        generation that falls begins the next."""
        number = event.generation or 0
        near = [one for one in recorded if one.generation == number and abs(one.at - event.at) < 3_600_000_000]
        if near:
            incarnation = min(near, key=lambda one: abs(one.at - event.at)).incarnation
        else:
            last = self._log.last_generation
            falls = event.side == "broker" and last is not None and number < last
            incarnation = self._log.incarnation + int(falls or (self._log.gone and falls))
        if event.side == "broker":
            self._log.incarnation = max(self._log.incarnation, incarnation)
            self._log.gone = False
        return incarnation, number

    def _lay_over(self, one: Recorded, has_broker_log: bool) -> None:
        """A generation's members are in it; who is no longer among them has gone."""
        if one.members is None:
            return
        replaced = {old for who in one.members.values() for old in who.replaces}
        for member_id, who in one.members.items():
            self._sessions.seen(member_id, who, one.at)
        for session in self._sessions.open_ones():
            if session.member_id not in one.members and session.joined_at < one.at:
                by = "replaced" if session.member_id in replaced else None
                if by or not has_broker_log:
                    session.end(one.at, by)

    def _rebalances(self, logged: dict[Key, Logged], recorded: Sequence[Recorded]) -> Iterable[Row]:
        of_topic: dict[Key, Recorded] = {}
        for one in recorded:
            of_topic.setdefault((one.incarnation, one.generation), one)
        for key in sorted({*logged, *of_topic}):
            log, topic = logged.get(key), of_topic.get(key)
            before = self._before if self._before is not None and self._before.incarnation == key[0] else None
            row = self._rebalance(key, log, topic, before)
            members = None if topic is None or topic.members is None else sorted(topic.members)
            self._before = Before(
                *key,
                members,
                row["members_after"],
                row["partitions_assigned"],
                log is not None and "broker" in log.sides,
            )
            if row["members_after"] != 0:
                yield row

    def _rebalance(self, key: Key, log: Logged | None, topic: Recorded | None, before: Before | None) -> Row:
        by_epoch = topic.group_type != "classic" if topic else bool(log and log.by_epoch)
        members = None if topic is None or topic.members is None else topic.members
        stabilized_at = (log.stabilized_at if log else None) or (topic.state_at if topic and not by_epoch else None)
        completed_at = topic.reconciled_at if topic and by_epoch else None
        if not by_epoch:
            completed_at = (
                (log.completed_at if log else None)
                or (topic.assigned_at if topic else None)
                or (log.synced_at if log else None)
            )
        started_at = (log.started_at if log else None) or (topic.recorded_at if topic and by_epoch else None)
        joined, gone = self._changes(members, before, log)
        reason, text = (log.reason, log.reason_text) if log else (None, None)
        trigger = log.trigger_member_id if log else None
        session = self._sessions.of(trigger) if trigger else None
        if reason == "member_left" and session is not None and session.ended_by == "poll_interval":
            reason = "poll_interval"
        evidence = [f"{side}_log" for side in ("broker", "client") if log and side in log.sides]
        return {
            "incarnation": key[0],
            "generation": key[1],
            "group_type": topic.group_type if topic else ("consumer" if by_epoch else "classic"),
            "protocol_type": topic.protocol_type if topic else None,
            "assignor": (topic.assignor if topic else None) or (log.assignor if log else None),
            "started_at": started_at,
            "stabilized_at": stabilized_at,
            "completed_at": completed_at,
            "told_at": started_at or stabilized_at or completed_at or (topic.recorded_at if topic else None),
            "reason": reason or "unknown",
            "reason_text": text,
            "trigger_member_id": trigger,
            "trigger_client_id": (log.trigger_client_id if log else None)
            or (session.client_id if session else None)
            or client_of(trigger),
            "members_before": before.member_count if before else (0 if key[1] == 1 and not by_epoch else None),
            "members_after": len(members) if members is not None else (log.member_count if log else None),
            "members_joined": joined,
            "members_left": None if gone is None else sum(one is not None and one.ended_by in LEFT for one in gone),
            "members_evicted": None
            if gone is None
            else sum(one is not None and one.ended_by in EVICTED for one in gone),
            "partitions_before": before.partitions_assigned if before else None,
            "partitions_assigned": topic.partitions_assigned if topic else None,
            "partitions_moved": topic.partitions_moved if topic else None,
            "partitions_moved_minimum": topic.partitions_moved_minimum if topic else None,
            "unobserved_before": _unobserved(key, before, log),
            "evidence": [*evidence, *(["offsets_topic"] if topic else [])],
        }

    def _changes(
        self, members: dict[str, Who] | None, before: Before | None, log: Logged | None
    ) -> tuple[int | None, list[Session | None] | None]:
        """How many joined, and the sessions of those that have gone; null where nothing tells."""
        at = (log.stabilized_at or log.started_at) if log else None
        if members is not None and before is not None and before.members is not None:
            replaced = {old for who in members.values() for old in who.replaces}
            came = {name for name, who in members.items() if not set(who.replaces) & set(before.members)}
            gone = [name for name in before.members if name not in members and name not in replaced]
            ends = [self._sessions.of(name, at) for name in gone]
            told = all(one is not None and one.ended_by is not None for one in ends)
            return len(came - set(before.members)), ends if told else None
        if members is not None and before is None:
            return len(members), []
        if log is not None and "broker" in log.sides and at is not None:
            since = log.started_at or at
            joined = [one for one in self._sessions.all if since - 1_000_000 <= one.joined_at <= at]
            ended = [
                one
                for one in self._sessions.all
                if one.ended_at is not None and since - 1_000_000 <= one.ended_at <= at and one not in joined
            ]
            return len(joined), list(ended)
        return None, None


def _unobserved(key: Key, before: Before | None, log: Logged | None) -> int | None:
    """Numbers between two generations that no source shows; a broker's log that shows both shows all between."""
    if before is None:
        return None
    if before.by_broker and log is not None and "broker" in log.sides:
        return 0
    return max(key[1] - before.generation - 1, 0)


def _session(one: Session) -> Row:
    return {**asdict(one), "ended_by": one.ended_by if one.ended_at is not None else "still_member"}
