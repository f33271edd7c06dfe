"""What each table of silver is made of: kinds of bronze rows, and states that the days start from."""

from collections.abc import Mapping
from typing import NamedTuple

from spark_jobs.silver.pipeline.plan import LAG_KINDS, LOG_KINDS, STATE

# What a day leaves to the next.
STATES = (STATE, "silver.groups", "silver.stories")


class MadeOf(NamedTuple):
    kinds: tuple[str, ...]
    states: tuple[str, ...] = ()


_COMMITS = ("commit", "unplaced_commit")
_GROUPS = ("group", "unplaced_group")

MADE_OF: Mapping[str, MadeOf] = {
    "silver.offset_commits": MadeOf(_COMMITS),
    "silver.group_generations": MadeOf(_GROUPS),
    "silver.group_members": MadeOf(_GROUPS),
    "silver.group_events": MadeOf(("event",)),
    "silver.client_configs": MadeOf(("config",)),
    "silver.lag_samples": MadeOf(("group_offset",)),
    "silver.log_offsets": MadeOf(tuple(LAG_KINDS)),
    "silver.log_holes": MadeOf(LOG_KINDS),
    "silver.unfinished": MadeOf(_COMMITS),
    "silver.rebalances": MadeOf(("event", *_GROUPS), ("silver.stories",)),
    "silver.member_sessions": MadeOf(("event", *_GROUPS), ("silver.stories",)),
    "silver.group_owners": MadeOf(("event", *_GROUPS), ("silver.groups", "silver.stories")),
    "silver.positions": MadeOf(_COMMITS, ("silver.positions",)),
    "silver.groups": MadeOf(_GROUPS, ("silver.groups",)),
    "silver.stories": MadeOf(("event", *_GROUPS), ("silver.stories",)),
}
