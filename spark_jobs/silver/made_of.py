"""What each table of silver is made of: kinds of bronze rows, and states that the days start from."""

from collections.abc import Mapping
from typing import NamedTuple

from spark_jobs.silver.days import LAG_KINDS, LOG_KINDS, STATE

# What a day leaves to the next.
STATES = (STATE, "silver.groups", "silver.stories")


class Sources(NamedTuple):
    kinds: tuple[str, ...]
    states: tuple[str, ...] = ()


_COMMITS = ("commit", "unplaced_commit")
_GROUPS = ("group", "unplaced_group")

MADE_OF: Mapping[str, Sources] = {
    "silver.offset_commits": Sources(_COMMITS),
    "silver.group_generations": Sources(_GROUPS),
    "silver.group_members": Sources(_GROUPS),
    "silver.group_events": Sources(("event",)),
    "silver.client_configs": Sources(("config",)),
    "silver.lag_samples": Sources(("group_offset",)),
    "silver.log_offsets": Sources(tuple(LAG_KINDS)),
    "silver.log_holes": Sources(LOG_KINDS),
    "silver.unfinished": Sources(_COMMITS),
    "silver.rebalances": Sources(("event", *_GROUPS), ("silver.stories",)),
    "silver.member_sessions": Sources(("event", *_GROUPS), ("silver.stories",)),
    "silver.group_owners": Sources(("event", *_GROUPS), ("silver.groups", "silver.stories")),
    "silver.positions": Sources(_COMMITS, ("silver.positions",)),
    "silver.groups": Sources(_GROUPS, ("silver.groups",)),
    "silver.stories": Sources(("event", *_GROUPS), ("silver.stories",)),
}
