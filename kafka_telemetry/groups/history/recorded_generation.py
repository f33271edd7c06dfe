"""A generation and its members as records of the offsets topic contain them."""

from dataclasses import dataclass, field
from typing import NamedTuple


class MemberIdentity(NamedTuple):
    client_id: str | None = None
    client_host: str | None = None
    instance_id: str | None = None
    session_timeout_ms: int | None = None
    # Ids that the static member had before, in this generation.
    replaces: tuple[str, ...] = ()


@dataclass(frozen=True)
class RecordedGeneration:
    """Times are microseconds since 1970."""

    incarnation: int
    generation: int
    group_type: str
    protocol_type: str | None
    assignor: str | None
    recorded_at: int | None
    state_at: int | None = None
    assigned_at: int | None = None
    reconciled_at: int | None = None
    # By member id; null where the dump does not print them.
    members: dict[str, MemberIdentity] | None = field(default_factory=dict)
    partitions_assigned: int | None = None
    partitions_moved: int | None = None
    partitions_moved_minimum: int | None = None

    @property
    def in_force_at(self) -> int | None:
        """A record is written some time after the group has stabilized. Output of a console consumer has no time."""
        return self.recorded_at if self.state_at is None else self.state_at
