"""Positions that a later, cleaned copy no longer contains."""

import datetime as dt

from pyspark.sql import DataFrame, SparkSession

import schemas
from spark_jobs.silver.inputs.cleaned_tombstones import cleaned_segments, missing_positions

DAY = dt.date(2026, 11, 18)
SEGMENT = "offset_dumps/cluster=eu/date=2026-11-18/late/__consumer_offsets-3/00000000000000000000.log"
FILE = {
    "cluster": "eu",
    "delivered_on": DAY,
    "source": "offset_dumps",
    "source_file": SEGMENT,
    "size": 1,
    "modified_at": dt.datetime(2026, 11, 18),
    "content": "c",
    "format": "segment",
    "records": 3,
    "understood": 3,
    "not_understood": 0,
    "ignored": 0,
    "details": {"next_offset": 10, "lost_bytes": 0},
}
_COMMIT = "cluster string, offsets_partition int, group_id string, topic string, partition_id int, record_offset bigint"


def files(spark: SparkSession, *rows: dict[str, object]) -> DataFrame:
    names = schemas.table("bronze.files").column_names
    filled = [tuple({**FILE, **row}.get(name) for name in names) for row in rows]
    return spark.createDataFrame(filled, schemas.arrow_ddl("bronze.files"))


def test_only_whole_segments_that_lack_records_count_as_cleaned(spark: SparkSession) -> None:
    damaged = {"details": {"next_offset": 10, "lost_bytes": 7}}
    text = {"format": "kafka-dump-log"}
    pairs = [("eu", DAY)]
    assert cleaned_segments(spark, files(spark, damaged, text, {"records": 10}), pairs) is None
    found = cleaned_segments(spark, files(spark, {}, damaged), pairs)
    assert found is not None
    assert [tuple(row) for row in found.collect()] == [("eu", DAY, 3, SEGMENT, 0, 10)]


def test_a_position_ends_if_the_cleaned_copy_contains_neither_it_nor_a_later_one(spark: SparkSession) -> None:
    cleaned = cleaned_segments(spark, files(spark, {}), [("eu", DAY)])
    assert cleaned is not None
    offsets = [("removed", 4), ("unchanged", 5), ("replaced", 6), ("beyond", 10)]
    positions = spark.createDataFrame(
        [("eu", 3, group, "t", 0, offset, DAY, 100) for group, offset in offsets],
        f"{_COMMIT}, day date, committed_offset bigint",
    )
    copies = [
        ("removed", 4, "older.log"),
        ("unchanged", 5, SEGMENT),
        ("replaced", 6, "older.log"),
        ("replaced", 12, "next.log"),
    ]
    records = spark.createDataFrame(
        [("eu", 3, group, "t", 0, offset, DAY, file, "commit") for group, offset, file in copies],
        f"{_COMMIT}, delivered_on date, source_file string, kind string",
    )
    assert [row.group_id for row in missing_positions(positions, cleaned, records).collect()] == ["removed"]
