"""What the assignment of a generation was computed from, as far as the group's own records show it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kafka_telemetry.groups.assignors.assignor_inputs import Assignment, MemberSubscription, TopicPartition
from kafka_telemetry.groups.coordinator.generation import Generation, Member, topic_partitions
from kafka_telemetry.groups.coordinator.last_owners import LastOwners


@dataclass(frozen=True)
class GenerationInputs:
    # What was assigned, by member id.
    assignment: Assignment
    assigned: set[TopicPartition]
    # Partitions that classic members still owned when they joined.
    claimed: set[TopicPartition]
    # The last owner of each partition in the generations before, by its present id.
    owners: dict[TopicPartition, str]
    # In the order of member ids; null where a subscription is not known.
    subscriptions: list[MemberSubscription] | None
    # Of each subscribed topic; null with the subscriptions.
    partitions: dict[str, int] | None
    # Whether all members have an assignment, and each partition one owner.
    is_valid: bool
    # Whether the assignor had these subscriptions and partitions.
    is_known: bool

    @property
    def partition_count(self) -> int:
        return sum((self.partitions or {}).values())

    @property
    def withheld(self) -> int:
        """A cooperative member keeps its partitions until it is asked to revoke them. Those of topics without subscribers
        are not assigned again."""
        return sum(self.partitions is None or topic in self.partitions for topic, _ in self.claimed - self.assigned)


def inputs_of(generation: Generation, last_owners: LastOwners, topic_names: Mapping[str, str]) -> GenerationInputs:
    members = generation.members
    assignment = {
        member_id: topic_partitions(member.owned, topic_names) for member_id, member in sorted(members.items())
    }
    claimed = {partition for member in members.values() for partition in topic_partitions(member.claimed, topic_names)}
    owners = last_owners.present_member_ids(members)
    still_owned = {
        partition: member_id for partition, member_id in owners.items() if partition not in last_owners.released
    }
    subscriptions = _subscriptions(members, still_owned)
    assigned = {partition for partitions in assignment.values() for partition in partitions}
    known = assigned | claimed | owners.keys()
    partitions = _partition_counts(subscriptions, known) if subscriptions is not None else None
    all_assigned = all(member.owned is not None for member in members.values())
    # A damaged record may contain any number.
    has_valid_numbers = all(number >= 0 for _, number in known)
    has_one_owner_each = len(assigned) == sum(map(len, assignment.values()))
    return GenerationInputs(
        assignment,
        assigned,
        claimed,
        owners,
        subscriptions,
        partitions,
        is_valid=all_assigned and has_valid_numbers and has_one_owner_each,
        is_known=(
            subscriptions is not None
            and partitions is not None
            and has_valid_numbers
            and _are_all_known(partitions, subscriptions, assigned, all_assigned=all_assigned)
        ),
    )


def _subscriptions(
    members: Mapping[str, Member], owners: Mapping[TopicPartition, str]
) -> list[MemberSubscription] | None:
    """The inputs of an assignor in the order of member ids; null where a subscription is not known."""
    owned: dict[str, list[TopicPartition]] = {}
    for partition, member_id in owners.items():
        owned.setdefault(member_id, []).append(partition)
    subscriptions = []
    for member_id, member in sorted(members.items()):
        if member.subscribed_topics is None:
            return None
        topics = frozenset(member.subscribed_topics)
        subscriptions.append(MemberSubscription(member_id, member.instance_id, topics, tuple(owned.get(member_id, ()))))
    return subscriptions


def _partition_counts(subscriptions: Sequence[MemberSubscription], known: set[TopicPartition]) -> dict[str, int]:
    """The number of partitions of each subscribed topic, as far as the group's own records show it."""
    subscribed = {topic for member in subscriptions for topic in member.topics}
    counts: dict[str, int] = {}
    for topic, number in sorted(known):
        if topic in subscribed:
            counts[topic] = number + 1
    return counts


def _are_all_known(
    partitions: Mapping[str, int],
    subscriptions: Sequence[MemberSubscription],
    assigned: set[TopicPartition],
    *,
    all_assigned: bool,
) -> bool:
    """Whether the assignor had these inputs: not while a topic has no name, nor before any partition of it was
    assigned.

    If all members have an assignment, a topic without known partitions has none.
    """
    return {topic for topic, _ in assigned} <= partitions.keys() and (
        all_assigned or {topic for member in subscriptions for topic in member.topics} <= partitions.keys()
    )
