"""Which partitions a general assignment has moved, and between which members: PartitionMovements.

A partition is not moved from one member to a second while another of the topic moves from the second to the first: that
other one moves back instead.
"""

from functools import partial
from typing import NamedTuple

from kafka_telemetry.groups.assignors.assignor_inputs import TopicPartition
from kafka_telemetry.groups.assignors.java_hash_map import JavaHashSet, partition_hash, string_hash


class Movement(NamedTuple):
    topic: str
    source: str
    destination: str


class PartitionMovements:
    def __init__(self) -> None:
        self._movement_of: dict[TopicPartition, Movement] = {}
        self._moved: dict[Movement, JavaHashSet[TopicPartition]] = {}

    def partition_to_move(self, partition: TopicPartition, owner: str, destination: str) -> TopicPartition:
        """The partition itself, or one of the topic that has to move back."""
        movement = self._movement_of.get(partition)
        source = movement.source if movement is not None else owner
        reverse = self._moved.get(Movement(partition[0], destination, source))
        return next(iter(reverse)) if reverse else partition

    def add(self, partition: TopicPartition, source: str, destination: str) -> None:
        before = self._movement_of.pop(partition, None)
        if before is not None:
            self._moved[before].remove(partition)
            if not self._moved[before]:
                del self._moved[before]
            if before.source == destination:
                return
            source = before.source
        topic = partition[0]
        movement = self._movement_of[partition] = Movement(topic, source, destination)
        if movement not in self._moved:
            self._moved[movement] = JavaHashSet(partial(partition_hash, string_hash(topic)))
        self._moved[movement].add(partition)
