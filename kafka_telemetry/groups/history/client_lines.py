"""Applies the lines of clients' logs, one after the other, to a group's sessions and generations."""

from kafka_telemetry.groups.history.client_log import REBALANCE_EVENTS, ClientLog
from kafka_telemetry.groups.history.day_generations import DayGenerations
from kafka_telemetry.groups.history.log_event import LogEvent, parse_count
from kafka_telemetry.groups.history.logged_generation import LoggedGeneration
from kafka_telemetry.groups.history.sessions import MemberSessions

# Events that belong to a group's history although a line of them may name neither a member nor a reason.
GROUP_EVENTS = (*REBALANCE_EVENTS, "assignment_finished", "joined", "synced", "member_fenced")
_ASSIGNMENT_START = "=Assignment(partitions=["


class ClientLines:
    def __init__(self, log: ClientLog, sessions: MemberSessions, generations: DayGenerations) -> None:
        self._log = log
        self._sessions = sessions
        self._generations = generations

    def apply(self, event: LogEvent) -> None:
        name = event.event
        if name in REBALANCE_EVENTS:
            is_member = any(session.client_id == event.client_id for session in self._sessions.open_sessions())
            self._log.observe(event, is_member=is_member)
        if event.member_id:
            self._apply_to_session(event, event.member_id)
        is_refused = name == "heartbeat_failed" and event.details.get("error") == "FENCED_INSTANCE_ID"
        if is_refused or (name == "member_fenced" and event.instance_id):
            self._fence(event)
        if name in ("joined", "synced", "assignment_finished") and event.generation:
            self._apply_to_generation(event)

    def _apply_to_session(self, event: LogEvent, member_id: str) -> None:
        sessions, name = self._sessions, event.event
        is_in_generation = name in ("joined", "synced")
        if is_in_generation:
            sessions.open_session(member_id, event.at)
        elif name == "member_state":
            self._change_state(event, member_id)
        session = sessions.latest(member_id)
        if session is not None:
            session.fill_identity(event.client_id, None, event.instance_id)
            if is_in_generation and event.generation is not None:
                session.count_client_generation(event.generation)
        if name == "leave_sent":
            ended_by = "poll_interval" if event.reason == "poll_interval" else "left"
            sessions.end_session(member_id, event.at, ended_by)

    def _change_state(self, event: LogEvent, member_id: str) -> None:
        """A KIP-848 member logs its epoch: 0 while it joins, -1 when it leaves, -2 when it may come back."""
        sessions, to_state = self._sessions, event.details.get("to_state")
        epoch = parse_count(event.details.get("epoch"))
        if epoch:
            generation = self._generations.reported_by_client(event._replace(generation=epoch))
            generation.by_epoch = True
            generation.group_type = generation.group_type or event.group_kind
            if event.details.get("from_state") == "JOINING":
                sessions.open_session(member_id, event.at)
            session = sessions.latest(member_id)
            if session is not None:
                session.count_client_generation(epoch)
        elif to_state == "LEAVING" and event.details.get("epoch") == "-1":
            sessions.end_session(member_id, event.at, "left")
        elif to_state == "STALE":
            sessions.end_session(member_id, event.at, "poll_interval")

    def _fence(self, event: LogEvent) -> None:
        """Some lines name only the client, and the member that took over its instance id has the same client id."""
        member_ids = [event.member_id] if event.member_id else []
        if not member_ids:
            of_client = [session.member_id for session in self._sessions.all if session.client_id == event.client_id]
            member_ids = [*of_client] if len(of_client) == 1 else []
        for member_id in member_ids:
            self._sessions.end_session(member_id, event.at, "fenced")

    def _apply_to_generation(self, event: LogEvent) -> None:
        generation = self._generations.reported_by_client(event)
        generation.assignor = generation.assignor or event.details.get("protocol")
        if event.event == "synced":
            generation.last_synced_at = max(generation.last_synced_at or 0, event.at)
            self._log.end_rebalance(generation, event.client_id)
        elif event.event == "assignment_finished":
            _add_leaders_assignment(generation, event.details.get("assignment", ""))


def _add_leaders_assignment(generation: LoggedGeneration, assignment: str) -> None:
    """The leader of a group logs what it assigned to each member."""
    before, *assignments = assignment.split(_ASSIGNMENT_START)
    member_ids, partitions = [], 0
    opening, member_id = before[:1], before[1:]
    for text in assignments:
        names, closing, rest = text.partition("]")
        if opening and closing:
            member_ids.append(member_id)
            partitions += len(names.split(", ")) if names else 0
        _, opening, member_id = rest.partition("), ")
    if member_ids:
        generation.members, generation.partitions = member_ids, partitions
