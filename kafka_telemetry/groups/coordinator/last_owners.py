"""Who had each partition last: what is moved is moved from there."""

from collections.abc import Mapping
from typing import NamedTuple

from kafka_telemetry.groups.assignors.assignor_inputs import TopicPartition
from kafka_telemetry.groups.coordinator.generation import Generation, Member, places


class Owner(NamedTuple):
    member_id: str
    client_id: str | None
    instance_id: str | None


class Owners:
    """The last owner that the generations before the one in force gave each partition; of one incarnation."""

    def __init__(self, incarnation: int = 0) -> None:
        self.incarnation = incarnation
        self.last: dict[TopicPartition, Owner] = {}

    def name(self, names: Mapping[str, str]) -> None:
        """A topic that was known by its id may have got a name since."""
        for topic, number in [place for place in self.last if place[0] in names]:
            self.last[names[topic], number] = self.last.pop((topic, number))

    def take(self, generation: Generation, names: Mapping[str, str]) -> None:
        """What a generation gives nobody stays with the owner before it."""
        for member in generation.members.values():
            owner = Owner(member.member_id, member.client_id, member.instance_id)
            self.last.update(dict.fromkeys(places(member.owned, names), owner))

    def moved_to(self, member: Member, names: Mapping[str, str]) -> list[tuple[TopicPartition, Owner]]:
        """What the member is given that another had last; what nobody had is not moved."""
        given = [(place, self.last.get(place)) for place in places(member.owned, names)]
        return [(place, owner) for place, owner in given if owner is not None and not _is(owner, member)]

    def by_present_ids(self, members: Mapping[str, Member]) -> dict[TopicPartition, str]:
        """A static member that came back as it is named now; members who are gone as they were."""
        of_instance: dict[str | None, str] = {
            one.instance_id: one.member_id for one in members.values() if one.instance_id
        }
        return {
            place: owner.member_id
            if owner.member_id in members
            else of_instance.get(owner.instance_id, owner.member_id)
            for place, owner in self.last.items()
        }


def _is(owner: Owner, member: Member) -> bool:
    """A static member that comes back has another id, and is the same."""
    return owner.member_id == member.member_id or (
        owner.instance_id is not None and owner.instance_id == member.instance_id
    )
