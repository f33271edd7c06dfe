"""The position before each commit; log ends beside it; copies without a place in the log; the state that a day leaves."""

import datetime as dt
import json

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import schemas
from expectations import gate
from kafka_telemetry.offsets.log_ends import LogEnds
from kafka_telemetry.spill import Spill
from spark_jobs.lake.task_rows import TaskRows
from spark_jobs.silver import offset_commits, positions
from spark_jobs.silver.inputs.end_of_day import logs_read

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
    told = [tuple({**RECORD, **row}.get(name) for name in names) for row in rows]
    return spark.createDataFrame(told, schemas.arrow_ddl("bronze.offset_records")).coalesce(1)


def nothing(spark: SparkSession, table: str) -> DataFrame:
    return spark.createDataFrame([], schemas.arrow_ddl(table))


def commits_of(
    spark: SparkSession,
    rows: list[dict[str, object]],
    before: DataFrame,
    unplaced: list[dict[str, object]] | None = None,
) -> offset_commits.Commits:
    log = offset_commits.log_of(
        TaskRows(records(spark, *rows)),
        nothing(spark, "bronze.offset_records"),
        before,
        before,
        LogEnds(),
        None if unplaced is None else records(spark, *unplaced),
        Spill(),
    )
    partitions = spark.createDataFrame([("eu", DAY, 50)], "cluster string, day date, offsets_partitions int")
    return offset_commits.Commits(log, partitions, gate.rules_for("silver.offset_commits", {}, on="offered"))


def accepted(
    spark: SparkSession,
    *rows: dict[str, object],
    before: DataFrame | None = None,
    unplaced: list[dict[str, object]] | None = None,
) -> DataFrame:
    state = before if before is not None else nothing(spark, "silver.positions")
    commits = commits_of(spark, list(rows), state, unplaced)
    lawful = gate.lawful(commits.rows()).withColumn("ended_by", F.lit(None).cast("string"))
    return offset_commits.accepted(lawful, state, offset_commits.disturbed(commits, state))


def told(rows: DataFrame, *columns: str) -> list[tuple[object, ...]]:
    return [
        tuple(row)
        for row in rows.orderBy(*(c for c in ("record_offset", "source_file") if c in rows.columns))
        .select(*columns)
        .collect()
    ]


def commit(offset: int, committed: int | None, **more: object) -> dict[str, object]:
    return {"record_offset": offset, "committed_offset": committed, "tombstone": committed is None, **more}


def in_transaction(offset: int, committed: int, producer: int) -> dict[str, object]:
    return commit(offset, committed, transactional=True, producer_id=producer)


def marker(offset: int, end: str, producer: int) -> dict[str, object]:
    return {"record_offset": offset, "kind": "marker", "marker": end, "producer_id": producer, "transactional": True,
            "group_id": None, "topic": None, "partition_id": None, "committed_at": None, "key_type": None}  # fmt: skip


def test_the_position_before_skips_what_never_counted(spark: SparkSession) -> None:
    rows = accepted(
        spark,
        commit(1, 10),
        in_transaction(2, 99, producer=7),
        marker(3, "abort", producer=7),
        commit(4, 20),
        commit(5, None),
        commit(6, 5),
    )
    assert told(rows, "record_offset", "previous_committed_offset", "previous_record_offset", "after_tombstone") == [
        (1, None, None, False), (2, 10, 1, False), (4, 10, 1, False), (5, 20, 4, False), (6, None, None, True),
    ]  # fmt: skip


def printed(line: int, committed: int | None, **more: object) -> dict[str, object]:
    """What a console consumer prints: no position in the log, no time of the record."""
    nowhere = {"kind": "unplaced_commit", "record_offset": None, "offsets_partition": None, "recorded_at": None}
    known = {"key_type": None, "committed_offset": committed, "tombstone": committed is None, "transactional": None}
    return {"source_file": "console.txt", "source_position": line, **nowhere, **known, **more}


