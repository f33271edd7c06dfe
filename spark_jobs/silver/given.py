"""What bronze gives for some event days: the log of the offsets topic, log lines, readings of lag."""

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_jobs.lake import Lake, TaskRows
from spark_jobs.offsets_log.log_ends import LogEnds
from spark_jobs.settings import Settings
from spark_jobs.shelf import Shelf
from spark_jobs.silver import cleaned_away, log_lines, log_offsets, offset_commits, offsets_partitions
from spark_jobs.silver.days import LAG_KINDS, LOG_KINDS, UNPLACED_KINDS, Inputs
from spark_jobs.silver.kept import Kept
from spark_jobs.silver.one_log import TOLD
from spark_jobs.silver.slices import Slices, delivered


@dataclass(frozen=True)
class Given:
    lake: Lake
    settings: Settings
    inputs: Inputs
    slices: Slices
    shelf: Shelf

    def offers(self, *kinds: str) -> bool:
        """Whether bronze has any such rows of these days. To ask Spark for what is not there takes as long as for a few."""
        return any(self.inputs.rows(*pair, kinds) for pair in self.slices.pairs())

    def offsets_log(self, read_before: DataFrame, standing: DataFrame) -> tuple[Kept, DataFrame]:
        """The log, kept for many readers, and how many partitions the offsets topic has. `read_before` is how far each log
        was read before the days, `standing` the positions that they start from."""
        slices, inputs = self.slices, self.inputs
        records = self.lake.read("bronze.offset_records")
        of_days = records.where(delivered(inputs.deliveries(slices))).where(slices.where())
        unplaced = of_days.where(F.col("kind").isin(*UNPLACED_KINDS)) if self.offers(*UNPLACED_KINDS) else None
        later = records.where(delivered(inputs.deliveries_after(slices, "marker"))).where(slices.after())
        told = {
            cluster: number
            for cluster in slices.days
            if (number := self.settings.cluster(cluster).offsets_partitions) is not None
        }
        asked = self.offers("commit") and set(told) != set(slices.days)
        groups = offsets_partitions.groups_found(of_days).collect() if asked else []
        numbers = offsets_partitions.numbers(slices.pairs(), groups, told)
        placed = pc.field("kind").isin(pa.array(LOG_KINDS)) & pc.field("record_offset").is_valid()
        brought = delivered(inputs.deliveries(slices))
        log = offset_commits.log_of(
            self.lake.batches("bronze.offset_records", TOLD, brought, placed & slices.wanted()),
            later.where("kind = 'marker'").dropDuplicates(["cluster", "offsets_partition", "record_offset"]),
            read_before,
            standing,
            self._log_ends(),
            unplaced,
            self.shelf,
        )
        log.pieces.persist(StorageLevel.MEMORY_AND_DISK)
        return log, self.lake.spark.createDataFrame(numbers, "cluster string, day date, offsets_partitions int")

    def _log_ends(self) -> LogEnds:
        if not self._is_sampled():
            return LogEnds()
        return LogEnds(log_offsets.trusted_ends(self.readings(since=1, until=1)).toArrow())

    def _is_sampled(self) -> bool:
        """Whether anything is told of lag on these days, or on those around them."""
        around = (dt.timedelta(days) for days in (-1, 0, 1))
        return any(
            self.inputs.rows(cluster, day + distance, LAG_KINDS)
            for distance in around
            for cluster, day in self.slices.pairs()
        )

    def log_lines(self) -> Kept:
        """Each line once."""
        brought = delivered(self.inputs.deliveries(self.slices))
        wanted = log_lines.TELLING & self.slices.wanted()
        lines = self.lake.batches("bronze.log_lines", log_lines.READ, brought, wanted)
        return log_lines.log_lines(self.lake.spark, lines, self.shelf)

    def readings(self, *, since: int = 0, until: int = 0) -> DataFrame:
        deliveries = self.inputs.deliveries(self.slices, since=since, until=until)
        readings = self.lake.read("bronze.lag_readings").where(delivered(deliveries))
        return readings.where(self.slices.where(since=since, until=until))

    def readings_by_file(self, columns: Sequence[str], kinds: pc.Expression, *, since: int) -> TaskRows:
        """The same for tasks that work on Arrow."""
        deliveries = self.inputs.deliveries(self.slices, since=since)
        wanted = kinds & self.slices.wanted(since=since)
        return self.lake.batches("bronze.lag_readings", columns, delivered(deliveries), wanted)

    def ended(self) -> Callable[[DataFrame], DataFrame] | None:
        """What finds positions whose tombstones were cleaned away, if a segment delivered on these days was cleaned."""
        brought = delivered({cluster: set(days) for cluster, days in self.slices.days.items()})
        files = self.lake.read("bronze.files").where(brought)
        cleaned = cleaned_away.cleaned_segments(self.lake.spark, files, self.slices.pairs())
        if cleaned is None:
            return None
        records = self.lake.read("bronze.offset_records").where(brought)
        return lambda standing: cleaned_away.ended(standing, cleaned, records)
