"""The generation before the one that is looked at."""

from dataclasses import dataclass

# (incarnation, generation)
Key = tuple[int, int]


@dataclass
class Before:
    """The generation before, whoever told of it."""

    incarnation: int
    generation: int
    members: list[str] | None
    member_count: int | None
    partitions_assigned: int | None
    by_broker: bool
