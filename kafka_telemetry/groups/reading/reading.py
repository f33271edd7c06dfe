"""The reading of one partition by one member: since when, and how it stopped."""

from dataclasses import dataclass
from typing import NamedTuple

from kafka_telemetry.groups.assignors.assignor_inputs import TopicPartition

# (origin, client id): the log of one consumer. Every process counts its client ids from 1.
ClientKey = tuple[str | None, str | None]


class Reader(NamedTuple):
    member_id: str | None
    client_id: str | None
    instance_id: str | None = None
    # The log in which this consumer reports its partitions; null: only group records report them.
    log: ClientKey | None = None

    def is_same_member(self, other: "Reader") -> bool:
        """A static member that returned has another id, and is the same member."""
        if self.instance_id is not None or other.instance_id is not None:
            return self.instance_id == other.instance_id
        if self.member_id is not None and other.member_id is not None:
            return self.member_id == other.member_id
        return self.log is not None and self.log == other.log


@dataclass
class Reading:
    """Times are microseconds since 1970."""

    reader: Reader
    incarnation: int
    since: int
    stopped_at: int | None = None
    # revoked or lost: as the client logged; released: as a record shows. Null: it still reads, or ended without a word.
    stopped_by: str | None = None
    # Of the member's session, once it has ended.
    ended_at: int | None = None
    ended_by: str | None = None
    # Of the member; null: unknown, as for KIP-848.
    session_timeout_ms: int | None = None


Readings = dict[TopicPartition, Reading]
