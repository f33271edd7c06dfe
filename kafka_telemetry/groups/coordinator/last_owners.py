"""The last owner of each partition, from which it moves to another."""

from collections.abc import Mapping
from typing import NamedTuple

from kafka_telemetry.groups.assignors.assignor_inputs import TopicPartition
from kafka_telemetry.groups.coordinator.generation import Generation, Member, topic_partitions


class PartitionOwner(NamedTuple):
    member_id: str
    client_id: str | None
    instance_id: str | None

    def is_same_member(self, member_id: str, instance_id: str | None) -> bool:
        """A static member that returned has another id, and is the same member."""
        return self.member_id == member_id or (self.instance_id is not None and self.instance_id == instance_id)


class LastOwners:
    """The last owners in the generations of one incarnation that precede the current one."""

    def __init__(self, incarnation: int = 0) -> None:
        self.incarnation = incarnation
        self.by_partition: dict[TopicPartition, PartitionOwner] = {}
        # Those that the last of these generations did not assign: nobody owns them any more.
        self.released: set[TopicPartition] = set()

    def apply_topic_names(self, topic_names: Mapping[str, str]) -> None:
        """The name of a topic that was known only by its id may be known by now."""
        for topic, number in [partition for partition in self.by_partition if partition[0] in topic_names]:
            self.by_partition[topic_names[topic], number] = self.by_partition.pop((topic, number))
            if (topic, number) in self.released:
                self.released.remove((topic, number))
                self.released.add((topic_names[topic], number))

    def apply_generation(self, generation: Generation, topic_names: Mapping[str, str]) -> None:
        """A partition that the generation assigns to nobody keeps its last owner, and is released."""
        assigned: dict[TopicPartition, PartitionOwner] = {}
        for member in generation.members.values():
            owner = PartitionOwner(member.member_id, member.client_id, member.instance_id)
            assigned.update(dict.fromkeys(topic_partitions(member.owned, topic_names), owner))
        self.by_partition |= assigned
        # A generation without an assignment, as an epoch has none before its target is written, releases nothing.
        if all(member.owned is not None for member in generation.members.values()):
            self.released.update(self.by_partition)
        self.released.difference_update(assigned)

    def moved_to(self, member: Member, topic_names: Mapping[str, str]) -> list[tuple[TopicPartition, PartitionOwner]]:
        """The partitions of a member that another owned last. A partition that nobody owned has not moved."""
        return [
            (partition, owner)
            for partition in topic_partitions(member.owned, topic_names)
            if (owner := self.by_partition.get(partition)) is not None
            and not owner.is_same_member(member.member_id, member.instance_id)
        ]

    def present_member_ids(self, members: Mapping[str, Member]) -> dict[TopicPartition, str]:
        """The last owner of each partition by its present id, which differs for a static member that returned; members
        that are gone by their last id."""
        id_of_instance: dict[str | None, str] = {
            member.instance_id: member.member_id for member in members.values() if member.instance_id
        }
        return {
            partition: owner.member_id
            if owner.member_id in members
            else id_of_instance.get(owner.instance_id, owner.member_id)
            for partition, owner in self.by_partition.items()
        }
