"""The loads of a group's members while partitions are assigned and moved, and whether they are balanced."""

from collections.abc import Mapping, Sequence

from kafka_telemetry.groups.assignors.assignor_inputs import MemberSubscription, TopicPartition


class GroupLoads:
    """`members` are sorted: of equally loaded members the first is the least loaded."""

    def __init__(self, members: Sequence[MemberSubscription], partitions: Mapping[str, int]) -> None:
        self.owner_of: dict[TopicPartition, str] = {}
        self.load_of = {member.member_id: 0 for member in members}
        self.subscribers: dict[str, list[str]] = {topic: [] for topic in partitions}
        self._topics_of: dict[str, list[str]] = {}
        for member in members:
            topics = self._topics_of[member.member_id] = [topic for topic in set(member.topics) if topic in partitions]
            for topic in topics:
                self.subscribers[topic].append(member.member_id)
        # By topic how many partitions each member has.
        self._counts: dict[str, dict[str, int]] = {topic: {} for topic in partitions}
        self._unchecked = set(partitions)
        self._unbalanced: set[str] = set()

    def assign(self, partition: TopicPartition, member_id: str) -> None:
        owner = self.owner_of.get(partition)
        if owner is not None:
            self._change(partition[0], owner, -1)
        self._change(partition[0], member_id, 1)
        self.owner_of[partition] = member_id

    def _change(self, topic: str, member_id: str, by: int) -> None:
        self.load_of[member_id] += by
        counts = self._counts[topic]
        counts[member_id] = counts.get(member_id, 0) + by
        if not counts[member_id]:
            del counts[member_id]
        self._unchecked.update(self._topics_of[member_id], (topic,))

    def least_loaded_subscriber(self, topic: str) -> str:
        return min(self.subscribers[topic], key=self.load_of.__getitem__)

    def are_balanced(self) -> bool:
        """Whether no topic has an owner and a subscriber whose loads differ by more than one."""
        for topic in self._unchecked:
            owners = self._counts[topic]
            most = max((self.load_of[member_id] for member_id in owners), default=0)
            if owners and most > self.load_of[self.least_loaded_subscriber(topic)] + 1:
                self._unbalanced.add(topic)
            else:
                self._unbalanced.discard(topic)
        self._unchecked.clear()
        return not self._unbalanced

    def imbalance(self) -> int:
        """The sum of the differences between the loads of each pair of members, without those that share no topic."""
        loads = sorted(
            load
            for member_id, load in self.load_of.items()
            if any(len(self.subscribers[topic]) > 1 for topic in self._topics_of[member_id])
        )
        return sum((2 * rank - len(loads) + 1) * load for rank, load in enumerate(loads))
