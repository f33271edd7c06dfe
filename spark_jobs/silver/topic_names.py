"""What topic ids are called: commits name a topic both ways."""

import datetime as dt

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

_EPOCH = dt.date(1970, 1, 1)


def topic_names(log: DataFrame, positions_before: DataFrame) -> dict[str, dict[str, tuple[str, int]]]:
    """By cluster and topic id: the name, and since which day (counted from 1970) it is known."""
    told = log.where("kind = 'commit' and topic_id is not null and not contradicted")
    columns = ("cluster", "topic_id", "topic", "day")
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
