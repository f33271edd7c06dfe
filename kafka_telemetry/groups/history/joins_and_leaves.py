"""Opens and ends sessions as the broker log shows it: its lines don't always name the member, nor come in order."""

from kafka_telemetry.groups.history.broker_log import BrokerLog
from kafka_telemetry.groups.history.log_event import LogEvent
from kafka_telemetry.groups.history.logged_generation import LoggedGeneration
from kafka_telemetry.groups.history.member_ids import prefix_of
from kafka_telemetry.groups.history.member_session import LEFT, MemberSession
from kafka_telemetry.groups.history.sessions import MemberSessions

# A leave that is logged after the generation that it led to follows within this time.
_LATE_LEAVE_WITHIN = 100_000


class JoinsAndLeaves:
    def __init__(self, log: BrokerLog, sessions: MemberSessions) -> None:
        self._log, self._sessions = log, sessions
        self._last_generation: LoggedGeneration | None = None
        self._late_leaves = 0

    def expect_late_leaves(self, generation: LoggedGeneration, count: int) -> None:
        """`count` open sessions are not part of the last generation: their leaves may be logged late."""
        self._last_generation, self._late_leaves = generation, count

    def record_join(self, event: LogEvent) -> None:
        member_id = event.member_id or ""
        id_assigned_at = self._log.assigned_ids.pop(member_id, event.at)
        if not self._sessions.is_open(member_id):
            self._log.joined.append(member_id)
        is_dynamic = event.instance_id is None and event.event != "static_member_joined"
        joined_at = id_assigned_at if event.event == "preparing_rebalance" else event.at
        session = self._sessions.open_session(member_id, joined_at)
        session.fill_identity(
            event.client_id or (prefix_of(member_id) if is_dynamic else None), None, event.instance_id
        )

    def record_leave(self, member_id: str, event: LogEvent, ended_by: str) -> None:
        """A member without a session joined when it was assigned its id, or took over a static member's place."""
        log = self._log
        known = self._sessions.latest(member_id)
        id_assigned_at, returned_at = log.assigned_ids.pop(member_id, None), None
        instance_id = prefix_of(member_id) if id_assigned_at is None else None
        if known is None and instance_id in log.returned_instances:
            returned_at = log.returned_instances.pop(instance_id)
        if known is not None and known.ended_at is None and self._is_late_leave(ended_by, event.at):
            self._count_late_leave(known)
        elif known is None or not known.ended_in_broker_log:
            log.record_departure(member_id, ended_by)
        joined_at = returned_at if id_assigned_at is None else id_assigned_at
        session = self._sessions.end_session(member_id, event.at, ended_by, joined_at=joined_at)
        if session is not None:
            session.ended_in_broker_log = True
            client_id = event.client_id or (prefix_of(member_id) if id_assigned_at is not None else None)
            session.fill_identity(
                client_id,
                event.details.get("client_host"),
                instance_id if returned_at is not None else event.instance_id,
            )

    def _is_late_leave(self, ended_by: str, at: int) -> bool:
        """Up to 3.9 the line of a leave may follow the end of the join phase that it led to."""
        last = self._last_generation
        is_soon = last is not None and at - (last.stabilized_at or 0) <= _LATE_LEAVE_WITHIN
        return self._late_leaves != 0 and is_soon and ended_by in LEFT

    def _count_late_leave(self, session: MemberSession) -> None:
        last = self._last_generation
        assert last is not None
        self._late_leaves -= 1
        last.left = (last.left or 0) + 1
        last.joined = None if last.joined is None else last.joined + 1
        session.generations_in_broker_log -= 1

    def record_replacement(self, event: LogEvent) -> None:
        """Up to 3.9 the line does not name the new id."""
        old_member_id, log = event.details.get("old_member_id"), self._log
        known = self._sessions.latest(old_member_id)
        joined_at = None
        if known is None and event.instance_id:
            joined_at = log.returned_instances.pop(event.instance_id, None)
        session = self._sessions.end_session(old_member_id, event.at, "replaced", joined_at=joined_at)
        if session is not None:
            session.fill_identity(None, None, event.instance_id)
        if event.member_id:
            successor = self._sessions.open_session(event.member_id, event.at)
            successor.fill_identity(None, None, event.instance_id)
            is_in_generation = int(log.last_generation is not None)
            successor.generations_in_broker_log = max(successor.generations_in_broker_log, is_in_generation)
        elif event.instance_id:
            log.returned_instances[event.instance_id] = event.at

    def record_fencing(self, event: LogEvent) -> None:
        session = self._sessions.end_session(event.member_id, event.at, "fenced")
        if session is not None:
            session.fill_identity(None, None, event.instance_id)
        current, instance_id, returned = (
            event.details.get("current_member_id"),
            event.instance_id,
            self._log.returned_instances,
        )
        if current and instance_id and self._sessions.latest(current) is None and instance_id in returned:
            self._sessions.open_session(current, returned.pop(instance_id)).fill_identity(None, None, instance_id)

    def admit_members_with_assigned_ids(self, generation: LoggedGeneration) -> None:
        """Up to 3.9 no line reports that a member joined with its id while the group prepared, but the number of
        members does. Up to 2.7 the line has no number."""
        log, sessions = self._log, self._sessions
        if generation.member_count is None:
            return
        waiting = [member_id for member_id in log.assigned_ids if not sessions.is_open(member_id)]
        members = len(sessions.open_sessions()) + len(waiting) + len(log.returned_instances)
        surplus = members - generation.member_count
        if surplus >= 0 and generation.members_before is not None:
            for member_id in waiting:
                session = sessions.open_session(member_id, log.assigned_ids.pop(member_id))
                session.fill_identity(prefix_of(member_id))
            self.expect_late_leaves(generation, surplus)
