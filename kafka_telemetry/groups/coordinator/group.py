"""One group: which generation of which incarnation is in force, and what every further record changes."""

from dataclasses import dataclass, field
from typing import Literal

from kafka_telemetry.groups.coordinator import classic_groups, epoch_groups
from kafka_telemetry.groups.coordinator.epoch_groups import Heap
from kafka_telemetry.groups.coordinator.generation import Generation, told_by
from kafka_telemetry.groups.coordinator.group_record import GroupRecord
from kafka_telemetry.groups.coordinator.last_owners import Owners

# What a record is: the first of a generation, one more word on what is known, or a number that can't be.
Meaning = Literal["first", "more", "broken"]

_NEVER = -1
# Other than any number of holes that a record can have.
UNKNOWN_HOLES = -1


@dataclass
class Group:
    group_id: str
    incarnation: int = 0
    # The highest of the incarnation, and the type of group that told it.
    generation: int | None = None
    group_type: str | None = None
    # Of the last record that told a generation or ended the group, and the holes of the log before it.
    record_offset: int = _NEVER
    holes: int = 0
    deleted_at: int | None = None
    in_force: Generation | None = None
    # Of the last generation with members before the one in force.
    subscribed_topics: list[str] | None = None
    heap: Heap = field(default_factory=Heap)
    # Before the generation in force.
    owners: Owners = field(default_factory=Owners)

    def take(self, record: GroupRecord) -> tuple[Meaning, Generation | None]:
        """Follows one record. Returns what it is and, if it is the first of a generation or broken, that generation."""
        if record.role != "generation":
            self.heap.take(record)
            if self.in_force is not None and self.in_force.group_type != "classic":
                epoch_groups.follow(self.in_force, record, self.heap)
            return "more", None
        if record.value is None:
            self._end(record)
            return "more", None
        number = record.value.get("generation", record.value.get("epoch"))
        return ("more", None) if number is None else self._tell(record, number)

    def _tell(self, record: GroupRecord, number: int) -> tuple[Meaning, Generation | None]:
        hole = record.holes is None or record.holes != self.holes
        falls = self.generation is not None and number < self.generation
        if self.incarnation == 0:
            anew = True
        elif self.deleted_at is not None:
            # Becoming a KIP-848 group, or a classic one again, is one append: no deletion.
            anew = falls or self.deleted_at != record.recorded_at or self.group_type == record.group_type
        else:
            anew = falls and hole
        complete = None if self.incarnation == 0 or record.holes is None else not hole
        previous = None if anew else self.generation
        told = told_by(
            record, number, incarnation=self.incarnation + anew, protocol_type=record.group_type,
            previous=previous, complete=complete,
        )  # fmt: skip
        if falls and not anew:
            return "broken", told
        if anew and self.incarnation > 0:
            self.heap.forget_before(self.record_offset)
        known = self.in_force
        if anew or known is None or (known.generation, known.group_type) != (number, record.group_type):
            known = None
        generation = known or told
        if record.group_type == "classic":
            classic_groups.describe(generation, record)
        elif known is None:
            epoch_groups.describe(generation, self.heap)
        if known is None:
            self.subscribed_topics = None if anew else self.subscription()
        self.incarnation += anew
        self.generation, self.group_type, self.in_force = number, record.group_type, generation
        self.deleted_at = None
        self._stand_at(record)
        return ("first", generation) if known is None else ("more", None)

    def _end(self, record: GroupRecord) -> None:
        """A tombstone of another type than the group's is what an older incarnation of it left."""
        if self.in_force is not None and self.in_force.group_type != record.group_type:
            return
        self.deleted_at = record.recorded_at if record.recorded_at is not None else _NEVER
        self.group_type = record.group_type
        self._stand_at(record)
        self.subscribed_topics = self.subscription()
        self.in_force = None
        if record.group_type != "classic":
            self.heap = Heap()

    def subscription(self) -> list[str] | None:
        """What the last generation with members subscribes to; null unless each of them tells."""
        if self.in_force is None or not self.in_force.members:
            return self.subscribed_topics
        told = [member.subscribed_topics for member in self.in_force.members.values()]
        return None if None in told else sorted({topic for topics in told for topic in topics or ()})

    def _stand_at(self, record: GroupRecord) -> None:
        self.record_offset = _NEVER if record.record_offset is None else record.record_offset
        self.holes = UNKNOWN_HOLES if record.holes is None else record.holes
