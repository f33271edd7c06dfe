"""What a new version of Lagoon makes stale in a lake, and how long it took to build it: said before it is built again."""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from spark_jobs.bronze.sources import BRONZE_SOURCES
from spark_jobs.gold.models_fingerprint import models_fingerprint
from spark_jobs.lake import ledger
from spark_jobs.lake.kept_days import UPKEEP, closed_to_silver, days_closed_to_gold, kept_days
from spark_jobs.lake.ledger import Entry
from spark_jobs.lake.tables import Lake
from spark_jobs.landing import LandedFile
from spark_jobs.progress import counted
from spark_jobs.silver.inputs.bronze_kinds import LAG_KINDS
from spark_jobs.silver.pipeline.build_version import BUILD_VERSION
from spark_jobs.silver.pipeline.plan import DAY_ENTRY


@dataclass(frozen=True)
class StaleByVersion:
    """The newest entries of what is built again."""

    deliveries: tuple[Entry, ...]
    silver: tuple[Entry, ...]
    gold: tuple[Entry, ...]
    # Deliveries that landing no longer has: they stay as they were read.
    out_of_reach: int

    def __bool__(self) -> bool:
        return bool(self.deliveries or self.silver or self.gold)

    def sentence(self) -> str:
        parts = [
            f"{counted(len(self.deliveries), 'delivery')} of bronze" if self.deliveries else "",
            f"{counted(len(self.silver), 'day')} of silver" if self.silver else "",
            f"{counted(len(self.gold), 'day')} of gold" if self.gold else "",
        ]
        stays = (
            f" {counted(self.out_of_reach, 'delivery')} of bronze that landing no longer has stay as they were read."
        )
        return (
            f"Built by another version of Lagoon, and built again: {', '.join(filter(None, parts))}. "
            f"Building them took {in_words(self.seconds())}; expect about that.{stays if self.out_of_reach else ''}"
        )

    def seconds(self) -> float:
        return sum(map(seconds_of, (self.deliveries, self.silver, self.gold)))


def stale_by_version(lake: Lake, landed: Sequence[LandedFile]) -> StaleByVersion:
    """Of the slices that can be built again those that another version built, and those that follow from them."""
    newest = ledger.newest_by_layer(lake, ("bronze", "silver", "gold", UPKEEP))
    bronze, silver, gold = newest["bronze"], newest["silver"], newest["gold"]
    kept = kept_days(newest[UPKEEP].values())
    versions = {source.table: source.reader_version for source in BRONZE_SOURCES.values()}
    other = {
        place: entry
        for place, entry in bronze.items()
        if place[1] >= kept.since("bronze") and entry.build_version != versions[place[2]]
    }
    in_landing = {(file.cluster, file.delivered_on, BRONZE_SOURCES[file.source].table) for file in landed}
    deliveries = [entry for place, entry in other.items() if place in in_landing]
    read_again = {(entry.cluster, rows.day) for entry in deliveries for rows in entry.event_rows}
    closed = closed_to_silver(kept, bronze, LAG_KINDS)
    days = {
        (cluster, day): entry
        for (cluster, day, table), entry in silver.items()
        if table == DAY_ENTRY and (cluster, day) not in closed
    }
    stale = {pair for pair, entry in days.items() if entry.build_version != BUILD_VERSION or pair in read_again}
    of_gold = {(entry.cluster, entry.day): entry for entry in gold.values()}
    closed_days = days_closed_to_gold(kept, closed, of_gold)
    models = models_fingerprint()
    open_gold = [entry for pair, entry in of_gold.items() if pair[1] not in closed_days]
    all_gold = any(entry.result != models for entry in open_gold)
    return StaleByVersion(
        tuple(deliveries),
        tuple(entry for pair, entry in days.items() if pair in stale),
        tuple(entry for entry in open_gold if all_gold or (entry.cluster, entry.day) in stale),
        len(other) - len(deliveries),
    )


def seconds_of(entries: Iterable[Entry]) -> float:
    """How long it took to write the entries. Those that were written side by side count once."""
    total, until = 0.0, dt.datetime.min.replace(tzinfo=dt.UTC)
    for entry in sorted(entries, key=lambda entry: entry.started_at):
        total += max(0.0, (entry.ended_at - max(entry.started_at, until)).total_seconds())
        until = max(until, entry.ended_at)
    return total


def in_words(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{max(1, round(seconds))} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
