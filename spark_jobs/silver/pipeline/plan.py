"""Which event days are stale: built from other inputs than there are now, with other settings or by another version."""

import datetime as dt
from collections.abc import Iterable, Mapping, Set

from spark_jobs.errors import UserError
from spark_jobs.lake.kept_days import ClosedDays
from spark_jobs.lake.ledger import ClusterDay, Entry, Ledger, fingerprint
from spark_jobs.settings import Settings
from spark_jobs.settings_file import SILVER
from spark_jobs.settings_fingerprint import settings_fingerprint
from spark_jobs.silver.inputs.bronze_contents import BronzeContents
from spark_jobs.silver.inputs.slices import Slices
from spark_jobs.silver.pipeline.build_version import BUILD_VERSION

# The table name under which the ledger keeps that a whole day of silver was built.
DAY_ENTRY = "silver.positions"

# The table name under which the ledger keeps that a run began to write a day. It is unfinished if no newer entry says that
# the day was built: that run ended in between, and the tables may have rows of it.
STARTED_ENTRY = "started"

NO_CLOSED_DAYS = ClosedDays()

# How many days are built at once: enough to make catching up cheap, few enough to bound what is in memory.
_DAYS_AT_ONCE = 7


def inputs_fingerprint(contents: BronzeContents, cluster: str, day: dt.date, start: int | None) -> int:
    """A fingerprint of all that a day is built from; `start` is that of the end-of-day states that it starts from."""
    return fingerprint([*map(tuple, contents.inputs_of(cluster, day)), start])


def settings_of(settings: Settings, clusters: Iterable[str]) -> dict[str, int | None]:
    """A fingerprint of the settings that the days of each cluster depend on."""
    return {cluster: settings_fingerprint(settings, [SILVER], [cluster]) for cluster in clusters}


def is_fresh(entry: Entry, contents: BronzeContents, start: int | None, settings: int | None) -> bool:
    built_from = inputs_fingerprint(contents, entry.cluster, entry.day, start)
    return (entry.inputs, entry.build_version, entry.settings) == (built_from, BUILD_VERSION, settings)


def day_before(silver: Ledger, cluster: str, day: dt.date) -> dt.date | None:
    """The last day before this one that left an end-of-day state."""
    return max((d for c, d, table in silver if c == cluster and table == DAY_ENTRY and d < day), default=None)


def is_unfinished(silver: Ledger, cluster: str, day: dt.date) -> bool:
    started, built = silver.get((cluster, day, STARTED_ENTRY)), silver.get((cluster, day, DAY_ENTRY))
    return started is not None and (built is None or built.ended_at < started.ended_at)


def is_out_of_date_for_ever(entry: Entry, closed: ClosedDays) -> bool:
    """Whether another version of Lagoon left an end-of-day state that can't be built again. The next day starts from nothing,
    as the first day of a lake does."""
    return (entry.cluster, entry.day) in closed and entry.build_version != BUILD_VERSION


def start_days(silver: Ledger, slices: Slices, closed: ClosedDays = NO_CLOSED_DAYS) -> dict[str, dt.date]:
    """The days whose end-of-day states the days of each cluster start from; clusters that start from nothing are left out."""
    starts = {cluster: day_before(silver, cluster, days[0]) for cluster, days in slices.days.items()}
    known = {
        cluster: day
        for cluster, day in starts.items()
        if day is not None and not is_out_of_date_for_ever(silver[cluster, day, DAY_ENTRY], closed)
    }
    for cluster, day in known.items():
        if silver[cluster, day, DAY_ENTRY].build_version != BUILD_VERSION:
            raise UserError(
                f"the end-of-day state of {day} for {cluster} was written by another version of Lagoon, and the day can't be "
                "rebuilt while a delivery with rows for it is halted",
                "Deliver it again, corrected, or accept it as it is: docs/operations.md, Halted deliveries",
            )
    return known


def next_to_build(
    contents: BronzeContents,
    silver: Ledger,
    forced: Set[ClusterDay],
    frozen: Set[ClusterDay],
    settings: Mapping[str, int | None],
    closed: ClosedDays = NO_CLOSED_DAYS,
) -> Slices:
    """The first stale days of each cluster, as many in a row as are built at once; empty when nothing is stale.

    `forced` are days to build whatever their fingerprints say: a new delivery finishes them, or a user asked for them.
    `frozen` are days that are not touched once they are built, and `closed` days never. `settings` are the fingerprints of the settings of each cluster.
    """
    found: dict[str, list[dt.date]] = {}
    known = {(cluster, day) for cluster, day, table in silver if table in (DAY_ENTRY, STARTED_ENTRY)}
    for cluster in sorted({*contents.clusters(), *(cluster for cluster, _ in known)}):
        block: list[dt.date] = []
        # The state that the day before left until now. If rebuilding changes it, the next day is found stale then.
        start: int | None = None
        for day in sorted({*contents.days(cluster), *(day for of_cluster, day in known if of_cluster == cluster)}):
            entry = silver.get((cluster, day, DAY_ENTRY))
            fresh = (
                entry is not None
                and is_fresh(entry, contents, start, settings.get(cluster))
                and not is_unfinished(silver, cluster, day)
            )
            is_frozen = (entry is not None and (cluster, day) in frozen) or (cluster, day) in closed
            if (not fresh or (cluster, day) in forced) and not is_frozen and len(block) < _DAYS_AT_ONCE:
                block.append(day)
            elif block:
                break
            start = entry.result if entry and not is_out_of_date_for_ever(entry, closed) else None
        if block:
            found[cluster] = block
    return Slices(found)


def days_of_other_versions(silver: Ledger, slices: Slices) -> list[dt.date]:
    """Of the days to build those that another version of Lagoon has built before."""
    built = {(cluster, day): entry for (cluster, day, table), entry in silver.items() if table == DAY_ENTRY}
    return sorted({pair[1] for pair in slices.pairs() if pair in built and built[pair].build_version != BUILD_VERSION})


def days_of_other_settings(silver: Ledger, slices: Slices, settings: Mapping[str, int | None]) -> list[dt.date]:
    """Of the days to build those that were built with other settings before."""
    built = {(cluster, day): entry for (cluster, day, table), entry in silver.items() if table == DAY_ENTRY}
    return sorted({p[1] for p in slices.pairs() if p in built and built[p].settings != settings.get(p[0])})
