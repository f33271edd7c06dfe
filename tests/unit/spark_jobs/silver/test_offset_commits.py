"""Previous positions of commits, commits without a log position, and the positions at the end of a day."""

import datetime as dt
import json

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import schemas
from expectations import gate
from kafka_telemetry.offsets.log_ends import LogEnds
from kafka_telemetry.spill import Spill
from spark_jobs.lake.task_rows import TaskRows
from spark_jobs.silver import positions
from spark_jobs.silver.inputs.end_of_day import logs_read
from spark_jobs.silver.inputs.merged_log import COMMIT, merge_log, with_console_copies
from spark_jobs.silver.inputs.previous_positions import keys_to_recompute
from spark_jobs.silver.inputs.spilled_rows import SpilledRows
from spark_jobs.silver.offset_commits import with_previous_positions

DAY = dt.date(2026, 11, 18)
NOON = dt.datetime(2026, 11, 18, 12)
RECORD = {
    "cluster": "eu",
    "delivered_on": DAY,
    "day": DAY,
    "source_file": "a.log",
    "source_position": 0,
    "kind": "commit",
    "offsets_partition": 3,
    "recorded_at": NOON,
    "committed_at": NOON,
    "batch_leader_epoch": 1,
    "key_type": 1,
    "value_version": 3,
    "tombstone": False,
    "transactional": False,
    "group_id": "g",
    "topic": "t",
    "partition_id": 0,
    "metadata": "",
}


def records(spark: SparkSession, *rows: dict[str, object]) -> DataFrame:
    names = schemas.table("bronze.offset_records").column_names
    filled = [tuple({**RECORD, **row}.get(name) for name in names) for row in rows]
    return spark.createDataFrame(filled, schemas.arrow_ddl("bronze.offset_records")).coalesce(1)


def empty(spark: SparkSession, table: str) -> DataFrame:
    return spark.createDataFrame([], schemas.arrow_ddl(table))


def merged(
    spark: SparkSession,
    rows: list[dict[str, object]],
    before: DataFrame,
    unplaced: list[dict[str, object]] | None = None,
) -> SpilledRows:
    bronze, later_markers = TaskRows(records(spark, *rows)), empty(spark, "bronze.offset_records")
    log = merge_log(bronze, later_markers, before, before, LogEnds(), Spill(), tasks=2)
    return log if unplaced is None else with_console_copies(log, records(spark, *unplaced), LogEnds())


def commits_with_verdicts(log: SpilledRows) -> DataFrame:
    commits = log.only(COMMIT).rows().withColumn("offsets_partitions", F.lit(50))
    return gate.with_verdicts(commits, gate.rules_for("silver.offset_commits", {}, on="parsed"))


def accepted(
    spark: SparkSession,
    *rows: dict[str, object],
    before: DataFrame | None = None,
    unplaced: list[dict[str, object]] | None = None,
) -> DataFrame:
    state = before if before is not None else empty(spark, "silver.positions")
    commits = commits_with_verdicts(merged(spark, list(rows), state, unplaced))
    valid = gate.valid(commits).withColumn("ended_by", F.lit(None).cast("string"))
    return with_previous_positions(valid, state, keys_to_recompute(commits, state))


def values(rows: DataFrame, *columns: str) -> list[tuple[object, ...]]:
    """The values of the columns, in the order of the log."""
    order = [column for column in ("record_offset", "source_file") if column in rows.columns]
    return [tuple(row) for row in rows.orderBy(*order).select(*columns).collect()]


def commit(offset: int, committed: int | None, **fields: object) -> dict[str, object]:
    return {"record_offset": offset, "committed_offset": committed, "tombstone": committed is None, **fields}


def in_transaction(offset: int, committed: int, producer: int) -> dict[str, object]:
    return commit(offset, committed, transactional=True, producer_id=producer)


def marker(offset: int, end: str, producer: int) -> dict[str, object]:
    return {"record_offset": offset, "kind": "marker", "marker": end, "producer_id": producer, "transactional": True,
            "group_id": None, "topic": None, "partition_id": None, "committed_at": None, "key_type": None}  # fmt: skip


