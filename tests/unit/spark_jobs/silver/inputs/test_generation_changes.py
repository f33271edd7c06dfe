"""When the generation of each group changed: on the days themselves, and last before them."""

import datetime as dt
import json

from pyspark.sql import SparkSession
from support.history_events import completes, joins

from kafka_telemetry.groups.history import history_state
from kafka_telemetry.groups.history.group_history import GroupHistory
from spark_jobs.silver.inputs.lag_series import generation_changes

REBALANCES = "cluster string, group_id string, completed_at timestamp, told_at timestamp"
STATES = "cluster string, group_id string, story string"


def test_the_last_change_before_the_days_comes_first_however_many_days_are_built_together(spark: SparkSession) -> None:
    history = GroupHistory()
    for day, second in enumerate((100, 90_000)):
        history = GroupHistory(history.state())
        [row] = history.add_day([*joins(second, f"m{day}", day), *completes(second + 1, day + 1, 1)], ()).rebalances
    last = row["completed_at"]
    silent = GroupHistory(GroupHistory().state())
    silent.add_day([], ())
    states = spark.createDataFrame(
        [
            ("eu", group, json.dumps(history_state.encode(state)))
            for group, state in (("g", history.state()), ("silent", silent.state()))
        ],
        STATES,
    )
    at = dt.datetime(2026, 11, 18, 12, tzinfo=dt.UTC)
    rebalances = spark.createDataFrame(
        [("eu", "g", at, at), ("eu", "new", None, at), ("eu", "silent", None, None)], REBALANCES
    )
    micros = round(at.timestamp() * 1e6)
    assert generation_changes(rebalances, states) == {("eu", "g"): [last, micros], ("eu", "new"): [micros]}
