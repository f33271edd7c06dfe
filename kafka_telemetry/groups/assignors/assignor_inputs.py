"""What an assignor is told of a group."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

TopicPartition = tuple[str, int]
Assignment = dict[str, list[TopicPartition]]


class Member(NamedTuple):
    member_id: str
    instance_id: str | None
    topics: Collection[str]
    # What an earlier generation gave to it last: never a partition that another member had since.
    owned: Collection[TopicPartition] = ()


def java_order(text: str) -> bytes:
    """Sorts as Java sorts strings: by UTF-16 code units."""
    return text.encode("utf-16-be", "surrogatepass")


def in_member_order(members: Iterable[Member]) -> list[Member]:
    """Static members by instance id, then the others by member id."""
    return sorted(members, key=_rank)


def _rank(member: Member) -> tuple[bool, bytes]:
    if member.instance_id is None:
        return True, java_order(member.member_id)
    return False, java_order(member.instance_id)


def subscribers(members: Collection[Member], partitions: Mapping[str, int]) -> dict[str, list[int]]:
    """Which members want a topic, by their places in `members`. Topics in Java's order; those without partitions are left out."""
    wanted: dict[str, list[int]] = {}
    for place, member in enumerate(members):
        for topic in set(member.topics):
            if partitions.get(topic, 0) > 0:
                wanted.setdefault(topic, []).append(place)
    return {topic: wanted[topic] for topic in sorted(wanted, key=java_order)}


def last_owners(members: Iterable[Member]) -> dict[TopicPartition, str]:
    """Who had a partition last. What two members claim belongs to neither, as Kafka's assignors take it."""
    owners: dict[TopicPartition, str] = {}
    disputed = set()
    for member in members:
        for partition in member.owned:
            if owners.setdefault(partition, member.member_id) != member.member_id:
                disputed.add(partition)
    for partition in disputed:
        del owners[partition]
    return owners
