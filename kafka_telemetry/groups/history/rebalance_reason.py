"""Decides why a group rebalanced.

A rebalance has one reason (silver.rebalances.reason): that of the cause which the first of these rules finds.

| rule | observed in | cause |
| --- | --- | --- |
| membership_change_behind_preparation | broker log | a member's line just before a vague "Preparing to rebalance" |
| preparation | broker log | the first line "Preparing to rebalance" of a classic group |
| membership_change_before_epoch | broker log | a member's line just before the line of a new epoch |
| topics_changed_before_epoch | broker log | another metadata hash in the line of a new epoch |
| first_line_of_clients | client logs | the first line since the last generation, if no broker logged this one |
| only_member_gone | offsets topic | how the one member ended that an epoch lacks, if no broker logged the epoch |

Just before is at most a second before. Where no rule finds a cause, or the cause has no reason, the reason is
`unknown`. Last of all, `member_left` becomes `poll_interval` where that is how the session of the member that left
ended: some logs report it in another line than the leave.

What a single log line gives as its reason (silver.group_events.reason) is parsed by formats/logs/line_reasons.py. The
other modules of this package only collect what the sources report.
"""

from collections.abc import Callable
from typing import NamedTuple

from kafka_telemetry.groups.history.log_event import Cause
from kafka_telemetry.groups.history.logged_generation import LoggedGeneration
from kafka_telemetry.groups.history.member_session import EVICTED, MemberSession
from kafka_telemetry.groups.history.previous_generation import PreviousGeneration
from kafka_telemetry.groups.history.recorded_generation import RecordedGeneration
from kafka_telemetry.groups.history.sessions import MemberSessions

# Events of the broker log that change a group's membership, and the reason of those lines that have none of their own.
MEMBERSHIP_REASONS = {
    "member_joined": "member_joined",
    "static_member_joined": "member_joined",
    "member_left": "member_left",
    "member_expired": "session_timeout",
    "member_evicted": "rebalance_timeout",
    "members_not_rejoined": "rebalance_timeout",
    "sync_timed_out": "sync_timeout",
    "static_member_replaced": "static_member_changed",
    "subscription_updated": "subscription_or_topics_changed",
    "regex_refreshed": "subscription_or_topics_changed",
}
# The reason of a rebalance that the end of one session caused.
_SESSION_END_REASONS = {"left": "member_left", **{ended_by: ended_by for ended_by in ("poll_interval", *EVICTED)}}
# A broker logs all that it does for one request, and writes its records, within this time.
ONE_REQUEST = 1_000_000

_TOPICS_CHANGED = Cause("subscription_or_topics_changed")
_NO_CAUSE = Cause(None)


class Observations(NamedTuple):
    """All that is known about one generation and may explain it."""

    log: LoggedGeneration | None
    topic: RecordedGeneration | None
    previous: PreviousGeneration | None
    sessions: MemberSessions
    by_epoch: bool
    started_at: int | None

    @property
    def in_broker_log(self) -> bool:
        return self.log is not None and self.log.in_broker_log


def membership_change_behind_preparation(observed: Observations) -> Cause | None:
    return _change_behind_preparation(observed.log) if observed.log else None


def preparation(observed: Observations) -> Cause | None:
    return observed.log.preparation if observed.log else None


def membership_change_before_epoch(observed: Observations) -> Cause | None:
    return observed.log.membership_change if observed.log else None


def topics_changed_before_epoch(observed: Observations) -> Cause | None:
    return _TOPICS_CHANGED if observed.log and observed.log.topics_changed else None


def first_line_of_clients(observed: Observations) -> Cause | None:
    return observed.log.client_cause if observed.log and not observed.in_broker_log else None


def only_member_gone(observed: Observations) -> Cause | None:
    """A share or streams group, and any group in 3.7, gets a new epoch without a line of it when a member goes."""
    topic, previous = observed.topic, observed.previous
    if not observed.by_epoch or observed.in_broker_log:
        return None
    if topic is None or topic.members is None or previous is None or previous.members is None:
        return None
    gone = [member_id for member_id in previous.members if member_id not in topic.members]
    at = topic.in_force_at
    if at is None or len(gone) != 1 or topic.members.keys() - set(previous.members):
        return None
    session = observed.sessions.nearest_end(gone[0], at)
    if (
        session is None
        or session.ended_by not in _SESSION_END_REASONS
        or abs((session.ended_at or 0) - at) > ONE_REQUEST
    ):
        return None
    return Cause(_SESSION_END_REASONS[session.ended_by], member_id=gone[0])


RULES: tuple[Callable[[Observations], Cause | None], ...] = (
    membership_change_behind_preparation,
    preparation,
    membership_change_before_epoch,
    topics_changed_before_epoch,
    first_line_of_clients,
    only_member_gone,
)


def decide(observed: Observations) -> Cause:
    """The cause of the rebalance, with a reason and, where it is known, the client of the member that triggered it."""
    causes = (rule(observed) for rule in RULES)
    cause = next((cause for cause in causes if cause is not None), _NO_CAUSE)
    reason, session = cause.reason, _session_of(cause, observed)
    if reason == "member_left" and session is not None and session.ended_by == "poll_interval":
        reason = "poll_interval"
    client_id = cause.client_id or (session.client_id if session is not None else None)
    return cause._replace(reason=reason or "unknown", client_id=client_id)


def cause_of_preparation(log: LoggedGeneration) -> Cause | None:
    """The cause of a rebalance that has only begun, as far as the broker log shows it."""
    return _change_behind_preparation(log) or log.preparation


def _change_behind_preparation(log: LoggedGeneration) -> Cause | None:
    prepared, change = log.preparation, log.membership_change
    if prepared is None or change is None:
        return None
    # A static member that an administrator removed is not named ("LeaveGroup request for () members"), nor is the
    # member whose end turned a group of the consumer protocol into a classic one.
    names_nobody = not log.preparation_names_members and prepared.reason in ("member_left", "unknown")
    is_same_leave = prepared.reason == "member_left" and prepared.member_id == change.member_id
    if not (names_nobody or is_same_leave):
        return None
    return change._replace(
        reason_text=change.reason_text or prepared.reason_text, client_id=prepared.client_id or change.client_id
    )


def _session_of(cause: Cause, observed: Observations) -> MemberSession | None:
    """The session of the member that triggered the rebalance: if it left, the one that ended then."""
    if not cause.member_id:
        return None
    sessions, started_at = observed.sessions, observed.started_at
    ended = sessions.nearest_end(cause.member_id, started_at) if cause.reason == "member_left" and started_at else None
    return ended or sessions.latest(cause.member_id, started_at)
