"""How transactions ended: told by the next marker of the producer in the same log, never by epochs."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F


def resolved(log: DataFrame, later_markers: DataFrame) -> DataFrame:
    """Adds `transaction`: none, committed, aborted, or open where no marker has been seen yet.

    `log` is one log with its markers; `later_markers` are those that stand in it behind the days looked at.
    """
    # Read backwards, for a frame that follows the row is computed anew for every row.
    ahead = (
        Window.partitionBy("cluster", "offsets_partition", "producer_id")
        .orderBy(F.desc("record_offset"))
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    # A contradicted copy shares its place with the record that counts, and must not end a transaction.
    marker = F.when(~F.col("contradicted"), F.col("marker"))
    pending = F.col("transactional") & F.col("marker").isNull()
    markers = later_markers.select(
        *("cluster", "offsets_partition", "producer_id", "record_offset", "marker"),
        F.lit(False).alias("contradicted"),
        F.lit(True).alias("later"),
    )
    return (
        log.withColumn("later", F.lit(False))
        .unionByName(markers, allowMissingColumns=True)
        .withColumn("end", F.last(marker, ignorenulls=True).over(ahead))
        .where(~F.col("later"))
        .withColumn(
            "transaction",
            F.when(~F.coalesce(pending, F.lit(False)), "none")
            .when(F.col("end") == "commit", "committed")
            .when(F.col("end") == "abort", "aborted")
            .otherwise("open"),
        )
        .drop("later", "end")
    )
