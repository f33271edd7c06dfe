"""What the sources tell of a group. Times are microseconds since 1970."""

import re
from dataclasses import dataclass, field
from typing import NamedTuple


class Event(NamedTuple):
    """An understood log line."""

    at: int
    side: str
    event: str
    member_id: str | None = None
    client_id: str | None = None
    instance_id: str | None = None
    generation: int | None = None
    reason: str | None = None
    reason_text: str | None = None
    details: dict[str, str] = {}  # noqa: RUF012 - never changed
    # Of a line whose speaker tells it: share.
    group_kind: str | None = None


class Cause(NamedTuple):
    """What a source reports as the cause of a rebalance."""

    reason: str | None
    reason_text: str | None = None
    member_id: str | None = None
    client_id: str | None = None


def cause_in(event: Event, reason: str | None) -> Cause:
    return Cause(reason, event.reason_text, event.member_id, event.client_id)


class Who(NamedTuple):
    """A member as a record describes it."""

    client_id: str | None = None
    client_host: str | None = None
    instance_id: str | None = None
    replaces: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recorded:
    """A generation that the offsets topic tells of. `members` is null where the dump does not print them."""

    incarnation: int
    generation: int
    group_type: str
    protocol_type: str | None
    assignor: str | None
    recorded_at: int | None
    state_at: int | None = None
    assigned_at: int | None = None
    reconciled_at: int | None = None
    members: dict[str, Who] | None = field(default_factory=dict)
    partitions_assigned: int | None = None
    partitions_moved: int | None = None
    partitions_moved_minimum: int | None = None

    @property
    def at(self) -> int | None:
        """When it came into force: a record is written some time after the group stabilised. A console's text of it has
        no time."""
        return self.recorded_at if self.state_at is None else self.state_at


_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_ISSUED = re.compile(rf"(?P<client>.*)-{_UUID}", re.DOTALL)


def client_of(member_id: str | None) -> str | None:
    """A broker makes the id of a dynamic classic member from its client id and a random part."""
    found = _ISSUED.fullmatch(member_id or "")
    return found["client"] if found else None


# Ids are free text: in a list of them, what ends one is its random part.
_ID_OF_LIST = re.compile(rf"(.+?-{_UUID})(?:, |$)", re.DOTALL)


def ids_in(text: str | None) -> list[str]:
    found: list[str] = _ID_OF_LIST.findall(text or "")
    return found or [one for one in (text or "").split(", ") if one]
