"""What a broker's log says of its groups, found by plain searches of each line: beside it the tables are held."""

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import zstandard

RECORDED = Path(__file__).parent.parent / "recorded"

Member = tuple[str, str]
Generation = tuple[str, int]

_LINE = re.compile(r"^\[(?P<at>[^\]]+)\] \w+ (?:\[Group[^\]]*\]:? )?(?P<said>.*) \([\w.$]+\)$")
_PREPARING = re.compile(
    r"Preparing to rebalance group (?P<group>\S+) in state \w+ with old generation (?P<old>\d+) "
    r"(?:\(\S+\) )?\(reason: (?P<why>.*)\)\.?$"
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
        r"explicit `LeaveGroup`(?:; client reason: (?P<why>.*))?$"
    ),
    re.compile(
        r"^\[Group(?:Id)? (?P<group>\S+)\] (?:Dynamic m|M)ember (?P<member>\S+) has left group through explicit "
        r"`LeaveGroup` request(?:; client reason: (?P<why>.*))?$"
    ),
    re.compile(r"^\[GroupId (?P<group>\S+)\] Member (?P<member>\S+) left the \w+ group(?P<why>)\.$"),
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

# The words of a reason, the first that it holds counts.
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
class Began:
    at: dt.datetime
    reason: str
    texts: set[str]
    member: str | None


@dataclass
class ReadByEye:
    began: dict[Generation, Began] = field(default_factory=dict)
    stabilized: dict[Generation, tuple[dt.datetime, int]] = field(default_factory=dict)
    received: dict[Generation, dt.datetime] = field(default_factory=dict)
    bumped: dict[Generation, dt.datetime] = field(default_factory=dict)
    """Those of groups that have members: the hash of no topics is 0."""
    left: set[Member] = field(default_factory=set)
    stopped_polling: set[Member] = field(default_factory=set)
    evicted: set[Member] = field(default_factory=set)
    replaced: set[Member] = field(default_factory=set)
    fenced: set[str] = field(default_factory=set)
    why_left: dict[str, str] = field(default_factory=dict)


@cache
def broker_log(recording: str) -> ReadByEye:
    told = ReadByEye()
    for line in text_of(RECORDED / recording / "broker" / "server.log.zst").splitlines():
        if found := _LINE.match(line):
            _read(told, dt.datetime.strptime(found["at"], "%Y-%m-%d %H:%M:%S,%f"), found["said"])
    for began in told.began.values():
        if began.reason == "member_left" and began.member is not None:
            # The line of who leaves tells the reason better.
            began.texts.add(told.why_left[began.member])
        if began.reason == "member_left" and any(member == began.member for _, member in told.stopped_polling):
            began.reason = "poll_interval"
    return told


def client_logs(recording: str) -> Iterator[tuple[str, str]]:
    for file in sorted((RECORDED / recording / "clients").glob("*/app.log.zst")):
        yield file.parent.name, text_of(file)


def text_of(file: Path) -> str:
    return zstandard.ZstdDecompressor().stream_reader(file.read_bytes()).read().decode()


def _read(told: ReadByEye, at: dt.datetime, said: str) -> None:
    if m := _PREPARING.match(said):
        named = _NAMED.search(m["why"])
        member = (named[1] or named[2]) if named else None
        reason = next(kind for words, kind in _REASONS if words in m["why"])
        told.began.setdefault((m["group"], int(m["old"]) + 1), Began(at, reason, {m["why"]}, member))
    elif m := _STABILIZED.match(said):
        told.stabilized[m["group"], int(m["generation"])] = at, int(m["members"])
    elif m := _RECEIVED.match(said):
        told.received[m["group"], int(m["generation"])] = at
    elif (m := _BUMPED.match(said)) and m["hash"] != "0":
        told.bumped[m["group"], int(m["generation"])] = at
    elif m := _first(_LEFT, said):
        told.left.add((m["group"], m["member"]))
        if "consumer poll timeout" in (m["why"] or ""):
            told.stopped_polling.add((m["group"], m["member"]))
        told.why_left[m["member"]] = m["why"] or ""
    elif m := _first(_EVICTED, said):
        told.evicted.add((m["group"], m["member"]))
    elif m := _first(_REPLACED, said):
        told.replaced.add((m["group"], m["member"]))
    elif m := _first(_FENCED, said):
        told.fenced.add(m["member"])


def _first(patterns: tuple[re.Pattern[str], ...], said: str) -> "re.Match[str] | None":
    return next((m for pattern in patterns if (m := pattern.search(said))), None)
