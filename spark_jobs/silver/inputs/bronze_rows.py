"""What bronze gives for some event days: the log of the offsets topic, log lines, readings of lag."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_telemetry.offsets.log_ends import LogEnds
from kafka_telemetry.spill import Spill
from spark_jobs.lake.tables import Lake, TaskRows
from spark_jobs.settings import Settings
from spark_jobs.silver import log_offsets, offset_commits
from spark_jobs.silver.inputs import cleaned_tombstones, lag_series, log_lines, offsets_partitions
from spark_jobs.silver.inputs.merged_log import TOLD
from spark_jobs.silver.inputs.spilled_rows import Kept
from spark_jobs.silver.pipeline.plan import LAG_KINDS, LINE_KINDS, LOG_KINDS, UNPLACED_KINDS, Inputs
from spark_jobs.silver.pipeline.slices import Slices, delivered

# Days of delivery by cluster.
Deliveries = Mapping[str, Set[dt.date]]


@dataclass(frozen=True)
class Given:
    lake: Lake
    settings: Settings
    inputs: Inputs
    slices: Slices
    # The day that each cluster starts from; none where it starts from nothing.
    starts: Mapping[str, dt.date]
    spill: Spill

    def offers(self, *kinds: str) -> bool:
        """Whether bronze has any such rows of these days. To ask Spark for what is not there takes as long as for a few."""
        return any(self.inputs.rows(*pair, kinds) for pair in self.slices.pairs())

    def starts_with(self, state: str) -> bool:
        """Whether there may be rows of a state that the days start from."""
        return self.lake.may_hold(state, self.starts.items())

    def before(self, state: str) -> DataFrame:
        """The rows of a state that the days start from."""
        if not self.starts_with(state):
            return self.lake.nothing(state)
        # By themselves: Spark forgets what it keeps of a table's readers when the table is written.
        return self.lake.read(state).where(self.slices.before(self.starts)).localCheckpoint(eager=False)

    def offsets_log(self, read_before: DataFrame, standing: DataFrame) -> tuple[Kept, DataFrame]:
        """The log, kept for many readers, and how many partitions the offsets topic has. `read_before` is how far each log
        was read before the days, `standing` the positions that they start from."""
        slices, inputs = self.slices, self.inputs
        brought = inputs.deliveries(slices, (*LOG_KINDS, *UNPLACED_KINDS))
        of_days = self._rows("bronze.offset_records", brought).where(slices.where())
        unplaced = of_days.where(F.col("kind").isin(*UNPLACED_KINDS)) if self.offers(*UNPLACED_KINDS) else None
        later = self._rows("bronze.offset_records", inputs.deliveries_after(slices, "marker")).where(slices.after())
        told = {
            cluster: number
            for cluster in slices.days
            if (number := self.settings.cluster(cluster).offsets_partitions) is not None
        }
        asked = self.offers("commit") and set(told) != set(slices.days)
        groups = offsets_partitions.groups_found(of_days).collect() if asked else []
        numbers = offsets_partitions.numbers(slices.pairs(), groups, told)
        placed = pc.field("kind").isin(pa.array(LOG_KINDS)) & pc.field("record_offset").is_valid()
        log = offset_commits.log_of(
            self._by_file("bronze.offset_records", TOLD, brought, placed & slices.wanted()),
            later.where("kind = 'marker'").dropDuplicates(["cluster", "offsets_partition", "record_offset"]),
            read_before,
            standing,
            self._log_ends(),
            unplaced,
            self.spill,
        )
        log.pieces.persist(StorageLevel.MEMORY_AND_DISK)
        return log, self.lake.spark.createDataFrame(numbers, "cluster string, day date, offsets_partitions int")

    def _log_ends(self) -> LogEnds:
        # What is told of lag on the days around these tells of the log's ends too.
        around = self.inputs.deliveries(self.slices, LAG_KINDS, since=1, until=1)
        if not around:
            return LogEnds()
        readings = self._rows("bronze.lag_readings", around).where(self.slices.where(since=1, until=1))
        return LogEnds(log_offsets.trusted_ends(readings).toArrow())

    def log_lines(self) -> Kept:
        """Each line once."""
        brought = self.inputs.deliveries(self.slices, LINE_KINDS)
        wanted = log_lines.TELLING & self.slices.wanted()
        lines = self._by_file("bronze.log_lines", log_lines.READ, brought, wanted)
        return log_lines.log_lines(self.lake.spark, lines, self.spill)

    def readings(self) -> TaskRows:
        """What was told of lag on these days and the day before."""
        brought = self.inputs.deliveries(self.slices, LAG_KINDS, since=1)
        wanted = lag_series.TELLING & self.slices.wanted(since=1)
        return self._by_file("bronze.lag_readings", lag_series.READ, brought, wanted)

    def ended(self) -> Callable[[DataFrame], DataFrame] | None:
        """What finds positions whose tombstones were cleaned away, if a segment delivered on these days was cleaned."""
        brought = delivered({cluster: set(days) for cluster, days in self.slices.days.items()})
        files = self.lake.read("bronze.files").where(brought)
        cleaned = cleaned_tombstones.cleaned_segments(self.lake.spark, files, self.slices.pairs())
        if cleaned is None:
            return None
        records = self.lake.read("bronze.offset_records").where(brought)
        return lambda standing: cleaned_tombstones.ended(standing, cleaned, records)

    def _rows(self, table: str, brought: Deliveries) -> DataFrame:
        return self.lake.read(table).where(delivered(brought)) if brought else self.lake.nothing(table)

    def _by_file(self, table: str, columns: Sequence[str], brought: Deliveries, wanted: pc.Expression) -> TaskRows:
        """The same for tasks that work on Arrow."""
        if not brought:
            return TaskRows(self.lake.nothing(table).select(*columns))
        return self.lake.batches(table, columns, delivered(brought), wanted)
