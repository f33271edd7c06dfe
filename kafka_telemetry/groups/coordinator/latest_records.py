"""The latest record of every key of a KIP-848, share or streams group."""

from dataclasses import dataclass, field

from kafka_telemetry.groups.coordinator.group_record import GroupRecord, JsonObject


@dataclass
class RecordValue:
    record_offset: int | None
    value: JsonObject


@dataclass
class LatestRecords:
    # By member id.
    members: dict[str, RecordValue] = field(default_factory=dict)
    target_assignments: dict[str, RecordValue] = field(default_factory=dict)
    current_assignments: dict[str, RecordValue] = field(default_factory=dict)
    # By expression.
    regular_expressions: dict[str, RecordValue] = field(default_factory=dict)
    # Topic id -> name.
    topic_names: dict[str, str] = field(default_factory=dict)
    # The epoch that the target assignments belong to.
    target_epoch: int | None = None

    def apply(self, record: GroupRecord) -> None:
        value = record.value
        if record.role == "target_epoch":
            self.target_epoch = value.get("assignmentEpoch") if value is not None else None
            return
        if record.role == "topic_names":
            self.topic_names |= _topic_names(value or {})
            return
        by_role = {
            "member": self.members,
            "target_assignment": self.target_assignments,
            "current_assignment": self.current_assignments,
            "regular_expression": self.regular_expressions,
        }
        values = by_role.get(record.role)
        key = record.regular_expression if record.role == "regular_expression" else record.member_id
        if values is None or key is None:
            return
        if value is None:
            values.pop(key, None)
        else:
            values[key] = RecordValue(record.record_offset, value)

    def drop_before(self, record_offset: int) -> None:
        """Drops records of an earlier incarnation, whose tombstones were cleaned away."""
        for values in (self.members, self.target_assignments, self.current_assignments, self.regular_expressions):
            for key in [key for key, record in values.items() if (record.record_offset or 0) < record_offset]:
                del values[key]


def _topic_names(value: JsonObject) -> dict[str, str]:
    lists = ("topics", "initializingTopics", "initializedTopics", "deletingTopics")
    return {topic["topicId"]: topic["topicName"] for name in lists for topic in value.get(name) or ()}
