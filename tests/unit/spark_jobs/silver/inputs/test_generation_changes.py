"""When the generation of a group changed: on the days made, and before them."""

import datetime as dt
import json

from pyspark.sql import SparkSession
from tests.unit.story.lines import completes, joins

from kafka_telemetry.groups.history.history import Story
from spark_jobs.silver.inputs import lag_series

REBALANCES = "cluster string, group_id string, completed_at timestamp, told_at timestamp"
STORIES = "cluster string, group_id string, story string"


def test_the_day_begins_with_the_last_change_of_the_days_before_however_many_are_made_together(
    spark: SparkSession,
) -> None:
    story = Story()
    for day, second in enumerate((100, 90_000)):
        before = story.to_json()
        story = Story(before)
        [row] = story.day([*joins(second, f"m{day}", day), *completes(second + 1, day + 1, 1)], ()).rebalances
    last = row["completed_at"]
    silent = Story(Story().to_json())
    silent.day([], ())
    told = [("eu", "g", story), ("eu", "silent", silent)]
    stories = spark.createDataFrame([(*group, json.dumps(of.to_json())) for *group, of in told], STORIES)
    at = dt.datetime(2026, 11, 18, 12, tzinfo=dt.UTC)
    rebalances = spark.createDataFrame(
        [("eu", "g", at, at), ("eu", "new", None, at), ("eu", "silent", None, None)], REBALANCES
    )
    micros = round(at.timestamp() * 1e6)
    assert lag_series.changes(rebalances, stories) == {("eu", "g"): [last, micros], ("eu", "new"): [micros]}
