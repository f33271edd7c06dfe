"""A row of silver.group_owners: what a group record changes of who owns which partitions."""

from typing import NamedTuple

from kafka_telemetry.groups.assignors.assignor_inputs import TopicPartition


class OwnerChange(NamedTuple):
    """Times are microseconds since 1970."""

    at: int
    # Place in the log; 0: unknown.
    record_offset: int
    incarnation: int
    # Null: the group was deleted.
    generation: int | None
    group_type: str | None
    # (member id, client id) by partition; null: it has no owner any more.
    owners: dict[TopicPartition, tuple[str, str | None] | None]
