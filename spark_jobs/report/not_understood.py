"""Warnings about delivered records that no reader understands."""

import datetime as dt
from collections.abc import Iterator, Set

from pyspark.sql import functions as F

from spark_jobs.lake.sql_literals import text_literal
from spark_jobs.lake.tables import Lake
from spark_jobs.silver.inputs.slices import where_delivered


def not_understood_warnings(lake: Lake, deliveries: Set[tuple[str, dt.date]]) -> Iterator[str]:
    """One sentence per delivery and source, with the next thing to do. `deliveries` are clusters and days of delivery."""
    days_by_cluster: dict[str, set[dt.date]] = {}
    for cluster, delivered_on in deliveries:
        days_by_cluster.setdefault(cluster, set()).add(delivered_on)
    rows = (
        lake.read("bronze.files")
        .where(where_delivered(days_by_cluster))
        .groupBy("cluster", "delivered_on", "source")
        .agg(F.sum("records").alias("records"), F.sum("not_understood").alias("not_understood"))
        .where("not_understood > 0")
        .orderBy("delivered_on", "cluster", "source")
    )
    for row in rows.collect():
        yield (
            f"{row.not_understood:,} of {row.records:,} records of {row.source} that {row.cluster} delivered on "
            f"{row.delivered_on} are not understood and are left out of all numbers: "
            f'`lagoon sql "select day, hour, unknown_shapes from gold.coverage where cluster = {text_literal(row.cluster)} '
            f'and source = {text_literal(row.source)} and not_understood > 0"` shows what they look like.'
        )
