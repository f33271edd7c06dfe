"""What stands when a day ends: the newest of each key, and how far each log was read."""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

LOG = ("cluster", "offsets_partition")


def standing(days: DataFrame, rows: DataFrame, key: Sequence[str], value: str, *more: str) -> DataFrame:
    """For each of `days` (cluster, days: an array) the newest row of each key that is not younger than it: the furthest
    in the log. Of each of `more` the newest that is not null."""

    def newest(name: str) -> Column:
        place = F.struct(f"{value}.record_offset", "day")
        return F.max_by(name, place if name == value else F.when(F.col(name).isNotNull(), place)).alias(name)

    kept = [newest(name) for name in (value, *more)]
    by_day = rows.groupBy(*key, "day").agg(*kept).join(F.broadcast(days), "cluster")
    later = F.explode(F.filter("days", lambda day: day >= F.col("day"))).alias("ending")
    return (
        by_day.select(*key, "day", value, *more, later)
        .groupBy(*key, "ending")
        .agg(*kept)
        .withColumnRenamed("ending", "day")
    )


def logs_read(days: DataFrame, log: DataFrame, read_before: DataFrame) -> DataFrame:
    """How far each log was read when each of the days ended, and its `holes` until there.

    `log` is one log with `holes` counted from the start of the days, `read_before` how far each was read on a day before.
    """
    zero = F.lit(0).cast("bigint").alias("holes")
    read = log.select(*LOG, "day", F.struct("record_offset", "holes").alias("read_to"))
    before = read_before.select(
        *LOG, "day", F.struct(F.col("log_read_to").alias("record_offset"), zero).alias("read_to")
    )
    return standing(days, read.unionByName(before), LOG, "read_to").select(
        *LOG, "day", F.col("read_to.record_offset").alias("log_read_to"), F.col("read_to.holes").alias("log_holes")
    )