def test_a_copy_without_a_position_is_the_record_with_its_content(spark: SparkSession) -> None:
    later = NOON + dt.timedelta(seconds=5)
    rows = accepted(
        spark,
        *(commit(0, 10), commit(1, 10), commit(2, None), commit(3, 20, committed_at=later)),
        # The n-th of equal ones is the log's n-th, and a third is the last printed again; a position between is in no log.
        unplaced=[
            *(printed(0, 10), printed(1, 10), printed(2, 10), printed(3, None)),
            printed(4, 15, committed_at=NOON + dt.timedelta(seconds=2)),
            printed(0, 10, source_file="second.txt"),
        ],
    )
    columns = ("record_offset", "committed_offset", "transaction", "previous_committed_offset", "source_position")
    found = sorted(told(rows, *columns), key=str)
    assert found == sorted(
        [
            (0, 10, "none", None, 0), (1, 10, "none", 10, 0), (2, None, "none", 10, 0),
            (None, 15, None, None, 4), (3, 20, "none", 15, 0),
        ], key=str,
    )  # fmt: skip


def test_what_a_console_consumer_prints_again_after_its_session_was_lost_is_no_second_commit(
    spark: SparkSession,
) -> None:
    rows = accepted(spark, unplaced=[printed(1, 10), printed(2, 10), printed(3, None), printed(4, None)])
    assert sorted(told(rows, "committed_offset", "source_position"), key=str) == [(10, 1), (None, 3), (None, 4)]


def generation(number: int, *members: str, **more: object) -> dict[str, object]:
    value = {
        "protocolType": "consumer",
        "generation": number,
        "members": [{"memberId": name, **more} for name in members],
    }
    return {"kind": "group", "key_type": 2, "value_json": json.dumps(value), "topic": None, "partition_id": None,
            "committed_at": None, "metadata": None}  # fmt: skip


def test_what_a_text_prints_of_a_group_is_the_record_with_its_generation_and_members(spark: SparkSession) -> None:
    nowhere = {"kind": "unplaced_group", "record_offset": None, "offsets_partition": None, "recorded_at": None}
    log_rows = [
        {**generation(2, "b", "a", assignment={"assignedPartitions": []}), "record_offset": 5},
        {**generation(3, "b", assignment={"assignedPartitions": []}), "record_offset": 6},
    ]
    # Of what the cleaner took nobody knows where it stood; a group that no log holds is known by the text alone.
    text = [generation(1, "a"), generation(2, "a", "b"), generation(3, "b"), generation(3, "b")]
    text += [{**generation(1, "z"), "group_id": "other"}]
    printed_rows = [{**row, **nowhere, "source_position": line} for line, row in enumerate(text)]
    log = commits_of(spark, log_rows, nothing(spark, "silver.positions"), printed_rows).log
    assert sorted(told(log.rows(), "group_id", "record_offset", "kind"), key=str) == [
        ("g", 5, "group"), ("g", 6, "group"), ("other", None, "group"),
    ]  # fmt: skip
    assert sum(row.copies for row in log.rows().collect()) == len(log_rows) + len(text)


def test_where_no_log_is_delivered_commits_follow_their_times(spark: SparkSession) -> None:
    second, third = (NOON + dt.timedelta(seconds=number) for number in (1, 2))
    unplaced = [printed(9, 10), printed(3, 30, committed_at=third), printed(5, 20, committed_at=second)]
    rows = accepted(spark, unplaced=unplaced)
    assert sorted(told(rows, "committed_offset", "previous_committed_offset", "complete")) == [
        (10, None, None), (20, 10, False), (30, 20, False),
    ]  # fmt: skip


def test_a_hole_between_two_positions_makes_their_gap_incomplete(spark: SparkSession) -> None:
    rows = accepted(spark, commit(0, 10), commit(1, 20), commit(4, 30), commit(5, 40))
    assert told(rows, "record_offset", "complete") == [(0, None), (1, True), (4, False), (5, True)]


