"""A second, naive reader of recorded broker logs, one regular expression per event: an oracle for the tables that shares
no code with the package."""

import datetime as dt
import re
from dataclasses import dataclass, field
from functools import cache

from support.recorded_logs import broker_log

# Group id and member id; group id and generation.
Member = tuple[str, str]
Generation = tuple[str, int]

_LINE = re.compile(r"^\[(?P<at>[^\]]+)\] \w+ (?:\[Group[^\]]*\]:? )?(?P<message>.*) \([\w.$]+\)$")
_PREPARING = re.compile(
    r"Preparing to rebalance group (?P<group>\S+) in state \w+ with old generation (?P<old>\d+) "
    r"(?:\(\S+\) )?\(reason: (?P<reason>.*)\)\.?$"
)
_STABILIZED = re.compile(
    r"Stabilized group (?P<group>\S+) generation (?P<generation>\d+) (?:\(\S+\) )?with (?P<members>\d+) members"
)
_RECEIVED = re.compile(
    r"Assignment received from leader \S+ for group (?P<group>\S+) for generation (?P<generation>\d+)\."
)
_BUMPED = re.compile(
    r"\[GroupId (?P<group>\S+)\] Bumped group epoch to (?P<generation>\d+) with metadata hash (?P<hash>-?\d+)"
)
_LEFT = (
    re.compile(
        r"^Member MemberMetadata\(memberId=(?P<member>\S+), groupInstanceId=.*\) has left group (?P<group>\S+) through "
        r"explicit `LeaveGroup`(?:; client reason: (?P<reason>.*))?$"
    ),
    re.compile(
        r"^\[Group(?:Id)? (?P<group>\S+)\] (?:Dynamic m|M)ember (?P<member>\S+) has left group through explicit "
        r"`LeaveGroup` request(?:; client reason: (?P<reason>.*))?$"
    ),
    re.compile(r"^\[GroupId (?P<group>\S+)\] Member (?P<member>\S+) left the \w+ group(?P<reason>)\.$"),
)
_EVICTED = (
    re.compile(r"^Member (?P<member>\S+) in group (?P<group>\S+) has failed, removing it from the group"),
    re.compile(r"^\[GroupId (?P<group>\S+)\] Member (?P<member>\S+) fenced from the group because the member session"),
)
_REPLACED = (
    re.compile(r"joins group (?P<group>\S+) in .* Replacing previously mapped member (?P<member>\S+) with"),
    re.compile(
        r"^\[GroupId (?P<group>\S+)\] Static member .* re-joins .* replace the existing member (?P<member>\S+)\."
    ),
)
_FENCED = (
    re.compile(r"^Request memberId=(?P<member>\S+) for static member .* is fenced by"),
    re.compile(r"^\[GroupId \S+\] Static member (?P<member>\S+) with instance id \S+ cannot join the group because"),
)
_NAMED = re.compile(r"(?:[Mm]ember|Leader) (\S+)|\((\S+)\) members")

# Texts in a logged reason and the reason that they stand for; the first match counts.
_REASONS = (
    ("consumer poll timeout has expired", "poll_interval"),
    ("cached metadata has changed", "subscription_or_topics_changed"),
    ("subscription has changed", "subscription_or_topics_changed"),
    ("need to revoke partitions", "partitions_revoked"),
    ("rebalance enforced by user", "enforced"),
    ("LeaveGroup", "member_left"),
    ("on heartbeat expiration", "session_timeout"),
    ("Adding new member", "member_joined"),
    ("Leader ", "leader_rejoined"),
    ("joining group during", "member_joined"),
)


@dataclass
class RebalanceStart:
    """The first `Preparing to rebalance` line of a generation. `texts` are all texts that the log prints as its reason."""

    at: dt.datetime
    reason: str
    texts: set[str]
    member: str | None


@dataclass
class BrokerLog:
    """The group events in one broker's log."""

    rebalance_starts: dict[Generation, RebalanceStart] = field(default_factory=dict)
    stabilized: dict[Generation, tuple[dt.datetime, int]] = field(default_factory=dict)
    """When, and with how many members."""
    assignments_received: dict[Generation, dt.datetime] = field(default_factory=dict)
    epoch_bumps: dict[Generation, dt.datetime] = field(default_factory=dict)
    """Only those of groups with members: a metadata hash of 0 means that the group subscribes to no topics."""
    left: set[Member] = field(default_factory=set)
    stopped_polling: set[Member] = field(default_factory=set)
    evicted: set[Member] = field(default_factory=set)
    replaced: set[Member] = field(default_factory=set)
    fenced_member_ids: set[str] = field(default_factory=set)
    leave_reasons: dict[str, str] = field(default_factory=dict)
    """The client's reason in the `LeaveGroup` line, by member id."""


@cache
def read_broker_log(recording: str) -> BrokerLog:
    log = BrokerLog()
    for line in broker_log(recording).splitlines():
        if line_match := _LINE.match(line):
            _add_event(log, dt.datetime.strptime(line_match["at"], "%Y-%m-%d %H:%M:%S,%f"), line_match["message"])
    for start in log.rebalance_starts.values():
        if start.reason == "member_left" and start.member is not None:
            # The line of the leaving member states the client's own reason.
            start.texts.add(log.leave_reasons[start.member])
        if start.reason == "member_left" and any(member == start.member for _, member in log.stopped_polling):
            start.reason = "poll_interval"
    return log


def _add_event(log: BrokerLog, at: dt.datetime, message: str) -> None:
    if m := _PREPARING.match(message):
        named = _NAMED.search(m["reason"])
        member = (named[1] or named[2]) if named else None
        reason = next(kind for text, kind in _REASONS if text in m["reason"])
        start = RebalanceStart(at, reason, {m["reason"]}, member)
        log.rebalance_starts.setdefault((m["group"], int(m["old"]) + 1), start)
    elif m := _STABILIZED.match(message):
        log.stabilized[m["group"], int(m["generation"])] = at, int(m["members"])
    elif m := _RECEIVED.match(message):
        log.assignments_received[m["group"], int(m["generation"])] = at
    elif (m := _BUMPED.match(message)) and m["hash"] != "0":
        log.epoch_bumps[m["group"], int(m["generation"])] = at
    elif m := _search_any(_LEFT, message):
        log.left.add((m["group"], m["member"]))
        if "consumer poll timeout" in (m["reason"] or ""):
            log.stopped_polling.add((m["group"], m["member"]))
        log.leave_reasons[m["member"]] = m["reason"] or ""
    elif m := _search_any(_EVICTED, message):
        log.evicted.add((m["group"], m["member"]))
    elif m := _search_any(_REPLACED, message):
        log.replaced.add((m["group"], m["member"]))
    elif m := _search_any(_FENCED, message):
        log.fenced_member_ids.add(m["member"])


def _search_any(patterns: tuple[re.Pattern[str], ...], message: str) -> "re.Match[str] | None":
    return next((m for pattern in patterns if (m := pattern.search(message))), None)
