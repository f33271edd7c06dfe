"""The sessions of all members of one group."""

import operator
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable

from kafka_telemetry.groups.history.member_session import MemberSession
from kafka_telemetry.groups.history.recorded_generation import MemberIdentity

# Two sources report one leave, and a restarted client begins its next session, within this time.
_TOGETHER = 10_000_000

_JOINED_AT = operator.attrgetter("joined_at")
_FIRST_JOINED = operator.attrgetter("joined_at", "member_id")


class MemberSessions:
    """The sessions that are open when the day begins, and all that begin on the day."""

    def __init__(self, open_sessions: Iterable[MemberSession]) -> None:
        self.all: list[MemberSession] = []
        self._open: list[MemberSession] = []
        self._by_member: dict[str, list[MemberSession]] = {}
        self._never_joined: set[str | None] = set()
        for session in open_sessions:
            self._add(session)

    def _add(self, session: MemberSession) -> MemberSession:
        self.all.append(session)
        self._open.append(session)
        self._by_member.setdefault(session.member_id, []).append(session)
        return session

    def open_sessions(self) -> list[MemberSession]:
        self._open = [session for session in self._open if session.ended_at is None]
        return self._open

    def latest(self, member_id: str | None, at: int | None = None) -> MemberSession | None:
        """The member's latest session; with `at` the latest that had begun by then."""
        sessions = self._by_member.get(member_id or "", [])
        if len(sessions) < 2:
            return sessions[0] if sessions else None
        begun = [session for session in sessions if at is None or session.joined_at <= at + _TOGETHER]
        return max(begun or sessions, key=_JOINED_AT)

    def is_open(self, member_id: str) -> bool:
        session = self.latest(member_id)
        return session is not None and session.ended_at is None

    def is_open_in_broker_log(self, member_id: str) -> bool:
        session = self.latest(member_id)
        return session is not None and not session.ended_in_broker_log

    def nearest_end(self, member_id: str | None, at: int) -> MemberSession | None:
        """The session of the member that ended nearest to a time: it may have come back under its id at once."""
        distances = [
            (abs(session.ended_at - at), session)
            for session in self._by_member.get(member_id or "", [])
            if session.ended_at
        ]
        return min(distances, key=lambda pair: pair[0], default=(0, None))[1]

    def open_session(self, member_id: str, at: int) -> MemberSession:
        """A member that joins again while its session is open continues it."""
        known = self.latest(member_id)
        if known is not None and known.ended_at is None:
            return known
        return self._add(MemberSession(member_id, at))

    def end_session(
        self, member_id: str | None, at: int, ended_by: str | None, *, joined_at: int | None = None
    ) -> MemberSession | None:
        """A member without a session gets one that began at `joined_at`, or else as it ended."""
        session = self.latest(member_id)
        if session is None and member_id is not None:
            session = self._add(MemberSession(member_id, at if joined_at is None else joined_at))
        if session is not None:
            session.end(at, ended_by)
        return session

    def record_member(
        self, member_id: str, identity: MemberIdentity, at: int, *, is_new: bool = False, is_repeated: bool = False
    ) -> None:
        """A record contains the member in a generation that came into force at a time.

        `is_new`: the generation before does not contain it. `is_repeated`: an earlier record of this generation does.
        """
        session = self.latest(member_id, at)
        slack = 0 if is_new else _TOGETHER
        if session is None or (session.ended_at is not None and session.ended_at <= at - slack):
            session = self._add(MemberSession(member_id, at))
        if session.joined_at == session.ended_at:
            # Logs reported only its end: it had joined by the time of this generation.
            session.joined_at = min(session.joined_at, at)
        session.fill_identity(
            identity.client_id, identity.client_host, identity.instance_id, identity.session_timeout_ms
        )
        session.generations_in_topic += not is_repeated
        for old_member_id in identity.replaces:
            replaced = self.end_session(old_member_id, at, "replaced")
            if replaced is not None:
                replaced.generations_in_topic += not is_repeated
                replaced.fill_identity(None, None, identity.instance_id)

    def apply_poll_timeouts(self, timeouts: Iterable[tuple[str | None, int]]) -> None:
        """`timeouts` are (client id, time) of client log lines that name no member. They explain a leave whose reason
        the broker log does not give."""
        by_client: dict[str | None, list[MemberSession]] = defaultdict(list)
        for session in self.all:
            by_client[session.client_id].append(session)
        for client_id, at in timeouts:
            for session in by_client[client_id] if client_id is not None else ():
                ended_at = session.ended_at
                is_near = session.joined_at <= at and ended_at is not None and abs(ended_at - at) <= _TOGETHER
                if is_near and session.ended_by in ("left", None):
                    session.end(at, "poll_interval")

    def mark_never_joined(self, member_id: str | None) -> None:
        """The coordinator assigned the id, but the member did not join, whatever its client logs about leaving."""
        self._never_joined.add(member_id)

    def drop_never_joined(self) -> None:
        self.all = [
            session
            for session in self.all
            if session.member_id not in self._never_joined
            or session.generations_in_topic
            or session.generations_in_broker_log
            or session.generations_in_client_log
        ]

    def link_successors(self) -> None:
        """The next member is the static member under its new id, else the same client on the same host; a source may not
        contain the host."""
        candidates: dict[tuple[str | None, ...], list[MemberSession]] = defaultdict(list)
        for session in sorted(self.all, key=_FIRST_JOINED):
            if session.instance_id is not None:
                candidates[session.instance_id,].append(session)
            if session.client_id is not None:
                candidates[session.client_id, session.client_host].append(session)
                candidates["on any host", session.client_id, None].append(session)
        linked: set[int] = set()
        ended = [session for session in self.all if session.ended_at is not None]
        for session in sorted(ended, key=lambda session: session.ended_at or 0):
            client, host = session.client_id, session.client_host
            if session.instance_id is not None:
                same = [candidates[session.instance_id,]]
            elif host is None:
                same = [candidates["on any host", client, None]]
            else:
                same = [candidates[client, host], candidates[client, None]]
            successors = filter(None, (_successor(session, sessions, linked) for sessions in same))
            if successor := min(successors, key=_FIRST_JOINED, default=None):
                session.next_member_id = successor.member_id
                linked.add(id(successor))


def _successor(session: MemberSession, sessions: list[MemberSession], linked: set[int]) -> MemberSession | None:
    """The first of `sessions` that began after this one ended, and that follows no other."""
    since = max((session.ended_at or 0) - _TOGETHER, session.joined_at + 1)
    for other in sessions[bisect_left(sessions, since, key=_JOINED_AT) :]:
        # A member that was fenced as it joined was never in the group.
        was_refused = other.ended_by == "fenced" and other.ended_at == other.joined_at
        if other is not session and not was_refused and id(other) not in linked:
            return other
    return None
