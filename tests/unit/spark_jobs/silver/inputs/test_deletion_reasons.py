"""The reason of a deleted position comes from the broker's log."""

import datetime as dt

from pyspark.sql import SparkSession

from spark_jobs.silver.inputs import deletion_reasons

NOON = dt.datetime(2026, 11, 18, 12)
EVENTS = "cluster string, side string, event string, group_id string, happened_at timestamp, details map<string,string>"
TOMBSTONES = (
    "cluster string, offsets_partition int, record_offset bigint, group_id string, topic string, recorded_at timestamp"
)


def at(seconds: float) -> dt.datetime:
    return NOON + dt.timedelta(seconds=seconds)


def test_a_tombstone_has_the_reason_of_the_log_line_near_it_and_none_without_one(
    spark: SparkSession,
) -> None:
    events = spark.createDataFrame(
        [
            ("eu", "broker", "offsets_expired", None, at(10), {"offset_count": "2", "duration_ms": "3000"}),
            ("eu", "broker", "group_deleted", "gone", at(9), {"offset_count": "1"}),
            ("eu", "broker", "group_deleted", None, at(30), {"deleted_groups": "a, b"}),
            ("eu", "broker", "offsets_deleted", "some", at(40), {"deleted_partitions": "orders-0, orders-1"}),
            ("eu", "broker", "partitions_gone", None, at(50), {"deleted_topics": "[old]", "duration_ms": "1"}),
            ("eu", "broker", "stabilized", "a", at(70), {}),
        ],
        EVENTS,
    )
    rows = [
        ("eu", 0, 1, "silent", "orders", at(7.5)),
        ("eu", 0, 2, "gone", "orders", at(9)),
        ("us", 0, 3, "silent", "orders", at(9)),
        ("eu", 0, 4, "silent", "orders", at(5)),
        ("eu", 0, 5, "b", "orders", at(30)),
        ("eu", 0, 6, "c", "orders", at(30)),
        ("eu", 0, 7, "some", "orders", at(40)),
        ("eu", 0, 8, "some", "returns", at(40)),
        ("eu", 0, 9, "any", "old", at(50)),
        ("eu", 0, 10, "a", "orders", at(70)),
    ]
    reasons = deletion_reasons.deletion_reasons(
        spark.createDataFrame(rows, TOMBSTONES), deletion_reasons.removals(events)
    ).collect()
    assert {row.record_offset: row.ended_by for row in reasons} == {
        1: "expired", 2: "deleted", 5: "deleted", 7: "deleted", 9: "topic_deleted",
    }  # fmt: skip