def test_the_previous_position_is_that_of_the_last_effective_commit(spark: SparkSession) -> None:
    rows = accepted(
        spark,
        commit(1, 10),
        in_transaction(2, 99, producer=7),
        marker(3, "abort", producer=7),
        commit(4, 20),
        commit(5, None),
        commit(6, 5),
    )
    assert values(rows, "record_offset", "previous_committed_offset", "previous_record_offset", "after_tombstone") == [
        (1, None, None, False), (2, 10, 1, False), (4, 10, 1, False), (5, 20, 4, False), (6, None, None, True),
    ]  # fmt: skip


WITHOUT_POSITION = {"record_offset": None, "offsets_partition": None, "recorded_at": None}


def printed(line: int, committed: int | None, **fields: object) -> dict[str, object]:
    """A commit as a console consumer prints it: without its log position and the time of its record."""
    record = {"kind": "unplaced_commit", "key_type": None, "transactional": None, **WITHOUT_POSITION}
    value = {"committed_offset": committed, "tombstone": committed is None}
    return {"source_file": "console.txt", "source_position": line, **record, **value, **fields}


def test_a_copy_without_a_log_position_is_the_record_with_equal_content(spark: SparkSession) -> None:
    later = NOON + dt.timedelta(seconds=5)
    rows = accepted(
        spark,
        *(commit(0, 10), commit(1, 10), commit(2, None), commit(3, 20, committed_at=later)),
        # The n-th of equal printed records is the n-th of the log. A third is a copy of the second, and the log lacks 15.
        unplaced=[
            *(printed(0, 10), printed(1, 10), printed(2, 10), printed(3, None)),
            printed(4, 15, committed_at=NOON + dt.timedelta(seconds=2)),
            printed(0, 10, source_file="second.txt"),
        ],
    )
    columns = ("record_offset", "committed_offset", "transaction", "previous_committed_offset", "source_position")
    found = sorted(values(rows, *columns), key=str)
    assert found == sorted(
        [
            (0, 10, "none", None, 0), (1, 10, "none", 10, 0), (2, None, "none", 10, 0),
            (None, 15, None, None, 4), (3, 20, "none", 15, 0),
        ], key=str,
    )  # fmt: skip


def test_records_that_a_console_consumer_prints_twice_after_losing_its_session_are_copies(
    spark: SparkSession,
) -> None:
    rows = accepted(spark, unplaced=[printed(1, 10), printed(2, 10), printed(3, None), printed(4, None)])
    assert sorted(values(rows, "committed_offset", "source_position"), key=str) == [(10, 1), (None, 3), (None, 4)]


def generation(number: int, *members: str, **member_fields: object) -> dict[str, object]:
    described = [{"memberId": name, **member_fields} for name in members]
    value = {"protocolType": "consumer", "generation": number, "members": described}
    return {"kind": "group", "key_type": 2, "value_json": json.dumps(value), "topic": None, "partition_id": None,
            "committed_at": None, "metadata": None}  # fmt: skip


def test_a_group_record_in_text_is_a_copy_of_the_record_with_its_generation_and_members(spark: SparkSession) -> None:
    log_rows = [
        {**generation(2, "b", "a", assignment={"assignedPartitions": []}), "record_offset": 5},
        {**generation(3, "b", assignment={"assignedPartitions": []}), "record_offset": 6},
    ]
    # The log cleaner has removed generation 1. The log has no record of the other group.
    in_text = [generation(1, "a"), generation(2, "a", "b"), generation(3, "b"), generation(3, "b")]
    in_text += [{**generation(1, "z"), "group_id": "other"}]
    unplaced = [
        {**row, **WITHOUT_POSITION, "kind": "unplaced_group", "source_position": line}
        for line, row in enumerate(in_text)
    ]
    log = merged(spark, log_rows, empty(spark, "silver.positions"), unplaced)
    assert sorted(values(log.rows(), "group_id", "record_offset", "kind"), key=str) == [
        ("g", 5, "group"), ("g", 6, "group"), ("other", None, "group"),
    ]  # fmt: skip
    assert sum(row.copies for row in log.rows().collect()) == len(log_rows) + len(in_text)


def test_commits_without_a_log_are_ordered_by_commit_time(spark: SparkSession) -> None:
    second, third = (NOON + dt.timedelta(seconds=number) for number in (1, 2))
    unplaced = [printed(9, 10), printed(3, 30, committed_at=third), printed(5, 20, committed_at=second)]
    rows = accepted(spark, unplaced=unplaced)
    assert sorted(values(rows, "committed_offset", "previous_committed_offset", "complete")) == [
        (10, None, None), (20, 10, False), (30, 20, False),
    ]  # fmt: skip


