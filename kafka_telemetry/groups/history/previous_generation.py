"""The generation before the one that is described."""

from dataclasses import dataclass

# (incarnation, generation)
GenerationKey = tuple[int, int]


@dataclass
class PreviousGeneration:
    incarnation: int
    generation: int
    members: list[str] | None
    member_count: int | None
    partitions_assigned: int | None
    in_broker_log: bool
