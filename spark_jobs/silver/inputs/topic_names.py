"""What topic ids are called: commits name a topic both ways."""

import datetime as dt

import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_telemetry.spill import RowFilter
from spark_jobs.silver.inputs.spilled_rows import Kept

# Of each position the newest commits that name an id are among them.
_NAMING = RowFilter(pc.field("newest") & pc.field("topic_id").is_valid(), ("newest", "topic_id"))
_EPOCH = dt.date(1970, 1, 1)


def topic_names(log: Kept, positions_before: DataFrame) -> dict[str, dict[str, tuple[str, int]]]:
    """By cluster and topic id: the name, and since which day (counted from 1970) it is known."""
    columns = ("cluster", "topic_id", "topic", "day")
    told = log.rows(*columns, where=_NAMING)
    first = (
        told.select(*columns)
        .unionByName(positions_before.where("topic_id is not null").select(*columns))
        .groupBy("cluster", "topic_id")
        .agg(F.min_by("topic", F.struct("day", "topic")).alias("topic"), F.min("day").alias("day"))
    )
    found: dict[str, dict[str, tuple[str, int]]] = {}
    for cluster, topic_id, topic, day in first.collect():
        found.setdefault(cluster, {})[topic_id] = topic, (day - _EPOCH).days
    return found
