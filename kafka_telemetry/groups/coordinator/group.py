"""One group as its coordinator knows it, changed by one record after the other."""

from dataclasses import dataclass, field
from typing import Literal

from kafka_telemetry.groups.coordinator.classic_groups import update_classic_generation
from kafka_telemetry.groups.coordinator.epoch_groups import set_epoch_members, update_epoch
from kafka_telemetry.groups.coordinator.generation import Generation, new_generation
from kafka_telemetry.groups.coordinator.group_record import GroupRecord
from kafka_telemetry.groups.coordinator.last_owners import LastOwners
from kafka_telemetry.groups.coordinator.latest_records import LatestRecords

# What a record does: it begins a generation, updates what is known, or has a generation lower than is possible.
RecordEffect = Literal["begins_generation", "updates", "out_of_order"]

# Of a record without an offset or a time.
_UNKNOWN = -1
# Differs from every number of holes that a record can have.
UNKNOWN_HOLES = -1


@dataclass
class Group:
    group_id: str
    incarnation: int = 0
    # The highest generation of the incarnation, and the group type of its record.
    generation: int | None = None
    group_type: str | None = None
    # Of the last record that contained a generation or deleted the group, and the holes of the log before it.
    record_offset: int = _UNKNOWN
    holes: int = 0
    deleted_at: int | None = None
    current: Generation | None = None
    # Of the last generation with members before the current one.
    subscribed_topics: list[str] | None = None
    latest_records: LatestRecords = field(default_factory=LatestRecords)
    last_owners: LastOwners = field(default_factory=LastOwners)

    def apply(self, record: GroupRecord) -> tuple[RecordEffect, Generation | None]:
        """Returns the effect of the record and, unless it only updates, the generation that it contains."""
        if record.role != "generation":
            self.latest_records.apply(record)
            if self.current is not None and self.current.group_type != "classic":
                update_epoch(self.current, record, self.latest_records)
            return "updates", None
        if record.value is None:
            self._delete(record)
            return "updates", None
        number = record.value.get("generation", record.value.get("epoch"))
        return ("updates", None) if number is None else self._apply_generation(record, number)

    def _apply_generation(self, record: GroupRecord, number: int) -> tuple[RecordEffect, Generation | None]:
        has_hole_before = record.holes is None or record.holes != self.holes
        is_lower = self.generation is not None and number < self.generation
        is_new_incarnation = self._begins_incarnation(record, is_lower=is_lower, has_hole_before=has_hole_before)
        generation = new_generation(
            record,
            number,
            incarnation=self.incarnation + is_new_incarnation,
            previous=None if is_new_incarnation else self.generation,
            complete=None if self.incarnation == 0 or record.holes is None else not has_hole_before,
        )
        if is_lower and not is_new_incarnation:
            return "out_of_order", generation
        if is_new_incarnation and self.incarnation > 0:
            self.latest_records.drop_before(self.record_offset)
        known = self.current
        if is_new_incarnation or known is None or (known.generation, known.group_type) != (number, record.group_type):
            known = None
        generation = known or generation
        if record.group_type == "classic":
            update_classic_generation(generation, record)
        elif known is None:
            set_epoch_members(generation, self.latest_records)
        if known is None:
            if not is_new_incarnation and self.current is not None:
                generation.instances_before = _static_members(self.current)
            self.subscribed_topics = None if is_new_incarnation else self.subscription()
        self.incarnation += is_new_incarnation
        self.generation, self.group_type, self.current = number, record.group_type, generation
        self.deleted_at = None
        self._set_position(record)
        return ("begins_generation", generation) if known is None else ("updates", None)

    def _begins_incarnation(self, record: GroupRecord, *, is_lower: bool, has_hole_before: bool) -> bool:
        if self.incarnation == 0:
            return True
        if self.deleted_at is not None:
            # A group that becomes a KIP-848 group, or a classic one again, is converted in one append: no deletion.
            return is_lower or self.deleted_at != record.recorded_at or self.group_type == record.group_type
        return is_lower and has_hole_before

    def _delete(self, record: GroupRecord) -> None:
        """A tombstone of another type than the group's belongs to an older incarnation."""
        if self.current is not None and self.current.group_type != record.group_type:
            return
        self.deleted_at = record.recorded_at if record.recorded_at is not None else _UNKNOWN
        self.group_type = record.group_type
        self._set_position(record)
        self.subscribed_topics = self.subscription()
        self.current = None
        if record.group_type != "classic":
            self.latest_records = LatestRecords()

    def subscription(self) -> list[str] | None:
        """The topics of the last generation with members; null unless the topics of each member are known."""
        if self.current is None or not self.current.members:
            return self.subscribed_topics
        topics: set[str] = set()
        for member in self.current.members.values():
            if member.subscribed_topics is None:
                return None
            topics.update(member.subscribed_topics)
        return sorted(topics)

    def _set_position(self, record: GroupRecord) -> None:
        self.record_offset = _UNKNOWN if record.record_offset is None else record.record_offset
        self.holes = UNKNOWN_HOLES if record.holes is None else record.holes


def _static_members(generation: Generation) -> dict[str, str]:
    return {
        member.instance_id: member.member_id for member in generation.members.values() if member.instance_id is not None
    }
