"""A generation of a group and the members in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kafka_telemetry.groups.coordinator.group_record import GroupRecord, Place

# (topic, partitions, topic id): a record names a topic by one of the two.
Partitions = list[tuple[str | None, list[int], str | None]]


def places(told: Partitions | None, names: Mapping[str, str]) -> list[tuple[str, int]]:
    """Each partition by its topic's name, or the id where no source names it."""
    return [
        (topic or names.get(topic_id or "") or topic_id or "", number)
        for topic, partitions, topic_id in told or ()
        for number in partitions
    ]


@dataclass
class Member:
    member_id: str
    told_on: int
    client_id: str | None = None
    client_host: str | None = None
    instance_id: str | None = None
    session_timeout_ms: int | None = None
    rebalance_timeout_ms: int | None = None
    subscribed_topics: list[str] | None = None
    subscribed_regex: str | None = None
    owned: Partitions | None = None
    # Classic: what it said it owned when it joined.
    claimed: Partitions | None = None
    # KIP-848: what it had reconciled, and up to which epoch.
    owned_now: Partitions | None = None
    member_epoch: int | None = None
    # Ids that the static member had before, in this generation.
    replaces: list[str] = field(default_factory=list)


@dataclass
class Generation:
    incarnation: int
    generation: int
    group_type: str
    protocol_type: str | None
    day: int
    recorded_at: int | None
    record_offset: int | None
    # Not carried into the next day: what is told there is told by a record of that day.
    place: Place | None
    previous_generation: int | None
    complete: bool | None
    assignor: str | None = None
    leader_member_id: str | None = None
    state_at: int | None = None
    assigned_at: int | None = None
    reconciled_at: int | None = None
    members: dict[str, Member] = field(default_factory=dict)
    # A dump may print a generation and not who is in it.
    members_told: bool = True

    def add(self, member: Member, place: Place) -> None:
        """A static member that comes back has a new id, and takes the place of the old one."""
        self.place = self.place or place
        if member.instance_id is not None and member.member_id not in self.members:
            for old in [one for one in self.members.values() if one.instance_id == member.instance_id]:
                member.replaces = [*old.replaces, old.member_id]
                del self.members[old.member_id]
        self.members[member.member_id] = member


def told_by(
    record: GroupRecord, number: int, *, incarnation: int, protocol_type: str | None, previous: int | None, complete: bool | None
) -> Generation:  # fmt: skip
    """A generation that this record is the first to tell of."""
    return Generation(
        incarnation=incarnation,
        generation=number,
        group_type=record.group_type,
        protocol_type=protocol_type,
        day=record.day,
        recorded_at=record.recorded_at,
        record_offset=record.record_offset,
        place=record.place,
        previous_generation=previous,
        complete=complete,
    )
