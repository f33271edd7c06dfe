"""When and how the reader before stopped, from its log, its session, and the last sign of life."""

from typing import NamedTuple

from kafka_telemetry.groups.history.sessions import MemberSessions
from kafka_telemetry.groups.reading.reading import Reading

# A member that is no longer heard of stopped before the coordinator noticed.
_NOTICED_LATE = ("session_timeout", "rebalance_timeout")
# Sources disagree by so much about the end of a session.
_AT_ONCE = 10_000_000


class Stop(NamedTuple):
    at: int | None
    # As in silver.member_sessions; revoked: the member lived on.
    ended_by: str
    # The line or record that shows it; null: none does.
    by: str | None
    # Whether the client's log has the time, rather than a sign of life before it.
    is_measured: bool
    # When the coordinator noticed that the member was gone.
    ended_at: int | None


def take_over_session_end(reading: Reading, sessions: MemberSessions) -> None:
    """Sessions that have ended are forgotten after the day."""
    session = sessions.latest(reading.reader.member_id, reading.since)
    if session is None or session.ended_at is None or session.ended_at < reading.since - _AT_ONCE:
        return
    reading.ended_at, reading.ended_by = session.ended_at, session.ended_by or "left"
    reading.session_timeout_ms = session.session_timeout_ms


def stop_of(reading: Reading, started_at: int, began_at: int | None, last_seen: int) -> Stop:
    """How a reading stopped before another one started.

    `began_at`: when the rebalance began that ended it; `last_seen`: the last line of the reader's log.
    """
    slack = _AT_ONCE if reading.stopped_at is None else 0
    has_ended = reading.ended_at is not None and reading.ended_at <= started_at + slack
    ended_by = reading.ended_by if has_ended and reading.ended_by else "revoked"
    ended_at = reading.ended_at if has_ended else None
    signs_of_life = [reading.since, last_seen]
    if ended_by == "session_timeout" and ended_at is not None and reading.session_timeout_ms is not None:
        # The coordinator waits so long after the last heartbeat.
        signs_of_life.append(ended_at - 1000 * reading.session_timeout_ms)
    if ended_by in _NOTICED_LATE and reading.stopped_by != "revoked":
        alive_at = max(signs_of_life)
        return Stop(min(alive_at, reading.stopped_at or alive_at, started_at), ended_by, None, False, ended_at)
    if reading.stopped_by is not None and reading.stopped_at is not None:
        # A member that did not poll in time left before it lost its partitions.
        at = min(reading.stopped_at, ended_at or reading.stopped_at) if ended_by == "poll_interval" else None
        return Stop(at or reading.stopped_at, ended_by, reading.stopped_by, reading.stopped_by != "released", ended_at)
    if reading.reader.log is None and began_at is not None:
        return Stop(min(max(began_at, reading.since), started_at), ended_by, None, False, ended_at)
    at = max(signs_of_life) if ended_by in ("replaced", "fenced", "revoked") else ended_at
    return Stop(None if at is None else min(at, started_at), ended_by, None, False, ended_at)
