"""Copies without a position in the log: what a console consumer printed is found again in the log by its content."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

# What both kinds of copies tell of a record.
_CONTENT = (
    *("group_id", "topic", "partition_id", "committed_offset", "committed_at", "leader_epoch", "metadata"),
    *("value_json", "tombstone"),
)
_KEY = ("cluster", "group_id", "topic", "partition_id")


def found(log: DataFrame, unplaced: DataFrame) -> DataFrame:
    """`log`, each record standing for its copies without a position too, and behind it the records it does not hold.

    The n-th of equal records in a file is the n-th in the log; a console consumer that lost its session prints all again,
    so what a file holds more often than the log is the log's last. What is not in the log has no position there, and no
    word on transactions; it stands behind what was committed no later than it. `place` is where a commit stands among its
    kind.
    """
    # A text that prints a commit does not print which of the two types of key it has.
    group_key = F.when(F.col("kind").endswith("group"), F.col("key_type")).alias("key_type")
    told = F.to_json(F.struct("cluster", *(name for name in _CONTENT if name != "value_json"), _value(), group_key))
    comparable = F.col("kind").isin("commit", "group") & ~F.col("contradicted")
    numbered = log.withColumn("told", F.when(comparable, told)).withColumn(
        "nth", _nth("told", order=("offsets_partition", "record_offset"))
    )
    # A printed tombstone has no time: it came after what its file has of the key before it, between two milliseconds.
    in_file = (
        Window.partitionBy(*_KEY, "source_file")
        .orderBy("source_position")
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    before = F.last("committed_at", ignorenulls=True).over(in_file)
    after = F.when(F.col("tombstone"), before + F.expr("interval 1 microsecond"))
    copies = unplaced.withColumn("told", told).withColumn("after", F.coalesce("recorded_at", after))
    copies = copies.withColumn("nth", _nth("told", "source_file", order=("record_offset", "source_position")))
    copies = _of_known_groups(_as_often_as(numbered, copies), numbered)
    kind = F.regexp_replace("kind", "^unplaced_", "")
    content = F.struct(
        *(c for c in unplaced.columns if c not in ("kind", "record_offset", "offsets_partition")), kind.alias("kind")
    )
    best = F.min_by(content, F.struct("delivered_on", "source_file", "source_position"))
    unique = copies.groupBy("told", "nth").agg(
        best.alias("copy"), F.count("*").alias("more"), F.max("after").alias("after")
    )
    missing = F.col("cluster").isNull()
    of_copy = [
        F.coalesce(name, "after" if name == "recorded_at" else f"copy.{name}").alias(name)
        for name in log.columns
        if name in unplaced.columns and name not in ("record_offset", "offsets_partition")
    ]
    of_log = [
        name for name in log.columns if name not in unplaced.columns or name in ("record_offset", "offsets_partition")
    ]
    joined = numbered.join(unique, ["told", "nth"], "full_outer").select(
        *of_copy,
        *(name for name in of_log if name not in ("copies", "contradicted", "newest")),
        F.coalesce("newest", missing).alias("newest"),
        F.coalesce("contradicted", F.lit(False)).alias("contradicted"),
        (F.coalesce("copies", F.lit(0)) + F.coalesce("more", F.lit(0))).alias("copies"),
        missing.alias("missing"),
    )
    at = F.coalesce("committed_at", "recorded_at")
    until = Window.partitionBy(*_KEY).orderBy(at, "missing").rowsBetween(Window.unboundedPreceding, Window.currentRow)
    place = F.coalesce("record_offset", F.max("record_offset").over(until), F.lit(-1))
    return joined.withColumn("place", place).drop("missing")


def has_time_of_its_own() -> Column:
    """Whether `recorded_at` was told: Kafka's times are whole milliseconds."""
    return F.unix_micros("recorded_at") % 1000 == 0


def _value() -> Column:
    """A text prints of a classic group's members who they are, and not what they were assigned; that tells the record."""
    told = F.from_json("value_json", "generation int, members array<struct<memberId: string>>")
    classic = F.struct(
        told["generation"].alias("generation"), F.sort_array(told["members"]["memberId"]).alias("members")
    )
    is_classic = F.col("kind").endswith("group") & (F.col("key_type") == 2)
    return (
        F.when(is_classic & F.col("value_json").isNotNull(), F.to_json(classic))
        .otherwise(F.col("value_json"))
        .alias("value_json")
    )


def _as_often_as(log: DataFrame, copies: DataFrame) -> DataFrame:
    """No copy is the n-th of its kind where the log has fewer; of what it has none, one stands for all but tombstones."""
    known = log.where("told is not null").groupBy("told").agg(F.count("*").alias("in_log"))
    nth = (
        F.when(F.col("in_log").isNotNull(), F.least("nth", "in_log"))
        .when(F.col("tombstone"), F.col("nth"))
        .otherwise(1)
        .cast("int")
    )
    return copies.join(known, "told", "left").withColumn("nth", nth)


def _of_known_groups(copies: DataFrame, log: DataFrame) -> DataFrame:
    """What a text prints of a group has no time, so nobody knows where it belongs between what the log holds of the group:
    where that is anything, the log is the fuller copy, and a record that the log no longer has stands for none."""
    first = (
        log.where("kind = 'group' and told is not null")
        .groupBy("cluster", "group_id")
        .agg(F.min(F.struct("told", "nth")).alias("of_group"))
    )
    timeless = (F.col("kind") == "unplaced_group") & F.get_json_object("value_json", "$.currentStateTimestamp").isNull()
    lost = F.col("in_log").isNull() & timeless & F.col("of_group").isNotNull()
    return (
        copies.join(first, ["cluster", "group_id"], "left")
        .withColumn("told", F.when(lost, F.col("of_group.told")).otherwise(F.col("told")))
        .withColumn("nth", F.when(lost, F.col("of_group.nth")).otherwise(F.col("nth")))
        .drop("in_log", "of_group")
    )


def _nth(*same: str, order: tuple[str, ...]) -> Column:
    return F.row_number().over(Window.partitionBy(*same).orderBy(*order))
