"""From which day on each layer is kept. `lagoon upkeep` records it in the ledger before it deletes days, and whatever would be
built from deleted days is left as it is: docs/decisions/0037-keeping-and-forgetting.md.
"""

import datetime as dt
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field

from spark_jobs.lake import ledger
from spark_jobs.lake.ledger import ClusterDay, Entry, Ledger
from spark_jobs.lake.tables import Lake

# The layer under which the ledger has the first day of each layer that is kept.
UPKEEP = "upkeep"
# Gold compares a day with so many days before it (look_back_days() in dbt_project/macros/days.sql).
LOOK_BACK_DAYS = 28


@dataclass(frozen=True)
class KeptDays:
    """The first day of each layer that is kept; layers of which everything is kept are left out."""

    first: Mapping[str, dt.date] = field(default_factory=dict)

    def since(self, layer: str) -> dt.date:
        return self.first.get(layer, dt.date.min)


@dataclass(frozen=True)
class ClosedDays:
    """Event days that are never built again: what they were built from is deleted, or they are themselves."""

    before: dt.date = dt.date.min
    pairs: Set[ClusterDay] = frozenset()

    def __contains__(self, pair: ClusterDay) -> bool:
        return pair[1] < self.before or pair in self.pairs


def kept_days(entries: Iterable[Entry]) -> KeptDays:
    """`entries` are those of the layer UPKEEP. A day once given up does not come back when a setting is raised."""
    first: dict[str, dt.date] = {}
    for entry in entries:
        first[entry.table_name] = max(entry.day, first.get(entry.table_name, dt.date.min))
    return KeptDays(first)


def read_kept_days(lake: Lake) -> KeptDays:
    return kept_days(ledger.newest(lake, UPKEEP).values())


def closed_to_silver(kept: KeptDays, bronze: Ledger, kinds_of_day_before: Iterable[str]) -> ClosedDays:
    """The event days that a deleted delivery had rows of. `kinds_of_day_before` are rows that the next day reads too."""
    read_next_day, since, pairs = set(kinds_of_day_before), kept.since("bronze"), set()
    for (cluster, delivered_on, _), entry in bronze.items():
        for rows in entry.event_rows if delivered_on < since else ():
            pairs.add((cluster, rows.day))
            if rows.kind in read_next_day:
                pairs.add((cluster, rows.day + dt.timedelta(1)))
    return ClosedDays(kept.since("silver"), pairs)


def days_closed_to_gold(
    kept: KeptDays, closed_to_silver: ClosedDays, pairs: Iterable[ClusterDay]
) -> frozenset[dt.date]:
    """Of these days those that are not built again for any cluster: gold replaces a day of all clusters together."""
    looks_back = dt.timedelta(LOOK_BACK_DAYS)
    since = max(kept.first[layer] + looks_back if layer in kept.first else dt.date.min for layer in ("silver", "gold"))
    since = max(since, kept.since("bronze"))
    return frozenset(pair[1] for pair in pairs if pair[1] < since or pair in closed_to_silver)
