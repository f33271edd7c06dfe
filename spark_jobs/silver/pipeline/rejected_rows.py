"""quality.rejected_rows: what broke a rule that rejects."""

import datetime as dt
import functools
from collections.abc import Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import schemas
from expectations import gate

_KEY = ("cluster", "day", "table_name", "source_file", "source_position", "row_json")


def rejected_rows(offered: Mapping[str, DataFrame], known: DataFrame, now: dt.datetime) -> DataFrame:
    """What lies in quarantine after this: first seen when it was first rejected, however often it is judged again.

    `offered` are judged rows by table, `known` what lies there of the same days.
    """
    fresh = functools.reduce(DataFrame.unionByName, (_unlawful(table, rows) for table, rows in offered.items()))
    first = known.groupBy(*_KEY).agg(F.min("rejected_at").alias("first_at"))
    return (
        fresh.join(first, [*_KEY], "left")
        .withColumn("rejected_at", F.coalesce("first_at", F.lit(now)))
        .withColumn("replayed_at", F.lit(None).cast("timestamp"))
        .select(*schemas.table("quality.rejected_rows").column_names)
    )


def _unlawful(table: str, rows: DataFrame) -> DataFrame:
    told = F.to_json(F.struct(*[c for c in schemas.table(table).column_names if c in rows.columns]))
    return gate.unlawful(rows).select(
        *("cluster", "day", "rules", "source_file", "source_position", "delivered_on"),
        F.lit(table).alias("table_name"),
        told.alias("row_json"),
    )
