"""A generation as the logs of brokers and clients report it."""

from dataclasses import dataclass, field

from kafka_telemetry.groups.history.log_event import Cause


@dataclass
class LoggedGeneration:
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
    # Whether it is an epoch of a KIP-848, share or streams group.
    by_epoch: bool = False
    group_type: str | None = None
    # broker, client: whose logs report it.
    sides: list[str] = field(default_factory=list)
    # The first line of a client about it, and the last one by which a member synced.
    first_client_line_at: int | None = None
    last_synced_at: int | None = None
    # From the log of the group's leader: the members that it assigned partitions to, and how many.
    members: list[str] | None = None
    partitions: int | None = None

    # What may have caused it: rebalance_reason decides. From the broker log the first line "Preparing to rebalance",
    # whether it names members, a line about a member just before, and whether the topics changed.
    preparation: Cause | None = None
    preparation_names_members: bool = False
    membership_change: Cause | None = None
    topics_changed: bool = False
    # From the logs of clients the first line after the generation before.
    client_cause: Cause | None = None

    @property
    def in_broker_log(self) -> bool:
        return "broker" in self.sides
