"""silver.offset_commits: every offset commit once, in the order of the log, with the position before it."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

import schemas
from expectations import gate
from expectations.rule import Rule
from kafka_telemetry.offsets.log_ends import LogEnds
from kafka_telemetry.offsets.ownership_timeline import OWNERSHIP_COLUMNS
from kafka_telemetry.spill import RowFilter, Spill
from spark_jobs.lake.task_rows import TaskRows
from spark_jobs.silver.inputs.console_copies import found, has_time_of_its_own
from spark_jobs.silver.inputs.deletion_reasons import TOMBSTONE
from spark_jobs.silver.inputs.effective_commits import EFFECTIVE, POSITION
from spark_jobs.silver.inputs.merged_log import of_rows, one_log, with_log_ends
from spark_jobs.silver.inputs.spilled_rows import Kept

_KEY = ("cluster", "group_id", "topic", "partition_id")

# What the rules ask of a commit, and what is counted of it.
_JUDGED_BY = (
    *(
        *_KEY,
        "day",
        "delivered_on",
        "offsets_partition",
        "group_hash",
        "committed_offset",
        "committed_at",
        "recorded_at",
    ),
    *("log_end_before", "log_end_after", "contradicted", "copies", "record_offset", "previous_is_known"),
)
# Commits that something later may finish.
_WAITING = RowFilter(
    (pc.field("transaction") == "open")
    | ((pc.field("committed_offset") > pc.field("log_end_before")) & pc.field("log_end_after").is_null()),
    ("transaction", "committed_offset", "log_end_before", "log_end_after"),
)
_NEWEST = RowFilter(pc.field("newest"), ("newest",))
_COMMIT = RowFilter(pc.field("kind") == "commit", ("kind",))
_OF_NO_PARTITION = RowFilter(
    pc.field("group_id").is_null() | pc.field("topic").is_null() | pc.field("partition_id").is_null(), _KEY
)


def log_of(
    records: TaskRows,
    later_markers: DataFrame,
    read_before: DataFrame,
    standing: DataFrame,
    log_ends: LogEnds,
    unplaced: DataFrame | None,
    spill: Spill,
) -> Kept:
    """The log with all that a reject rule asks of a commit: transactions resolved, holes counted, log ends beside it.

    `records` are bronze rows of the days to make, `later_markers` those of days after, `read_before` how far each log was
    read on the day before, `standing` the positions at its end, `log_ends` what trustworthy reporters saw of the logs,
    `unplaced` copies of records without a position in the log. Its rows lie on the `spill`.
    """
    log = one_log(records, later_markers, read_before, standing, log_ends, spill)
    return log if unplaced is None else of_rows(found(log.rows(), with_log_ends(unplaced, log_ends)), spill)


@dataclass(frozen=True)
class Commits:
    """The commits of a log, judged. Each reader is given as much of them as it asks for: these columns beside what the
    rules judge by, or all."""

    log: Kept
    # The days by cluster: the number of the slice, and how many partitions the offsets topic had.
    days: DataFrame
    rules: Sequence[Rule]

    def rows(self, *columns: str, where: RowFilter | None = None) -> DataFrame:
        asked = dict.fromkeys((*_JUDGED_BY, *columns)) if columns else ()
        rows = self.log.rows(*asked, where=_COMMIT.and_(where) if where else _COMMIT)
        return gate.judged(rows.join(F.broadcast(self.days), ["cluster", "day"], "left"), self.rules)

    def narrow(self) -> DataFrame:
        """Only what the rules judge by, and what is counted."""
        return self.rows(*_KEY)

    def told(self, in_doubt: RowFilter) -> TaskRows:
        """The others, as the log tells them."""
        return self.log.made(schemas.table("silver.offset_commits").column_names, _COMMIT.and_not(in_doubt))


def untold() -> Column:
    """Counts commits of which the log could not tell what position was before them."""
    return F.count_if(~F.coalesce("previous_is_known", F.lit(False))).alias("untold")


def disturbed(commits: Commits, positions_before: DataFrame, *, any_untold: bool = True) -> DataFrame | None:
    """The keys of which some rows did not count or have no place in the log, so that what the log told of the position
    before each is not so; null if there are none."""
    has_place = F.col("record_offset").isNotNull() & F.col("offsets_partition").isNotNull()
    keys = positions_before.where(~has_place).select(*_KEY)
    if any_untold:
        is_untold = (F.size("rules") > 0) | ~F.coalesce("previous_is_known", F.lit(False))
        keys = keys.unionByName(commits.narrow().where(is_untold).select(*_KEY))
    found = keys.distinct().toArrow()
    return keys.sparkSession.createDataFrame(found, keys.schema) if len(found) else None


def of_keys(keys: DataFrame | None) -> RowFilter | None:
    """The rows of these keys, at least."""
    if keys is None:
        return None
    separator = "\x1f"
    partition = pc.field("partition_id").cast(pa.string())
    key = pc.binary_join_element_wise(
        pc.field("cluster"), pc.field("group_id"), pc.field("topic"), partition, separator
    )
    known = keys.where(" and ".join(f"{name} is not null" for name in _KEY)).toArrow()
    joined = pc.binary_join_element_wise(*(known[name].cast(pa.string()) for name in _KEY), separator)
    return RowFilter(pc.coalesce(key.isin(joined.combine_chunks()), False), _KEY)


def in_doubt(of_disturbed: RowFilter | None) -> RowFilter:
    """The commits of which the log alone does not tell everything: tombstones may be explained elsewhere, keys may be
    disturbed or name no partition."""
    wanted = TOMBSTONE.or_(_OF_NO_PARTITION)
    return wanted if of_disturbed is None else wanted.or_(of_disturbed)


def standing(commits: Commits, of_disturbed: RowFilter | None) -> DataFrame:
    """What states are made of: lawful commits, at least those that stand when a day ends."""
    asked = (*POSITION, "topic_id", "transaction", "holes", "place", "source_position")
    return gate.lawful(commits.rows(*asked, where=_NEWEST if of_disturbed is None else _NEWEST.or_(of_disturbed)))


def waiting(commits: Commits) -> DataFrame:
    """Lawful commits that something later may finish."""
    return gate.lawful(commits.rows("producer_id", "transaction", where=_WAITING))


def accepted(lawful: DataFrame, positions_before: DataFrame, keys_disturbed: DataFrame | None) -> DataFrame:
    """Lawful commits with the effective position before each: from these days, or from the state they start from. Who held
    their partitions is told while they are written."""
    columns = [name for name in schemas.table("silver.offset_commits").column_names if name not in OWNERSHIP_COLUMNS]
    if keys_disturbed is None:
        return lawful.select(*columns)
    keys = F.broadcast(keys_disturbed)
    told_anew = _following(lawful.join(keys, [*_KEY], "left_semi"), positions_before.join(keys, [*_KEY], "left_semi"))
    told_anew = told_anew.withColumn("recorded_at", F.when(has_time_of_its_own(), F.col("recorded_at")))
    return lawful.join(keys, [*_KEY], "left_anti").select(*columns).unionByName(told_anew.select(*columns))


def _following(lawful: DataFrame, positions_before: DataFrame) -> DataFrame:
    before = positions_before.select(
        *_KEY,
        *("record_offset", "committed_offset", "committed_at"),
        F.lit("none").alias("transaction"),
        F.lit(0).cast("bigint").alias("holes"),
        F.col("complete").alias("whole"),
        F.lit(True).alias("is_state"),
    )
    rows = lawful.withColumns({"whole": F.col("record_offset").isNotNull(), "is_state": F.lit(False)})
    history = (
        Window.partitionBy(*_KEY)
        .orderBy(F.desc("is_state"), "place", F.desc(F.col("record_offset").isNotNull()), *in_time())
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    position = F.struct("committed_offset", "committed_at", "record_offset", "holes", "whole")
    previous = F.last(F.when(F.expr(EFFECTIVE), position), ignorenulls=True).over(history)
    with_previous = rows.unionByName(before, allowMissingColumns=True).withColumn("previous", previous)
    stands = F.col("previous.committed_offset").isNotNull()
    whole_between = F.coalesce(F.col("previous.holes") == F.col("holes"), F.lit(False))
    return with_previous.where(~F.col("is_state")).withColumns(
        {
            "previous_committed_offset": F.col("previous.committed_offset"),
            "previous_committed_at": F.when(stands, F.col("previous.committed_at")),
            "previous_record_offset": F.when(stands, F.col("previous.record_offset")),
            "after_tombstone": F.col("previous").isNotNull() & ~stands,
            "complete": F.when(stands, F.col("previous.whole") & F.col("whole") & whole_between),
        }
    )


def in_time() -> tuple[Column, Column]:
    """The order of copies that have no position in the log: by commit time, then by place in the file."""
    return F.coalesce("committed_at", "recorded_at"), F.col("source_position")
