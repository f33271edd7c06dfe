"""Which event days are stale: made from other things than there are now."""

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass
from typing import NamedTuple

from spark_jobs.lake.ledger import Entry, fingerprint
from spark_jobs.silver.pipeline.slices import Slices

# The ledger knows a day of silver by this table.
STATE = "silver.positions"

Ledger = Mapping[tuple[str, dt.date, str], Entry]

# Counts up when silver makes something else of the same inputs: every day is stale then.
_MAKING = 9

LAG_KINDS = frozenset(("group_offset", "log_offset"))
# Kinds of records of the offsets topic: with a position in the log, and copies without one.
LOG_KINDS = ("commit", "group", "marker", "unknown")
UNPLACED_KINDS = ("unplaced_commit", "unplaced_group")
LINE_KINDS = ("event", "config")
# What an earlier day may have waited for.
FINISHING_KINDS = LAG_KINDS | {"marker"}
_KINDS = LAG_KINDS | {*LOG_KINDS, *UNPLACED_KINDS, *LINE_KINDS}

# How many days are made in one go: enough to make catching up cheap, few enough to bound the work in flight.
_DAYS_AT_ONCE = 7


class Teller(NamedTuple):
    """The files of one delivery that have rows of one kind for an event day."""

    kind: str
    delivered_on: dt.date
    files: int
    rows: int


@dataclass(frozen=True)
class Inputs:
    """What the deliveries that silver may use tell of each event day."""

    told: Mapping[tuple[str, dt.date], list[Teller]]

    def days(self, cluster: str) -> list[dt.date]:
        return [
            day for (of, day), tellers in self.told.items() if of == cluster and any(t.kind in _KINDS for t in tellers)
        ]

    def clusters(self) -> set[str]:
        return {cluster for cluster, _ in self.told}

    def of(self, cluster: str, day: dt.date) -> list[Teller]:
        """A day looks back a day at log ends, so the readings of the day before are its inputs too."""
        before = self.told.get((cluster, day - dt.timedelta(1)), [])
        return sorted(self.told.get((cluster, day), []) + [teller for teller in before if teller.kind in LAG_KINDS])

    def rows(self, cluster: str, day: dt.date, kinds: Collection[str]) -> int:
        return sum(teller.rows for teller in self.told.get((cluster, day), []) if teller.kind in kinds)

    def deliveries(
        self, slices: Slices, kinds: Collection[str], *, since: int = 0, until: int = 0
    ) -> dict[str, set[dt.date]]:
        """Which deliveries hold rows of these kinds for these days, widened by whole days on either side."""
        wanted: dict[str, set[dt.date]] = defaultdict(set)
        for cluster, day in slices.pairs():
            for shift in range(-since, until + 1):
                tellers = self.told.get((cluster, day + dt.timedelta(shift)), [])
                wanted[cluster] |= {teller.delivered_on for teller in tellers if teller.kind in kinds}
        return {cluster: days for cluster, days in wanted.items() if days}

    def deliveries_after(self, slices: Slices, kind: str) -> dict[str, set[dt.date]]:
        """Which deliveries hold rows of a kind for days after these."""
        wanted: dict[str, set[dt.date]] = defaultdict(set)
        for (cluster, day), tellers in self.told.items():
            if cluster in slices.days and day > slices.days[cluster][-1]:
                wanted[cluster] |= {teller.delivered_on for teller in tellers if teller.kind == kind}
        return {cluster: days for cluster, days in wanted.items() if days}


def inputs(bronze: Ledger, deliveries: Set[tuple[str, dt.date]]) -> Inputs:
    told: dict[tuple[str, dt.date], list[Teller]] = defaultdict(list)
    for (cluster, delivered_on, _), entry in sorted(bronze.items()):
        if (cluster, delivered_on) in deliveries:
            for tell in entry.tells:
                told[cluster, tell.day].append(Teller(tell.kind, delivered_on, tell.files, tell.rows))
    return Inputs(told)


def made_from(inputs: Inputs, cluster: str, day: dt.date, start: int | None) -> int:
    return fingerprint([_MAKING, *inputs.of(cluster, day), start])


def day_before(silver: Ledger, cluster: str, day: dt.date) -> dt.date | None:
    """The last day that has an end-of-day state before this one."""
    return max((d for c, d, table in silver if c == cluster and table == STATE and d < day), default=None)


def next_to_make(
    inputs: Inputs, silver: Ledger, forced: Set[tuple[str, dt.date]], frozen: Set[tuple[str, dt.date]]
) -> Slices:
    """The first stale days of each cluster, as many in a row as are made in one go; empty when all is as it should be.

    `forced` are days to make whatever their fingerprints say: something later finishes them, or a user asked. `frozen`
    are days that stay as they stand.
    """
    found: dict[str, list[dt.date]] = {}
    standing = [(cluster, day) for cluster, day, table in silver if table == STATE]
    for cluster in sorted({*inputs.clusters(), *(cluster for cluster, _ in standing)}):
        block: list[dt.date] = []
        # What the day before leaves, as it stands: if making it changes that, the day after is found stale then.
        start: int | None = None
        for day in sorted({*inputs.days(cluster), *(day for of, day in standing if of == cluster)}):
            entry = silver.get((cluster, day, STATE))
            fresh = entry is not None and entry.made_from == made_from(inputs, cluster, day, start)
            fixed = entry is not None and (cluster, day) in frozen
            if (not fresh or (cluster, day) in forced) and not fixed and len(block) < _DAYS_AT_ONCE:
                block.append(day)
            elif block:
                break
            start = entry.leaves if entry else None
        if block:
            found[cluster] = block
    return Slices(found)
