"""The bronze rows of the event days that are built: read by the deliveries that hold them."""

import datetime as dt
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass

import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_jobs.lake.tables import Lake
from spark_jobs.lake.task_rows import TaskRows
from spark_jobs.silver.inputs.bronze_contents import BronzeContents
from spark_jobs.silver.inputs.slices import Slices, where_delivered

# Days of delivery by cluster.
Deliveries = Mapping[str, Set[dt.date]]


@dataclass(frozen=True)
class BronzeRows:
    lake: Lake
    contents: BronzeContents
    slices: Slices

    def has(self, kinds: Collection[str]) -> bool:
        """Whether bronze has rows of these kinds for the days. Known from the ledger: a Spark query that finds nothing
        takes as long as one that finds a few rows."""
        return any(self.contents.count(*pair, kinds) for pair in self.slices.pairs())

    def of_days(self, table: str, kinds: Collection[str], *, since: int = 0, until: int = 0) -> DataFrame:
        """Rows of the days, widened by whole days on either side. All kinds of the deliveries that hold these kinds."""
        deliveries = self.contents.deliveries(self.slices, kinds, since=since, until=until)
        return self._read(table, deliveries).where(self.slices.where(since=since, until=until))

    def of_later_days(self, table: str, kind: str) -> DataFrame:
        """Rows of a kind of the days after."""
        deliveries = self.contents.deliveries_after(self.slices, kind)
        return self._read(table, deliveries).where(self.slices.where_later()).where(F.col("kind") == kind)

    def in_tasks(
        self, table: str, kinds: Collection[str], columns: Sequence[str], condition: pc.Expression, *, since: int = 0
    ) -> TaskRows:
        """Rows of the days that meet a condition, for tasks that work on Arrow."""
        deliveries = self.contents.deliveries(self.slices, kinds, since=since)
        if not deliveries:
            return TaskRows(self.lake.read_nothing(table).select(*columns))
        in_days = condition & self.slices.condition(since=since)
        return self.lake.read_in_tasks(table, columns, where_delivered(deliveries), in_days)

    def delivered_on_these_days(self, table: str) -> DataFrame:
        """Rows of whatever event day that were delivered on the days."""
        return self.lake.read(table).where(
            where_delivered({cluster: set(days) for cluster, days in self.slices.days.items()})
        )

    def _read(self, table: str, deliveries: Deliveries) -> DataFrame:
        return self.lake.read(table).where(where_delivered(deliveries)) if deliveries else self.lake.read_nothing(table)
