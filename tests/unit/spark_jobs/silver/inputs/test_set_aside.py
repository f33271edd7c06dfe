"""A group or log whose processing raises is set aside, and all others are processed as without it."""

import datetime as dt
import json

import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession

import schemas
from kafka_telemetry.spill import Spill
from spark_jobs.lake.task_rows import TaskRows
from spark_jobs.silver.inputs.group_histories import follow_groups
from spark_jobs.silver.inputs.lag_series import READING_COLUMNS, build_lag_series
from spark_jobs.silver.inputs.replayed_groups import replay_groups
from spark_jobs.silver.inputs.row_by_row import day_number
from spark_jobs.silver.inputs.set_aside import Problems
from spark_jobs.silver.inputs.unique_log_lines import LINE_COLUMNS, deduplicate_lines

DAY = dt.date(2026, 11, 18)
NOON = dt.datetime(2026, 11, 18, 12)
BROKEN_STATE = json.dumps({"version": -1})


def rows_of(spark: SparkSession, table: str, *rows: dict[str, object]) -> DataFrame:
    names = schemas.table(table).column_names
    return spark.createDataFrame([tuple(row.get(name) for name in names) for row in rows], schemas.arrow_ddl(table))


def group_record(group_id: str, offset: int) -> dict[str, object]:
    value = {"protocolType": "consumer", "generation": 1, "protocol": "range", "leader": "m", "members": []}
    return {
        **{"cluster": "eu", "offsets_partition": 3, "day": DAY, "group_id": group_id, "key_type": 2, "kind": "group"},
        **{"value_json": json.dumps(value), "tombstone": False, "recorded_at": NOON, "record_offset": offset},
        **{"delivered_on": DAY, "source_file": "f", "source_position": offset},
    }


def test_a_group_whose_records_can_not_be_replayed_is_counted_and_set_aside(spark: SparkSession) -> None:
    records = rows_of(spark, "bronze.offset_records", group_record("good", 1), group_record("bad", 2))
    records = records.selectExpr("*", "0L as holes", "false as contradicted", "1L as copies")
    state = {
        **{"cluster": "eu", "day": DAY, "group_id": "bad", "incarnation": 1, "offsets_partition": 3},
        **{"heap": BROKEN_STATE, "complete": True, "record_offset": 0, "log_read_to": 0},
    }
    problems = Problems(spark)
    replayed = replay_groups(records, rows_of(spark, "silver.groups", state), [("eu", DAY)], {}, problems)
    generations = {(row.group_id, row.generation, row.record_offset) for row in replayed.generations.collect()}
    assert generations == {("good", 1, 1), ("bad", None, 2)}
    [problem] = problems.found()
    assert (problem.table, problem.cluster, problem.date) == ("silver.group_generations", "eu", DAY)
    assert json.loads(problem.subject) == {"group_id": "bad"}
    assert "UnknownStateVersion" in problem.error


def line(group_id: str, event: str, second: int) -> dict[str, object]:
    return {
        **{"cluster": "eu", "day": DAY, "delivered_on": DAY, "source_file": "f", "source_position": second},
        **{"kind": "event", "side": "broker", "event": event, "group_id": group_id, "generation": 1, "text": event},
        **{"happened_at": NOON + dt.timedelta(seconds=second), "origin": "b", "details": {"member_count": "1"}},
    }


def test_a_group_whose_history_can_not_be_followed_keeps_the_state_that_it_started_with(spark: SparkSession) -> None:
    lines = [line(group, event, 1) for group in ("good", "bad") for event in ("preparing_rebalance", "stabilized")]
    spill, problems = Spill(), Problems(spark)
    bronze = TaskRows(rows_of(spark, "bronze.log_lines", *lines).select(*LINE_COLUMNS))
    histories = follow_groups(
        deduplicate_lines(bronze, spill, 2),
        rows_of(spark, "silver.group_generations"),
        rows_of(spark, "silver.group_members"),
        rows_of(spark, "silver.group_owners"),
        rows_of(spark, "silver.stories", {"cluster": "eu", "day": DAY, "group_id": "bad", "story": BROKEN_STATE}),
        [("eu", DAY)],
        spill,
        problems,
    )
    assert [(row.group_id, row.generation) for row in histories.rebalances.collect()] == [("good", 1)]
    assert {row.group_id: row.story for row in histories.states.collect()}["bad"] == BROKEN_STATE
    assert [(problem.table, json.loads(problem.subject)) for problem in problems.found()] == [
        ("silver.rebalances", {"group_id": "bad"})
    ]


def reading(topic: str, minute: int) -> dict[str, object]:
    return {
        **{"cluster": "eu", "topic": topic, "partition_id": 0, "kind": "group_offset", "reporter": "describe"},
        **{"sampled_at": NOON + dt.timedelta(minutes=minute), "day": DAY, "group_id": topic, "committed_offset": 5},
        **{"log_end_offset": 9, "delivered_on": DAY, "source_file": "f", "source_position": minute},
    }


def test_a_log_whose_series_can_not_be_built_is_counted_and_set_aside(spark: SparkSession) -> None:
    readings = [reading(topic, minute) for topic in ("good", "bad") for minute in (1, 2)]
    rows = TaskRows(rows_of(spark, "bronze.lag_readings", *readings).select(*READING_COLUMNS))
    problems = Problems(spark)
    # Not a time: what nobody has foreseen.
    changes = {("eu", "bad"): ["noon"]}
    series = build_lag_series(rows, pc.field("day").is_valid(), changes, Spill(), 2, problems)  # type: ignore[arg-type]
    samples = {(row.topic, row.lag, row.copies) for row in series.samples.rows("topic", "lag", "copies").collect()}
    assert samples == {("good", 4, 1), ("bad", None, 1)}
    assert len(series.samples.rows("topic").collect()) == 4
    assert [json.loads(problem.subject) for problem in problems.found()] == [{"topic": "bad", "partition_id": 0}]
    assert problems.found()[0].day == day_number(DAY)
