"""The sticky assignors' algorithm for members with different subscriptions: GeneralAssignmentBuilder, without racks.

Members keep what they own, other partitions go to the least loaded subscribers, and then single partitions move from
more to less loaded members until no move improves the balance.
"""

from collections.abc import Iterable, Mapping

from kafka_telemetry.groups.assignors.assignor_inputs import (
    Assignment,
    MemberSubscription,
    TopicPartition,
    java_sort_key,
)
from kafka_telemetry.groups.assignors.group_loads import GroupLoads
from kafka_telemetry.groups.assignors.partition_movements import PartitionMovements
from kafka_telemetry.groups.assignors.sticky_claims import StickyClaims


def general_assignment(claims: StickyClaims, partitions: Mapping[str, int]) -> Assignment:
    loads = GroupLoads(sorted(claims.members.values(), key=lambda member: java_sort_key(member.member_id)), partitions)
    topics = sorted(partitions, key=lambda topic: (len(loads.subscribers[topic]), java_sort_key(topic)))
    all_partitions = [(topic, number) for topic in topics for number in range(partitions[topic])]
    loses_subscription = False
    for member_id, owned in claims.owned.items():
        subscribed = [partition for partition in owned if partition[0] in claims.members[member_id].topics]
        loses_subscription |= len(subscribed) < len(owned)
        for partition in subscribed:
            loads.assign(partition, member_id)
    unassigned = [partition for partition in all_partitions if partition not in loads.owner_of]
    is_first_assignment = not loads.owner_of
    for partition in unassigned:
        if loads.subscribers[partition[0]]:
            loads.assign(partition, loads.least_loaded_subscriber(partition[0]))

    before = dict(loads.owner_of)
    score_before = loads.imbalance()
    mover = _Mover(loads, _owners_before(claims.members.values()))
    # Partitions that nobody owned are moved first, unless a member has to give up some anyway.
    if not loses_subscription:
        mover.balance(_movable(unassigned, loads))
    has_moved = mover.balance(_movable(all_partitions, loads))
    owner_of = loads.owner_of
    if not is_first_assignment and has_moved and loads.imbalance() >= score_before:
        owner_of = before
    assignment: Assignment = {member_id: [] for member_id in claims.members}
    for partition, member_id in owner_of.items():
        assignment[member_id].append(partition)
    return assignment


def _movable(partitions: Iterable[TopicPartition], loads: GroupLoads) -> list[TopicPartition]:
    return [partition for partition in partitions if len(loads.subscribers[partition[0]]) > 1]


def _owners_before(members: Iterable[MemberSubscription]) -> dict[TopicPartition, str]:
    """The last owner by claims of generations before the highest one."""
    members = list(members)
    highest = max((member.generation for member in members), default=0)
    claimed: dict[TopicPartition, MemberSubscription] = {}
    for member in members:
        if member.generation < highest:
            for partition in member.owned:
                known = claimed.setdefault(partition, member)
                if member.generation > known.generation:
                    claimed[partition] = member
    return {partition: member.member_id for partition, member in claimed.items()}


class _Mover:
    def __init__(self, loads: GroupLoads, owners_before: Mapping[TopicPartition, str]) -> None:
        self._loads = loads
        self._owners_before = owners_before
        self._movements = PartitionMovements()

    def balance(self, partitions: list[TopicPartition]) -> bool:
        """Moves partitions until none can improve the balance; returns whether any was moved."""
        has_moved = False
        moves = -1
        while moves:
            moves = sum(self._move_if_better(partition) for partition in partitions)
            has_moved |= moves > 0
        return has_moved

    def _move_if_better(self, partition: TopicPartition) -> bool:
        loads = self._loads
        if loads.are_balanced():
            return False
        load = loads.load_of[loads.owner_of[partition]]
        owner_before = self._owners_before.get(partition)
        if owner_before is not None and load > loads.load_of[owner_before] + 1:
            self._move(partition, owner_before)
            return True
        least_loaded = loads.least_loaded_subscriber(partition[0])
        if load > loads.load_of[least_loaded] + 1:
            self._move(partition, least_loaded)
            return True
        return False

    def _move(self, partition: TopicPartition, destination: str) -> None:
        """The partition of the topic that really moves may be another one."""
        owner = self._loads.owner_of[partition]
        moved = self._movements.partition_to_move(partition, owner, destination)
        self._movements.add(moved, self._loads.owner_of[moved], destination)
        self._loads.assign(moved, destination)
