"""Who comes and goes, as the lines of the broker's log tell it: not all of them name who, and not all stand in order."""

from kafka_telemetry.groups.history.broker_log import BrokerLog
from kafka_telemetry.groups.history.logged_generation import Logged
from kafka_telemetry.groups.history.observations import Event, client_of
from kafka_telemetry.groups.history.sessions import LEFT, Session, Sessions

_AFTERTHOUGHT = 100_000


class Comings:
    def __init__(self, log: BrokerLog, sessions: Sessions) -> None:
        self._log, self._sessions = log, sessions
        self._last: Logged | None = None
        self._owed = 0

    def owes(self, last: Logged, members: int) -> None:
        """The generation that the broker told last, and how many members it misses that were still in."""
        self._last, self._owed = last, members

    def joins(self, event: Event) -> None:
        member_id = event.member_id or ""
        asked_at = self._log.assigned.pop(member_id, event.at)
        if not self._sessions.is_open(member_id):
            self._log.came.append(member_id)
        dynamic = event.instance_id is None and event.event != "static_member_joined"
        self._sessions.join(member_id, asked_at if event.event == "preparing_rebalance" else event.at).learn(
            event.client_id or (client_of(member_id) if dynamic else None), None, event.instance_id
        )

    def goes(self, member_id: str, event: Event, by: str) -> None:
        """One that nothing told of joined when it was given its id, or took over its static member's place."""
        log = self._log
        known = self._sessions.of(member_id)
        asked_at, took_over_at = log.assigned.pop(member_id, None), None
        instance_id = client_of(member_id) if asked_at is None else None
        if known is None and instance_id in log.returned:
            took_over_at = log.returned.pop(instance_id)
        if known is not None and known.ended_at is None and self._is_owed(known, by, event.at):
            pass
        elif known is None or not known.gone_by_broker:
            log.has_gone(member_id, by)
        session = self._sessions.end(member_id, event.at, by, joined_at=took_over_at if asked_at is None else asked_at)
        if session is not None:
            session.gone_by_broker = True
            client_id = event.client_id or (client_of(member_id) if asked_at is not None else None)
            of_static = instance_id if took_over_at is not None else event.instance_id
            session.learn(client_id, event.details.get("client_host"), of_static)

    def _is_owed(self, session: Session, by: str, at: int) -> bool:
        """Up to 3.9 the line of who leaves may follow the end of the join phase that its leaving ended."""
        last = self._last
        if self._owed == 0 or last is None or at - (last.stabilized_at or 0) > _AFTERTHOUGHT or by not in LEFT:
            return False
        self._owed -= 1
        last.left = (last.left or 0) + 1
        last.joined = None if last.joined is None else last.joined + 1
        session.by_broker -= 1
        return True

    def replaces(self, event: Event) -> None:
        """Up to 3.9 the line does not name the new id."""
        old, log = event.details.get("old_member_id"), self._log
        known = self._sessions.of(old)
        joined_at = log.returned.pop(event.instance_id, None) if known is None and event.instance_id else None
        session = self._sessions.end(old, event.at, "replaced", joined_at=joined_at)
        if session is not None:
            session.learn(None, None, event.instance_id)
        if event.member_id:
            after = self._sessions.join(event.member_id, event.at)
            after.learn(None, None, event.instance_id)
            after.by_broker = max(after.by_broker, int(log.last_generation is not None))
        elif event.instance_id:
            log.returned[event.instance_id] = event.at

    def fences(self, event: Event) -> None:
        session = self._sessions.end(event.member_id, event.at, "fenced")
        if session is not None:
            session.learn(None, None, event.instance_id)
        current, instance_id = event.details.get("current_member_id"), event.instance_id
        if current and instance_id and self._sessions.of(current) is None and instance_id in self._log.returned:
            self._sessions.join(current, self._log.returned.pop(instance_id)).learn(None, None, instance_id)

    def take_in_the_assigned(self, one: Logged) -> None:
        """Up to 3.9 no line says that a member joined with its id while the group prepared; the number of members does."""
        log, sessions = self._log, self._sessions
        waiting = [member_id for member_id in log.assigned if not sessions.is_open(member_id)]
        if one.member_count is None:
            # Up to 2.7 the line does not say it.
            return
        surplus = len(sessions.open_ones()) + len(waiting) + len(log.returned) - one.member_count
        if surplus >= 0 and one.members_before is not None:
            for member_id in waiting:
                sessions.join(member_id, log.assigned.pop(member_id)).learn(client_of(member_id))
            self.owes(one, surplus)
