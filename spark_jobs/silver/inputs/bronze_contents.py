"""Which rows bronze holds of each event day, by kind and delivery. Known from the ledger, without reading bronze."""

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass
from typing import NamedTuple

from spark_jobs.lake.ledger import ClusterDay, Ledger
from spark_jobs.silver.inputs.bronze_kinds import LAG_KINDS
from spark_jobs.silver.inputs.slices import Slices


class DeliveredRows(NamedTuple):
    """The rows of one kind that one delivery has for an event day; `files` is a fingerprint of the files that hold them."""

    kind: str
    delivered_on: dt.date
    files: int
    rows: int


@dataclass(frozen=True)
class BronzeContents:
    """Which rows bronze holds of each event day, over all deliveries that silver may use."""

    by_day: Mapping[ClusterDay, list[DeliveredRows]]

    def days(self, cluster: str) -> list[dt.date]:
        return [day for (of_cluster, day) in self.by_day if of_cluster == cluster]

    def clusters(self) -> set[str]:
        return {cluster for cluster, _ in self.by_day}

    def inputs_of(self, cluster: str, day: dt.date) -> list[DeliveredRows]:
        """A day reads log ends of the day before too, so the readings of that day are among its inputs."""
        before = self.by_day.get((cluster, day - dt.timedelta(1)), [])
        return sorted(self.by_day.get((cluster, day), []) + [rows for rows in before if rows.kind in LAG_KINDS])

    def count(self, cluster: str, day: dt.date, kinds: Collection[str]) -> int:
        return sum(rows.rows for rows in self.by_day.get((cluster, day), []) if rows.kind in kinds)

    def deliveries(
        self, slices: Slices, kinds: Collection[str], *, since: int = 0, until: int = 0
    ) -> dict[str, set[dt.date]]:
        """The deliveries that hold rows of these kinds for these days, widened by whole days on either side."""
        found: dict[str, set[dt.date]] = defaultdict(set)
        for cluster, day in slices.pairs():
            for shift in range(-since, until + 1):
                rows_of_day = self.by_day.get((cluster, day + dt.timedelta(shift)), [])
                found[cluster] |= {rows.delivered_on for rows in rows_of_day if rows.kind in kinds}
        return {cluster: days for cluster, days in found.items() if days}

    def deliveries_after(self, slices: Slices, kind: str) -> dict[str, set[dt.date]]:
        """The deliveries that hold rows of a kind for days after these."""
        found: dict[str, set[dt.date]] = defaultdict(set)
        for (cluster, day), rows_of_day in self.by_day.items():
            if cluster in slices.days and day > slices.days[cluster][-1]:
                found[cluster] |= {rows.delivered_on for rows in rows_of_day if rows.kind == kind}
        return {cluster: days for cluster, days in found.items() if days}


def bronze_contents(bronze: Ledger, deliveries: Set[ClusterDay], kinds: Collection[str]) -> BronzeContents:
    """What these deliveries hold of the kinds of rows that silver reads."""
    by_day: dict[ClusterDay, list[DeliveredRows]] = defaultdict(list)
    for (cluster, delivered_on, _), entry in sorted(bronze.items()):
        if (cluster, delivered_on) in deliveries:
            for rows in entry.event_rows:
                by_day[cluster, rows.day].append(DeliveredRows(rows.kind, delivered_on, rows.files, rows.rows))
    return BronzeContents({pair: rows for pair, rows in by_day.items() if any(one.kind in kinds for one in rows)})
