"""Records that a console consumer printed without their log position, matched with the records of the log by content."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

# What both kinds of copies say of a record.
_CONTENT = (
    *("group_id", "topic", "partition_id", "committed_offset", "committed_at", "leader_epoch", "metadata"),
    *("value_json", "tombstone"),
)
_KEY = ("cluster", "group_id", "topic", "partition_id")


def add_console_copies(log: DataFrame, unplaced: DataFrame) -> DataFrame:
    """Counts each printed record as a copy of the record of the log with equal content, and adds those that the log lacks.

    The n-th of equal records in a file is the n-th in the log. A console consumer that lost its session prints everything
    again, so surplus copies in a file count as copies of the last equal record of the log. A record that the log lacks has no
    `record_offset` and no `transaction`; its `place` is behind the records that were committed no later.
    """
    # The text of a commit does not say which of the two key types it had.
    group_key = F.when(F.col("kind").endswith("group"), F.col("key_type")).alias("key_type")
    content = F.to_json(F.struct("cluster", *(name for name in _CONTENT if name != "value_json"), _value(), group_key))
    comparable = F.col("kind").isin("commit", "group") & ~F.col("contradicted")
    numbered = log.withColumn("content", F.when(comparable, content)).withColumn(
        "nth", _nth("content", order=("offsets_partition", "record_offset"))
    )
    # A printed tombstone has no time: it follows the record of its key before it in the file, so it is placed between two
    # milliseconds.
    in_file = (
        Window.partitionBy(*_KEY, "source_file")
        .orderBy("source_position")
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    before = F.last("committed_at", ignorenulls=True).over(in_file)
    after = F.when(F.col("tombstone"), before + F.expr("interval 1 microsecond"))
    copies = unplaced.withColumn("content", content).withColumn("after", F.coalesce("recorded_at", after))
    copies = copies.withColumn("nth", _nth("content", "source_file", order=("record_offset", "source_position")))
    copies = _match_groups_without_time(_limit_to_log(copies, numbered), numbered)
    joined = numbered.join(_unique_copies(copies, unplaced), ["content", "nth"], "full_outer")
    merged = joined.select(*_merged_columns(log, unplaced))
    at = F.coalesce("committed_at", "recorded_at")
    until = Window.partitionBy(*_KEY).orderBy(at, "missing").rowsBetween(Window.unboundedPreceding, Window.currentRow)
    place = F.coalesce("record_offset", F.max("record_offset").over(until), F.lit(-1))
    return merged.withColumn("place", place).drop("missing")


def has_recorded_time() -> Column:
    """Whether `recorded_at` was printed rather than derived: Kafka's times are whole milliseconds."""
    return F.unix_micros("recorded_at") % 1000 == 0


def _unique_copies(copies: DataFrame, unplaced: DataFrame) -> DataFrame:
    """One row per content and number: the first copy delivered, and how many there are."""
    kind = F.regexp_replace("kind", "^unplaced_", "")
    row = F.struct(
        *(c for c in unplaced.columns if c not in ("kind", "record_offset", "offsets_partition")), kind.alias("kind")
    )
    first = F.min_by(row, F.struct("delivered_on", "source_file", "source_position"))
    return copies.groupBy("content", "nth").agg(
        first.alias("copy"), F.count("*").alias("more"), F.max("after").alias("after")
    )


def _merged_columns(log: DataFrame, unplaced: DataFrame) -> list[Column]:
    """The columns of the log; where a record is missing in the log, the values of its copy. `missing` says so."""
    missing = F.col("cluster").isNull()
    of_copy = [
        F.coalesce(name, "after" if name == "recorded_at" else f"copy.{name}").alias(name)
        for name in log.columns
        if name in unplaced.columns and name not in ("record_offset", "offsets_partition")
    ]
    of_log = [
        F.col(name)
        for name in log.columns
        if (name not in unplaced.columns or name in ("record_offset", "offsets_partition"))
        and name not in ("copies", "contradicted", "newest")
    ]
    return [
        *of_copy,
        *of_log,
        F.coalesce("newest", missing).alias("newest"),
        F.coalesce("contradicted", F.lit(False)).alias("contradicted"),
        (F.coalesce("copies", F.lit(0)) + F.coalesce("more", F.lit(0))).alias("copies"),
        missing.alias("missing"),
    ]


def _value() -> Column:
    """The text of a classic group names its members but not their assignment: these identify the record."""
    parsed = F.from_json("value_json", "generation int, members array<struct<memberId: string>>")
    classic = F.struct(
        parsed["generation"].alias("generation"), F.sort_array(parsed["members"]["memberId"]).alias("members")
    )
    is_classic = F.col("kind").endswith("group") & (F.col("key_type") == 2)
    return (
        F.when(is_classic & F.col("value_json").isNotNull(), F.to_json(classic))
        .otherwise(F.col("value_json"))
        .alias("value_json")
    )


def _limit_to_log(copies: DataFrame, log: DataFrame) -> DataFrame:
    """Surplus copies become copies of the log's last equal record. Equal records that the log lacks become one, except
    tombstones."""
    in_log = log.where("content is not null").groupBy("content").agg(F.count("*").alias("in_log"))
    nth = (
        F.when(F.col("in_log").isNotNull(), F.least("nth", "in_log"))
        .when(F.col("tombstone"), F.col("nth"))
        .otherwise(1)
        .cast("int")
    )
    return copies.join(in_log, "content", "left").withColumn("nth", nth)


def _match_groups_without_time(copies: DataFrame, log: DataFrame) -> DataFrame:
    """A printed group record without a time can't be placed among the records that the log has of the group. Where the log
    has any, it is the fuller copy, and a printed record that it lacks counts as a copy of the first one."""
    first = (
        log.where("kind = 'group' and content is not null")
        .groupBy("cluster", "group_id")
        .agg(F.min(F.struct("content", "nth")).alias("of_group"))
    )
    no_time = (F.col("kind") == "unplaced_group") & F.get_json_object("value_json", "$.currentStateTimestamp").isNull()
    unmatched = F.col("in_log").isNull() & no_time & F.col("of_group").isNotNull()
    return (
        copies.join(first, ["cluster", "group_id"], "left")
        .withColumn("content", F.when(unmatched, F.col("of_group.content")).otherwise(F.col("content")))
        .withColumn("nth", F.when(unmatched, F.col("of_group.nth")).otherwise(F.col("nth")))
        .drop("in_log", "of_group")
    )


def _nth(*same: str, order: tuple[str, ...]) -> Column:
    return F.row_number().over(Window.partitionBy(*same).orderBy(*order))