def test_a_hole_between_two_positions_makes_their_gap_incomplete(spark: SparkSession) -> None:
    rows = accepted(spark, commit(0, 10), commit(1, 20), commit(4, 30), commit(5, 40))
    assert values(rows, "record_offset", "complete") == [(0, None), (1, True), (4, False), (5, True)]


def test_a_day_starts_from_the_positions_that_the_day_before_left(spark: SparkSession) -> None:
    names = schemas.table("silver.positions").column_names
    state = {
        "cluster": "eu", "day": DAY - dt.timedelta(1), "group_id": "g", "topic": "t", "partition_id": 0,
        "committed_offset": 10, "committed_at": NOON, "recorded_at": NOON, "offsets_partition": 3,
        "record_offset": 40, "complete": True, "log_read_to": 99, "topic_id": None,
    }  # fmt: skip
    before = spark.createDataFrame([tuple(state[name] for name in names)], schemas.arrow_ddl("silver.positions"))
    columns = ("previous_committed_offset", "previous_record_offset", "complete")
    assert values(accepted(spark, commit(100, 20), before=before), *columns) == [(10, 40, True)]
    # The record at 100 was never delivered.
    assert values(accepted(spark, commit(101, 20), before=before), *columns) == [(10, 40, False)]


def test_days_built_together_leave_the_same_positions_as_days_built_one_by_one(spark: SparkSession) -> None:
    tomorrow = DAY + dt.timedelta(1)
    rows = [
        commit(0, 10), commit(1, 20), commit(2, 7, partition_id=1), commit(3, None, partition_id=2),
        commit(5, 30, day=tomorrow, recorded_at=NOON + dt.timedelta(1)),
    ]  # fmt: skip
    no_positions = empty(spark, "silver.positions")

    def states(days: list[dt.date], rows: list[dict[str, object]], before: DataFrame) -> DataFrame:
        log = merged(spark, rows, before)
        built = spark.createDataFrame([("eu", days)], "cluster string, days array<date>")
        logs = logs_read(built, log, before.select("cluster", "offsets_partition", "day", "log_read_to"))
        newest = positions.newest_positions(gate.valid(commits_with_verdicts(log)), before, built)
        return positions.end_of_day_positions(newest, None, logs)

    together = states([DAY, tomorrow], rows, no_positions)
    first = states([DAY], rows[:4], no_positions)
    second = states([tomorrow], rows[4:], first)
    expected = sorted(map(str, first.unionByName(second).collect()))
    assert sorted(map(str, together.collect())) == expected
    columns = ("partition_id", "committed_offset", "complete", "log_read_to")
    assert values(together.where(F.col("day") == F.lit(tomorrow)), *columns) == [
        (1, 7, False, 5), (2, None, False, 5), (0, 30, True, 5),
    ]  # fmt: skip


def test_a_rejected_commit_is_not_the_previous_position_of_another(spark: SparkSession) -> None:
    rows = accepted(
        spark, commit(0, 10), commit(1, -5), commit(2, 20), commit(3, 7, partition_id=1), commit(4, 8, partition_id=1)
    )
    assert values(rows, "record_offset", "previous_committed_offset", "previous_record_offset") == [
        (0, None, None), (2, 10, 0), (3, None, None), (4, 7, 3),
    ]  # fmt: skip


def test_a_printed_tombstone_follows_the_records_of_its_key_in_its_file(spark: SparkSession) -> None:
    later, latest = NOON + dt.timedelta(seconds=9), NOON + dt.timedelta(seconds=20)
    rows = accepted(
        spark,
        unplaced=[
            printed(1, 1447),
            printed(2, None, committed_at=None),
            printed(3, 500, committed_at=later),
            # The output of kafka-dump-log has the time of the record, even if it names no partition.
            printed(4, None, committed_at=None, recorded_at=latest),
        ],
    )
    found = values(rows, "source_position", "previous_committed_offset", "after_tombstone", "recorded_at")
    assert sorted(found, key=str) == [
        (1, None, False, None), (2, 1447, False, None), (3, None, True, None), (4, 500, False, latest),
    ]  # fmt: skip
