"""A generation as the logs of brokers and clients report it."""

from dataclasses import dataclass, field

from kafka_telemetry.groups.history.observations import Cause


@dataclass
class Logged:
    """One generation as logs tell it."""

    generation: int
    started_at: int | None = None
    stabilized_at: int | None = None
    completed_at: int | None = None
    member_count: int | None = None
    members_before: int | None = None
    joined: int | None = None
    left: int | None = None
    evicted: int | None = None
    assignor: str | None = None
    by_epoch: bool = False
    group_type: str | None = None
    sides: list[str] = field(default_factory=list)
    # First time that a client told of it, and the last.
    told_at: int | None = None
    synced_at: int | None = None
    # As the leader's own log has it: the members that it assigned, and how many partitions.
    members: list[str] | None = None
    partitions: int | None = None
    # What may have caused it; rebalance_reason weighs these against each other. In the broker log the first line "Preparing
    # to rebalance" and whether it names any members, a member's line just before, and whether the topics changed.
    preparation: Cause | None = None
    preparation_names_members: bool = False
    membership_change: Cause | None = None
    topics_changed: bool = False
    # In the logs of clients the first line since the last generation.
    client_cause: Cause | None = None