def test_a_day_starts_from_the_state_that_the_day_before_left(spark: SparkSession) -> None:
    names = schemas.table("silver.positions").column_names
    state = {
        "cluster": "eu", "day": DAY - dt.timedelta(1), "group_id": "g", "topic": "t", "partition_id": 0,
        "committed_offset": 10, "committed_at": NOON, "recorded_at": NOON, "offsets_partition": 3,
        "record_offset": 40, "complete": True, "log_read_to": 99, "topic_id": None,
    }  # fmt: skip
    before = spark.createDataFrame([tuple(state[name] for name in names)], schemas.arrow_ddl("silver.positions"))
    columns = ("previous_committed_offset", "previous_record_offset", "complete")
    assert told(accepted(spark, commit(100, 20), before=before), *columns) == [(10, 40, True)]
    # Between 99 and 101 something was never delivered.
    assert told(accepted(spark, commit(101, 20), before=before), *columns) == [(10, 40, False)]


def test_days_made_together_leave_the_states_that_they_leave_one_by_one(spark: SparkSession) -> None:
    tomorrow = DAY + dt.timedelta(1)
    rows = [
        commit(0, 10), commit(1, 20), commit(2, 7, partition_id=1), commit(3, None, partition_id=2),
        commit(5, 30, day=tomorrow, recorded_at=NOON + dt.timedelta(1)),
    ]  # fmt: skip
    nowhere = nothing(spark, "silver.positions")

    def states(days: list[dt.date], of: list[dict[str, object]], before: DataFrame) -> DataFrame:
        commits = commits_of(spark, of, before)
        made = spark.createDataFrame([("eu", days)], "cluster string, days array<date>")
        logs = logs_read(made, commits.log.rows(), before.select("cluster", "offsets_partition", "day", "log_read_to"))
        standing = offset_commits.standing(commits, offset_commits.disturbed(commits, before))
        return positions.positions(standing, before, logs, made)

    together = states([DAY, tomorrow], rows, nowhere)
    first = states([DAY], rows[:4], nowhere)
    second = states([tomorrow], rows[4:], first)
    expected = sorted(map(str, first.unionByName(second).collect()))
    assert sorted(map(str, together.collect())) == expected
    assert told(together.where(F.col("day") == F.lit(tomorrow)), "partition_id", "committed_offset", "complete", "log_read_to") == [
        (1, 7, False, 5), (2, None, False, 5), (0, 30, True, 5),
    ]  # fmt: skip


def test_what_is_rejected_is_no_position_before_another(spark: SparkSession) -> None:
    rows = accepted(
        spark, commit(0, 10), commit(1, -5), commit(2, 20), commit(3, 7, partition_id=1), commit(4, 8, partition_id=1)
    )
    assert told(rows, "record_offset", "previous_committed_offset", "previous_record_offset") == [
        (0, None, None), (2, 10, 0), (3, None, None), (4, 7, 3),
    ]  # fmt: skip


def test_a_printed_tombstone_stands_behind_what_its_file_has_of_the_key(spark: SparkSession) -> None:
    later, at_last = NOON + dt.timedelta(seconds=9), NOON + dt.timedelta(seconds=20)
    rows = accepted(
        spark,
        unplaced=[
            printed(1, 1447),
            printed(2, None, committed_at=None),
            printed(3, 500, committed_at=later),
            # A dump that names no partition prints when it was written.
            printed(4, None, committed_at=None, recorded_at=at_last),
        ],
    )
    found = told(rows, "source_position", "previous_committed_offset", "after_tombstone", "recorded_at")
    assert sorted(found, key=str) == [
        (1, None, False, None), (2, 1447, False, None), (3, None, True, None), (4, 500, False, at_last),
    ]  # fmt: skip
