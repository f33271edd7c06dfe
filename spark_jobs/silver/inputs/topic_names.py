"""The names of topic ids, learnt from commits, which name a topic both ways."""

import datetime as dt

import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_telemetry.spill import RowFilter
from spark_jobs.silver.inputs.spilled_rows import SpilledRows

# The newest commits of each position that have a topic id are among these.
_WITH_TOPIC_ID = RowFilter(pc.field("newest") & pc.field("topic_id").is_valid(), ("newest", "topic_id"))
_EPOCH = dt.date(1970, 1, 1)


def topic_names(log: SpilledRows, positions_before: DataFrame) -> dict[str, dict[str, tuple[str, int]]]:
    """By cluster and topic id: the name, and the day (counted from 1970) since which it is known."""
    columns = ("cluster", "topic_id", "topic", "day")
    first = (
        log.rows(*columns, where=_WITH_TOPIC_ID)
        .unionByName(positions_before.where("topic_id is not null").select(*columns))
        .groupBy("cluster", "topic_id")
        .agg(F.min_by("topic", F.struct("day", "topic")).alias("topic"), F.min("day").alias("day"))
    )
    names: dict[str, dict[str, tuple[str, int]]] = {}
    for cluster, topic_id, topic, day in first.collect():
        names.setdefault(cluster, {})[topic_id] = topic, (day - _EPOCH).days
    return names
