"""From joining to leaving: the sessions of a group's members."""

import operator
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from kafka_telemetry.groups.history.observations import Who

# What a coordinator did stands above what the application wished, and of two true words the telling one is kept.
_TELLING = ("fenced", "rebalance_timeout", "session_timeout", "poll_interval", "replaced", "group_removed", "left")
EVICTED = ("session_timeout", "rebalance_timeout")
LEFT = ("left", "poll_interval")

# How far apart two sources may tell of one leave, or the next session of a restarted client may begin.
_TOGETHER = 10_000_000


@dataclass
class Session:
    member_id: str
    joined_at: int
    client_id: str | None = None
    client_host: str | None = None
    instance_id: str | None = None
    ended_at: int | None = None
    ended_by: str | None = None
    # As the offsets topic, the broker's log and the member's own log have it.
    generations: int = 0
    by_broker: int = 0
    by_client: int = 0
    last_generation: int | None = None
    next_member_id: str | None = None
    # The broker has said that it went; its client may say so first.
    gone_by_broker: bool = False

    def learn(self, client_id: str | None, client_host: str | None = None, instance_id: str | None = None) -> None:
        self.client_id = self.client_id or client_id
        self.client_host = self.client_host or client_host
        self.instance_id = self.instance_id or instance_id

    def end(self, at: int, by: str | None) -> None:
        if self.ended_at is None:
            self.ended_at, self.ended_by = at, by
        elif by is not None and (self.ended_by is None or _TELLING.index(by) < _TELLING.index(self.ended_by)):
            self.ended_by = by
            if by in EVICTED:
                # It was in until then, whatever it wished before.
                self.ended_at = at

    def was_in(self, generation: int) -> None:
        """As its own log has it."""
        if generation != self.last_generation:
            self.last_generation = generation
            self.by_client += 1

    def row(self) -> dict[str, Any]:
        """As silver.member_sessions has it."""
        row = asdict(self)
        counted = [row["generations"], row.pop("by_broker"), row.pop("by_client")]
        del row["last_generation"], row["gone_by_broker"]
        return row | {
            "generations": next((number for number in counted if number), None),
            "ended_by": self.ended_by if self.ended_at is not None else "still_member",
        }


_JOINED_AT = operator.attrgetter("joined_at")


class Sessions:
    """Those that were open when the day began, and all of the day."""

    def __init__(self, open_sessions: Iterable[Session]) -> None:
        self.all: list[Session] = []
        self._open: list[Session] = []
        self._of_member: dict[str, list[Session]] = {}
        self._never: set[str | None] = set()
        for session in open_sessions:
            self._add(session)

    def _add(self, session: Session) -> Session:
        self.all.append(session)
        self._open.append(session)
        self._of_member.setdefault(session.member_id, []).append(session)
        return session

    def open_ones(self) -> list[Session]:
        self._open = [one for one in self._open if one.ended_at is None]
        return self._open

    def of(self, member_id: str | None, at: int | None = None) -> Session | None:
        """The member's newest session; or the newest that had begun by then."""
        mine = self._of_member.get(member_id or "", [])
        if len(mine) < 2:
            return mine[0] if mine else None
        begun = [one for one in mine if at is None or one.joined_at <= at + _TOGETHER]
        return max(begun or mine, key=_JOINED_AT)

    def is_open(self, member_id: str) -> bool:
        session = self.of(member_id)
        return session is not None and session.ended_at is None

    def is_in_by_broker(self, member_id: str) -> bool:
        """The broker has not said yet that it went."""
        session = self.of(member_id)
        return session is not None and not session.gone_by_broker

    def ending(self, member_id: str | None, at: int) -> Session | None:
        """The member's session that ended nearest to then: it may have come back under its id at once."""
        ended = [(abs(one.ended_at - at), one) for one in self._of_member.get(member_id or "", []) if one.ended_at]
        return min(ended, key=lambda one: one[0], default=(0, None))[1]

    def join(self, member_id: str, at: int) -> Session:
        """A member that joins again is the same one as long as it has not gone."""
        known = self.of(member_id)
        if known is not None and known.ended_at is None:
            return known
        return self._add(Session(member_id, at))

    def end(self, member_id: str | None, at: int, by: str | None, *, joined_at: int | None = None) -> Session | None:
        """`joined_at`: when one that nothing else tells of had joined; else it joined before anything is told."""
        session = self.of(member_id)
        if session is None and member_id is not None:
            session = self._add(Session(member_id, at if joined_at is None else joined_at))
        if session is not None:
            session.end(at, by)
        return session

    def seen(self, member_id: str, who: Who, at: int, *, is_back: bool = False, is_told: bool = False) -> Session:
        """A record has the member in a generation that came into force then. `is_back`: the one before has it not;
        `is_told`: it has been told already that the member is in this generation."""
        session = self.of(member_id, at)
        slack = 0 if is_back else _TOGETHER
        if session is None or (session.ended_at is not None and session.ended_at <= at - slack):
            session = self._add(Session(member_id, at))
        if session.joined_at == session.ended_at:
            # Only its end was told: it had joined by now.
            session.joined_at = min(session.joined_at, at)
        session.learn(who.client_id, who.client_host, who.instance_id)
        session.generations += not is_told
        for old in who.replaces:
            before = self.end(old, at, "replaced")
            if before is not None:
                before.generations += not is_told
                before.learn(None, None, who.instance_id)
        return session

    def gave_up_polling(self, told: Iterable[tuple[str | None, int]]) -> None:
        """Clients' own words on why they left and when, where they don't say which of their members did and the broker's
        name no reason."""
        of_client: dict[str | None, list[Session]] = defaultdict(list)
        for one in self.all:
            of_client[one.client_id].append(one)
        for client_id, at in told:
            for one in of_client[client_id] if client_id is not None else ():
                near = one.joined_at <= at and one.ended_at is not None and abs(one.ended_at - at) <= _TOGETHER
                if near and one.ended_by in ("left", None):
                    one.end(at, "poll_interval")

    def never_was(self, member_id: str | None) -> None:
        """The broker gave it an id and never took it in, whatever its client says of leaving."""
        self._never.add(member_id)

    def drop_those_that_never_were(self) -> None:
        self.all = [
            one
            for one in self.all
            if one.member_id not in self._never or one.generations or one.by_broker or one.by_client
        ]

    def chain(self) -> None:
        """Who came after: a static member under its new id, else the same client on the same host."""
        same: dict[tuple[str | None, ...], list[Session]] = defaultdict(list)
        for one in sorted(self.all, key=lambda one: (one.joined_at, one.member_id)):
            if one.instance_id is not None:
                same[one.instance_id,].append(one)
            if one.client_id is not None:
                same[one.client_id, one.client_host].append(one)
        taken: set[int] = set()
        for one in sorted((one for one in self.all if one.ended_at is not None), key=lambda one: one.ended_at or 0):
            who = (one.instance_id,) if one.instance_id is not None else (one.client_id, one.client_host)
            since = max((one.ended_at or 0) - _TOGETHER, one.joined_at + 1)
            others = same[who]
            for after in others[bisect_left(others, since, key=lambda other: other.joined_at) :]:
                # One that was fenced as it came was never in.
                refused = after.ended_by == "fenced" and after.ended_at == after.joined_at
                if after is not one and not refused and id(after) not in taken:
                    one.next_member_id = after.member_id
                    taken.add(id(after))
                    break
