"""The inputs of an assignor: the subscription of each member, and the number of partitions of each topic."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

TopicPartition = tuple[str, int]
# By member id.
Assignment = dict[str, list[TopicPartition]]


class MemberSubscription(NamedTuple):
    member_id: str
    instance_id: str | None
    topics: Collection[str]
    # The partitions that it owned before, and the generation that assigned them to it; -1: not known.
    owned: Collection[TopicPartition] = ()
    generation: int = -1


def java_sort_key(text: str) -> bytes:
    """Sorts as Java sorts strings: by UTF-16 code units."""
    return text.encode("utf-16-be", "surrogatepass")


def sorted_members(members: Iterable[MemberSubscription]) -> list[MemberSubscription]:
    """Static members by instance id, then the others by member id."""
    return sorted(members, key=_member_sort_key)


def _member_sort_key(member: MemberSubscription) -> tuple[bool, bytes]:
    if member.instance_id is None:
        return True, java_sort_key(member.member_id)
    return False, java_sort_key(member.instance_id)


def subscribers_by_topic(
    members: Collection[MemberSubscription], partitions: Mapping[str, int]
) -> dict[str, list[int]]:
    """For each topic with partitions the positions of its subscribers in `members`. Topics are in Java's order."""
    subscribers: dict[str, list[int]] = {}
    for position, member in enumerate(members):
        for topic in set(member.topics):
            if partitions.get(topic, 0) > 0:
                subscribers.setdefault(topic, []).append(position)
    return {topic: subscribers[topic] for topic in sorted(subscribers, key=java_sort_key)}


def undisputed_owners(members: Iterable[MemberSubscription]) -> dict[TopicPartition, str]:
    """The previous owner of each partition. A partition that two members claim has none, as in Kafka's assignors."""
    owners: dict[TopicPartition, str] = {}
    disputed = set()
    for member in members:
        for partition in member.owned:
            if owners.setdefault(partition, member.member_id) != member.member_id:
                disputed.add(partition)
    for partition in disputed:
        del owners[partition]
    return owners
