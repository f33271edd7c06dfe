"""The position before each commit; log ends beside it; copies without a place in the log; the state that a day leaves."""

import datetime as dt
import json

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import schemas
from spark_jobs.silver import offset_commits, positions
from spark_jobs.silver import unplaced as unplaced_copies
from spark_jobs.silver.end_of_day import logs_read

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


def accepted(
    spark: SparkSession,
    *rows: dict[str, object],
    before: DataFrame | None = None,
    unplaced: list[dict[str, object]] | None = None,
) -> DataFrame:
    state = before if before is not None else nothing(spark, "silver.positions")
    offered = offset_commits.offered(
        records(spark, *rows),
        nothing(spark, "bronze.offset_records"),
        state,
        spark.createDataFrame(
            [], "cluster string, topic string, partition_id int, sampled_at timestamp, log_end_offset bigint"
        ),
        spark.createDataFrame([("eu", DAY, 50)], "cluster string, day date, offsets_partitions int"),
        None if unplaced is None else records(spark, *unplaced),
    )
    return offset_commits.accepted(offered.where("kind = 'commit'"), state)


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
    log = [
        {**generation(2, "b", "a", assignment={"assignedPartitions": []}), "record_offset": 5},
        {**generation(3, "b", assignment={"assignedPartitions": []}), "record_offset": 6},
    ]
    # Of what the cleaner took nobody knows where it stood; a group that no log holds is known by the text alone.
    text = [generation(1, "a"), generation(2, "a", "b"), generation(3, "b"), generation(3, "b")]
    text += [{**generation(1, "z"), "group_id": "other"}]
    rows = unplaced_copies.found(
        records(spark, *log).withColumns({"copies": F.lit(1), "contradicted": F.lit(False)}),
        records(spark, *({**row, **nowhere, "source_position": line} for line, row in enumerate(text))),
    )
    assert sorted(told(rows, "group_id", "record_offset", "copies"), key=str) == [
        ("g", 5, 3), ("g", 6, 3), ("other", None, 1),
    ] or sorted(told(rows, "group_id", "record_offset", "copies"), key=str) == [
        ("g", 5, 2), ("g", 6, 4), ("other", None, 1),
    ]  # fmt: skip


def test_where_no_log_is_delivered_commits_follow_their_times(spark: SparkSession) -> None:
    second, third = (NOON + dt.timedelta(seconds=number) for number in (1, 2))
    unplaced = [printed(9, 10), printed(3, 30, committed_at=third), printed(5, 20, committed_at=second)]
    rows = accepted(spark, unplaced=unplaced)
    assert sorted(told(rows, "committed_offset", "previous_committed_offset", "complete")) == [
        (10, None, None), (20, 10, False), (30, 20, False),
    ]  # fmt: skip


def test_a_dump_that_prints_no_commit_time_tells_when_the_record_was_written(spark: SparkSession) -> None:
    later = NOON + dt.timedelta(seconds=5)
    rows = accepted(
        spark, commit(0, 10, committed_at=None), commit(1, 20, committed_at=None, recorded_at=later), commit(2, None)
    )
    assert told(rows, "committed_at", "previous_committed_at") == [(NOON, None), (later, NOON), (None, later)]


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
        offered = offset_commits.offered(
            records(spark, *of),
            nothing(spark, "bronze.offset_records"),
            before,
            spark.createDataFrame(
                [], "cluster string, topic string, partition_id int, sampled_at timestamp, log_end_offset bigint"
            ),
            spark.createDataFrame([], "cluster string, day date, offsets_partitions int"),
        )
        made = spark.createDataFrame([("eu", days)], "cluster string, days array<date>")
        logs = logs_read(made, offered, before.select("cluster", "offsets_partition", "day", "log_read_to"))
        return positions.positions(offered.where("kind = 'commit'"), before, logs, made)

    together = states([DAY, tomorrow], rows, nowhere)
    first = states([DAY], rows[:4], nowhere)
    second = states([tomorrow], rows[4:], first)
    expected = sorted(map(str, first.unionByName(second).collect()))
    assert sorted(map(str, together.collect())) == expected
    assert told(together.where(F.col("day") == F.lit(tomorrow)), "partition_id", "committed_offset", "complete", "log_read_to") == [
        (1, 7, False, 5), (2, None, False, 5), (0, 30, True, 5),
    ]  # fmt: skip


def test_a_commit_is_told_the_log_ends_nearest_to_it_an_hour_away_at_most(spark: SparkSession) -> None:
    def at(minutes: int) -> dt.datetime:
        return NOON + dt.timedelta(minutes=minutes)

    ends = [
        ("eu", "t", 0, at(0), 100),
        ("eu", "t", 0, at(10), 110),
        ("eu", "t", 0, at(200), 300),
        ("eu", "u", 0, at(5), 7),
    ]
    offered = offset_commits.offered(
        records(
            spark,
            *(
                commit(number, number, committed_at=at(minutes))
                for number, minutes in enumerate((-61, -60, 0, 4, 10, 70, 71, 140, 200, 261))
            ),
            commit(10, 1, committed_at=None, recorded_at=None),
            commit(11, 1, topic="unseen"),
        ),
        nothing(spark, "bronze.offset_records"),
        nothing(spark, "silver.positions"),
        spark.createDataFrame(
            ends, "cluster string, topic string, partition_id int, sampled_at timestamp, log_end_offset bigint"
        ),
        spark.createDataFrame([("eu", DAY, 50)], "cluster string, day date, offsets_partitions int"),
    )
    assert told(offered, "record_offset", "log_end_before", "log_end_after") == [
        (0, None, None), (1, None, 100), (2, 100, 100), (3, 100, 110), (4, 110, 110), (5, 110, None),
        (6, None, None), (7, None, 300), (8, 300, 300), (9, None, None), (10, None, None), (11, None, None),
    ]  # fmt: skip
