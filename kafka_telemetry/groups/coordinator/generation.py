"""A generation of a group and its members."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kafka_telemetry.groups.coordinator.group_record import GroupRecord, RecordSource

# (topic, partitions, topic id): a record names a topic by one of the two.
PartitionsByTopic = list[tuple[str | None, list[int], str | None]]


def topic_partitions(partitions: PartitionsByTopic | None, topic_names: Mapping[str, str]) -> list[tuple[str, int]]:
    """Each partition under the name of its topic, or under the topic id where no source has the name."""
    return [
        (topic or topic_names.get(topic_id or "") or topic_id or "", number)
        for topic, numbers, topic_id in partitions or ()
        for number in numbers
    ]


@dataclass
class Member:
    member_id: str
    # The day of the record by which it became a member of this generation.
    recorded_on: int
    client_id: str | None = None
    client_host: str | None = None
    instance_id: str | None = None
    session_timeout_ms: int | None = None
    rebalance_timeout_ms: int | None = None
    subscribed_topics: list[str] | None = None
    subscribed_regex: str | None = None
    owned: PartitionsByTopic | None = None
    # Classic: the partitions that it still owned when it joined.
    claimed: PartitionsByTopic | None = None
    # KIP-848: the partitions that it has reconciled, and up to which epoch.
    owned_now: PartitionsByTopic | None = None
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
    # The first record of the day about it; null while the day has none.
    source: RecordSource | None
    previous_generation: int | None
    complete: bool | None
    assignor: str | None = None
    leader_member_id: str | None = None
    state_at: int | None = None
    assigned_at: int | None = None
    reconciled_at: int | None = None
    members: dict[str, Member] = field(default_factory=dict)
    # A dump may print a generation without its members.
    members_known: bool = True
    # The member ids of static members in the generation before. Forgotten at midnight: the rules need them on the first day.
    instances_before: Mapping[str, str] = field(default_factory=dict)

    def member_before(self, member: Member) -> str | None:
        """The id that a static member had in the generation before, if it returned with another one."""
        before = self.instances_before.get(member.instance_id or "")
        return before if before not in (None, member.member_id) else None

    def add_member(self, member: Member, source: RecordSource) -> None:
        """A static member that returns has a new id, and takes the place of the old one."""
        self.source = self.source or source
        if member.instance_id is not None and member.member_id not in self.members:
            for old in [known for known in self.members.values() if known.instance_id == member.instance_id]:
                member.replaces = [*old.replaces, old.member_id]
                del self.members[old.member_id]
        self.members[member.member_id] = member


def new_generation(
    record: GroupRecord, number: int, *, incarnation: int, previous: int | None, complete: bool | None
) -> Generation:
    """`record` is the first one of the generation."""
    return Generation(
        incarnation=incarnation,
        generation=number,
        group_type=record.group_type,
        protocol_type=record.group_type,
        day=record.day,
        recorded_at=record.recorded_at,
        record_offset=record.record_offset,
        source=record.source,
        previous_generation=previous,
        complete=complete,
    )
