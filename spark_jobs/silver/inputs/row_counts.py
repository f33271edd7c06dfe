"""How many parsed rows of each table were accepted, rejected and duplicate."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pyspark.sql import Row


@dataclass(frozen=True)
class RowCounts:
    # By table: one row per cluster, day and delivery, with accepted, rejected, duplicate and the table's own tallies.
    by_table: Mapping[str, Sequence[Row]] = field(default_factory=dict)

    def of_slice(self, table: str, cluster: str, day: dt.date) -> tuple[int, int, int]:
        """(accepted, rejected, duplicate)"""
        rows = [row for row in self.by_table.get(table, ()) if (row.cluster, row.day) == (cluster, day)]
        return sum(r.accepted for r in rows), sum(r.rejected for r in rows), sum(r.duplicate for r in rows)

    def of_deliveries(self) -> dict[tuple[str, dt.date], tuple[int, int]]:
        """(accepted, rejected) over all tables, by cluster and day of delivery."""
        sums: dict[tuple[str, dt.date], tuple[int, int]] = {}
        for rows in self.by_table.values():
            for row in rows:
                accepted, rejected = sums.get((row.cluster, row.delivered_on), (0, 0))
                sums[row.cluster, row.delivered_on] = accepted + row.accepted, rejected + row.rejected
        return sums

    def any_rejected(self, *tables: str) -> bool:
        return any(row.rejected for table in tables for row in self.by_table.get(table, ()))

    def tally(self, table: str, name: str) -> int:
        return sum(row[name] for row in self.by_table.get(table, ()))
