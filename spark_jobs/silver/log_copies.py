"""Copies of one log become one log: segments, their forms before cleaning, and several brokers' replicas overlap."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

# What a record says, apart from where its copy was found.
_CONTENT = (
    *("kind", "recorded_at", "producer_id", "marker", "key_type", "value_version", "tombstone", "group_id", "topic"),
    *("partition_id", "committed_offset", "leader_epoch", "metadata", "committed_at", "expires_at", "topic_id"),
    *("member_id", "regular_expression", "value_json", "key_bytes", "value_bytes"),
)


def one_log(records: DataFrame) -> DataFrame:
    """One row per place in the log, and one per record that contradicts it there.

    Adds `copies`, how many equal ones the row stands for, and `contradicted`, for a record at whose place a copy of
    higher rank says something else. A null of a poorer dump is not other content.
    """
    place = Window.partitionBy("cluster", "offsets_partition", "record_offset")
    ranked = place.orderBy(
        F.desc_nulls_last("batch_leader_epoch"),
        F.desc(_fullness()),
        *("delivered_on", "source_file", "source_position"),
    )
    told = F.struct(*_CONTENT)
    with_best = records.repartition("cluster", "offsets_partition").withColumns(
        {"rank": F.row_number().over(ranked), "best": F.first(told).over(ranked)}
    )
    contradicts = F.lit(False)
    for name in _CONTENT:
        differs = F.col(name) != F.col(f"best.{name}")
        if name == "value_json":
            differs = F.when(_told_whole(), differs).otherwise(
                _generation("value_json") != _generation("best.value_json")
            )
        contradicts = contradicts | F.coalesce(differs, F.lit(False))
    return (
        with_best.withColumn("contradicted", contradicts)
        .withColumn("copies", F.sum(F.when(F.col("contradicted"), 0).otherwise(1)).over(place))
        .where((F.col("rank") == 1) | F.col("contradicted"))
        .withColumn("copies", F.when(F.col("contradicted"), 1).otherwise(F.col("copies")))
        .drop("rank", "best")
    )


def _told_whole() -> Column:
    """A dump that prints a group's value in words of its own tells no version, and of its fields just some."""
    return F.col("value_version").isNotNull() & F.col("best.value_version").isNotNull()


def _generation(value: str) -> Column:
    return F.get_json_object(value, "$.generation")


def _fullness() -> Column:
    known = F.lit(0)
    for name in _CONTENT:
        known = known + F.when(F.col(name).isNotNull(), 1).otherwise(0)
    return known
