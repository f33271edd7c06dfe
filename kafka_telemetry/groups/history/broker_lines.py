"""Applies the lines of the broker log, one after the other, to a group's sessions and generations."""

from collections.abc import Callable

from kafka_telemetry.groups.history.broker_log import BrokerLog
from kafka_telemetry.groups.history.day_generations import IN_FORCE_EVENTS, DayGenerations
from kafka_telemetry.groups.history.joins_and_leaves import JoinsAndLeaves
from kafka_telemetry.groups.history.log_event import LogEvent, parse_count
from kafka_telemetry.groups.history.member_ids import split_ids
from kafka_telemetry.groups.history.sessions import MemberSessions

# Events that end the membership of one or more members, and how their sessions end.
_ENDED_BY = {
    "member_left": "left",
    "member_expired": "session_timeout",
    "member_evicted": "rebalance_timeout",
    "sync_timed_out": "rebalance_timeout",
    "members_not_rejoined": "rebalance_timeout",
}


class BrokerLines:
    def __init__(self, log: BrokerLog, sessions: MemberSessions, generations: DayGenerations) -> None:
        self._log = log
        self._sessions = sessions
        self._generations = generations
        self._membership = JoinsAndLeaves(log, sessions)

    def apply(self, event: LogEvent) -> None:
        self._log.observe_membership_change(event)
        self._log.group_kind = event.details.get("group_kind") or self._log.group_kind
        handle = _HANDLERS.get(event.event)
        if handle is not None:
            handle(self, event)

    def _assign_id(self, event: LogEvent) -> None:
        if event.member_id:
            self._log.assigned_ids[event.member_id] = event.at

    def _join(self, event: LogEvent) -> None:
        if event.member_id:
            self._membership.record_join(event)

    def _end_sessions(self, event: LogEvent) -> None:
        ended_by = "poll_interval" if event.reason == "poll_interval" else _ENDED_BY[event.event]
        for member_id in [event.member_id] if event.member_id else split_ids(event.details.get("removed")):
            self._membership.record_leave(member_id, event, ended_by)

    def _drop_assigned_id(self, event: LogEvent) -> None:
        """The member was assigned an id and did not join with it."""
        self._sessions.mark_never_joined(event.member_id)
        self._log.assigned_ids.pop(event.member_id or "", None)

    def _replace_static_member(self, event: LogEvent) -> None:
        self._membership.record_replacement(event)

    def _fence_static_member(self, event: LogEvent) -> None:
        if event.instance_id:
            self._membership.record_fencing(event)

    def _remove_group(self, event: LogEvent) -> None:
        for session in self._sessions.open_sessions():
            session.end(event.at, "group_removed")
        self._log.forget_members()

    def _load_group(self, event: LogEvent) -> None:
        count = parse_count(event.details.get("member_count"))
        if count is not None:
            self._log.member_count = count

    def _begin_rebalance(self, event: LogEvent) -> None:
        self._log.begin_rebalance(event)
        member_id = event.member_id
        if event.reason == "member_joined" and member_id and not self._sessions.is_open(member_id):
            self._membership.record_join(event)
        elif event.reason == "poll_interval" and member_id and self._sessions.is_open_in_broker_log(member_id):
            # Up to 3.9 the line of the leave follows the line of the rebalance that it causes.
            self._membership.record_leave(member_id, event, "poll_interval")
        elif event.reason == "sync_timeout":
            for removed in split_ids(event.details.get("member_ids")):
                self._membership.record_leave(removed, event, "rebalance_timeout")

    def _put_generation_into_force(self, event: LogEvent) -> None:
        if event.generation is None:
            return
        log, name = self._log, event.event
        key = self._generations.put_into_force(event)
        if event.generation == 1 and log.last_generation is not None:
            log.member_count = None
        if name == "group_emptied":
            generation = log.empty_group(event)
            self._membership.expect_late_leaves(generation, len(self._sessions.open_sessions()))
        elif name == "stabilized":
            generation = log.end_join_phase(event)
            self._membership.admit_members_with_assigned_ids(generation)
        else:
            generation = log.begin_epoch(event)
        log.last_generation = event.generation
        generation.sides.append("broker")
        if generation.member_count != 0:
            for session in self._sessions.open_sessions():
                session.generations_in_broker_log += 1
        self._generations.add_from_broker(key, generation)

    def _complete_generation(self, event: LogEvent) -> None:
        generation = self._generations.find(event)
        if generation is not None and generation.completed_at is None:
            generation.completed_at = event.at

    def _name_assignor(self, event: LogEvent) -> None:
        generation = self._generations.find(event)
        if generation is not None:
            generation.assignor = event.details.get("assignor")


_HANDLERS: dict[str, Callable[[BrokerLines, LogEvent], None]] = {
    "member_id_assigned": BrokerLines._assign_id,
    "member_joined": BrokerLines._join,
    "static_member_joined": BrokerLines._join,
    **dict.fromkeys(_ENDED_BY, BrokerLines._end_sessions),
    "pending_member_left": BrokerLines._drop_assigned_id,
    "pending_member_expired": BrokerLines._drop_assigned_id,
    "static_member_replaced": BrokerLines._replace_static_member,
    "member_fenced": BrokerLines._fence_static_member,
    "group_dead": BrokerLines._remove_group,
    "group_deleted": BrokerLines._remove_group,
    "group_loaded": BrokerLines._load_group,
    "preparing_rebalance": BrokerLines._begin_rebalance,
    **dict.fromkeys(IN_FORCE_EVENTS, BrokerLines._put_generation_into_force),
    "assignment_received": BrokerLines._complete_generation,
    "target_computed": BrokerLines._name_assignor,
}
