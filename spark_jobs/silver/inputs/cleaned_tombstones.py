"""Tombstones that the log cleaner has taken away: the position is gone from a later copy, and nothing stands for it."""

import datetime as dt
import re
from collections.abc import Iterable

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafka_telemetry.formats.dumps.dump_reader import offsets_partition

_BASE_OFFSET = re.compile(r"(?:^|/)(\d{20})\.log[^/]*$")
_CLEANED = (
    "cluster string, told_on date, offsets_partition int, cleaned_file string, first_offset bigint, next_offset bigint"
)
_KEY = ("cluster", "offsets_partition", "group_id", "topic", "partition_id")


def cleaned_segments(spark: SparkSession, files: DataFrame, pairs: Iterable[tuple[str, dt.date]]) -> DataFrame | None:
    """The segments delivered on these days of which compaction took records, and no damage did; null if there are none.

    Only whole segments are asked: what a text does not show may have been left out by who printed it.
    """
    told = files.where(
        "format = 'segment' and problem is null and not_understood = 0 and details['lost_bytes'] = 0"
        " and details['next_offset'] is not null"
    )
    days = set(pairs)
    rows = []
    for file in told.select("cluster", "delivered_on", "source_file", "records", "details").collect():
        base, partition = _BASE_OFFSET.search(file.source_file), offsets_partition(file.source_file)
        if base is None or partition is None or (file.cluster, file.delivered_on) not in days:
            continue
        first, end = int(base[1]), file.details["next_offset"]
        if end - first > file.records:
            rows.append((file.cluster, file.delivered_on, partition, file.source_file, first, end))
    return spark.createDataFrame(rows, _CLEANED) if rows else None


def ended(standing: DataFrame, cleaned: DataFrame, records: DataFrame) -> DataFrame:
    """(key, day) of the positions `standing` at the end of a day that a cleaned segment delivered until then should hold
    and does not, while nothing of the same delivery replaces them. `records` are what those deliveries brought."""
    covered = (F.col("record_offset") >= F.col("first_offset")) & (F.col("record_offset") < F.col("next_offset"))
    candidates = standing.join(F.broadcast(cleaned), ["cluster", "offsets_partition"]).where(
        covered & (F.col("told_on") <= F.col("day")) & F.col("committed_offset").isNotNull()
    )
    told = records.where("kind = 'commit'").select(
        *_KEY, F.col("delivered_on").alias("told_on"), F.col("record_offset").alias("told_offset"), "source_file"
    )
    same_key = [candidates[name] == told[name] for name in (*_KEY, "told_on")]
    later = told.told_offset > candidates.record_offset
    itself = (told.told_offset == candidates.record_offset) & (told.source_file == candidates.cleaned_file)
    condition = later | itself
    for same in same_key:
        condition = condition & same
    return candidates.join(told, condition, "left_anti").select(*_KEY, "day").distinct()
