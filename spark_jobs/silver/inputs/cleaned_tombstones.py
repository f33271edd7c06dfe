"""Positions whose tombstone the log cleaner has removed: a later, cleaned copy lacks the position and nothing replaces it."""

import datetime as dt
import re
from collections.abc import Iterable, Sequence

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafka_telemetry.formats.dumps.dump_reader import offsets_partition
from spark_jobs.silver.inputs.bronze_rows import BronzeRows
from spark_jobs.silver.inputs.effective_commits import POSITION_KEY
from spark_jobs.silver.inputs.misplaced_files import MisplacedFile

_BASE_OFFSET = re.compile(r"(?:^|/)(\d{20})\.log[^/]*$")
_CLEANED = "cluster string, copied_on date, offsets_partition int, cleaned_file string, first_offset bigint, next_offset bigint"
_KEY = (*POSITION_KEY, "offsets_partition")


def cleaned_positions(bronze: BronzeRows, positions: DataFrame, misplaced: Sequence[MisplacedFile]) -> DataFrame | None:
    """(key, day) of those positions that were deleted by such a tombstone; null if no delivered segment was cleaned. What a
    misplaced file lacks, the log of its folder never had."""
    others = ~F.col("source_file").isin([file.source_file for file in misplaced])
    files = bronze.delivered_on_these_days("bronze.files").where(others)
    cleaned = cleaned_segments(bronze.lake.spark, files, bronze.slices.pairs())
    if cleaned is None:
        return None
    return missing_positions(positions, cleaned, bronze.delivered_on_these_days("bronze.offset_records"))


def cleaned_segments(spark: SparkSession, files: DataFrame, pairs: Iterable[tuple[str, dt.date]]) -> DataFrame | None:
    """The undamaged segments delivered on these days from which compaction removed records; null if there are none.

    Only segments: whoever printed a text dump may have left records out.
    """
    whole = files.where(
        "format = 'segment' and problem is null and not_understood = 0 and details['lost_bytes'] = 0"
        " and details['next_offset'] is not null"
    )
    days = set(pairs)
    rows = []
    for file in whole.select("cluster", "delivered_on", "source_file", "records", "details").collect():
        base, partition = _BASE_OFFSET.search(file.source_file), offsets_partition(file.source_file)
        if base is None or partition is None or (file.cluster, file.delivered_on) not in days:
            continue
        first, end = int(base[1]), file.details["next_offset"]
        if end - first > file.records:
            rows.append((file.cluster, file.delivered_on, partition, file.source_file, first, end))
    return spark.createDataFrame(rows, _CLEANED) if rows else None


def missing_positions(positions: DataFrame, cleaned: DataFrame, records: DataFrame) -> DataFrame:
    """(key, day) of the end-of-day `positions` that a cleaned segment delivered until that day should contain and does not,
    while no record of the same delivery replaces them."""
    covered = (F.col("record_offset") >= F.col("first_offset")) & (F.col("record_offset") < F.col("next_offset"))
    candidates = positions.join(F.broadcast(cleaned), ["cluster", "offsets_partition"]).where(
        covered & (F.col("copied_on") <= F.col("day")) & F.col("committed_offset").isNotNull()
    )
    copies = records.where("kind = 'commit'").select(
        *_KEY, F.col("delivered_on").alias("copied_on"), F.col("record_offset").alias("copied_offset"), "source_file"
    )
    later = copies.copied_offset > candidates.record_offset
    itself = (copies.copied_offset == candidates.record_offset) & (copies.source_file == candidates.cleaned_file)
    condition = later | itself
    for name in (*_KEY, "copied_on"):
        condition = condition & (candidates[name] == copies[name])
    return candidates.join(copies, condition, "left_anti").select(*_KEY, "day").distinct()
