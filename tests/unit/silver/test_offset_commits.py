"""One log out of copies; how transactions ended; the position before each commit; the state that a day leaves."""

import datetime as dt

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import schemas
from spark_jobs.silver import offset_commits, positions
from spark_jobs.silver.end_of_day import logs_read
from spark_jobs.silver.log_copies import one_log
from spark_jobs.silver.transactions import resolved

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


def accepted(spark: SparkSession, *rows: dict[str, object], before: DataFrame | None = None) -> DataFrame:
    state = before if before is not None else nothing(spark, "silver.positions")
    offered = offset_commits.offered(
        records(spark, *rows),
        nothing(spark, "bronze.offset_records"),
        state,
        spark.createDataFrame(
            [], "cluster string, topic string, partition_id int, sampled_at timestamp, log_end_offset bigint"
        ),
        spark.createDataFrame([("eu", DAY, 50)], "cluster string, day date, offsets_partitions int"),
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


def test_equal_copies_are_one_record_and_the_fuller_one_is_kept(spark: SparkSession) -> None:
    log = one_log(
        records(
            spark,
            commit(5, 100, source_file="poorer.txt", committed_at=None, metadata=None),
            commit(5, 100, source_file="b.log"),
            commit(5, 100, source_file="c.log"),
        )
    )
    assert told(log, "source_file", "copies", "contradicted") == [("b.log", 3, False)]


def test_of_two_that_contradict_each_other_the_higher_leader_epoch_counts(spark: SparkSession) -> None:
    log = one_log(
        records(spark, commit(5, 100, source_file="old"), commit(5, 101, batch_leader_epoch=2, source_file="new"))
    )
    assert told(log, "source_file", "committed_offset", "contradicted") == [("new", 101, False), ("old", 100, True)]


def test_a_transaction_ends_by_the_next_marker_of_its_producer(spark: SparkSession) -> None:
    log = one_log(
        records(
            spark,
            in_transaction(1, 10, producer=7),
            in_transaction(2, 20, producer=8),
            commit(3, 11),
            marker(4, "abort", producer=8),
            marker(5, "commit", producer=7),
            in_transaction(6, 30, producer=7),
        )
    )
    later = records(spark, marker(90, "abort", producer=9))
    assert told(resolved(log, later).where("kind = 'commit'"), "record_offset", "transaction") == [
        (1, "committed"), (2, "aborted"), (3, "none"), (6, "open"),
    ]  # fmt: skip
    settled = records(spark, marker(90, "commit", producer=7))
    assert told(resolved(log, settled).where("record_offset = 6"), "transaction") == [("committed",)]


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


def test_a_hole_between_two_positions_makes_their_gap_incomplete(spark: SparkSession) -> None:
    rows = accepted(spark, commit(0, 10), commit(1, 20), commit(4, 30), commit(5, 40))
    assert told(rows, "record_offset", "complete") == [(0, None), (1, True), (4, False), (5, True)]


def test_a_day_starts_from_the_state_that_the_day_before_left(spark: SparkSession) -> None:
    names = schemas.table("silver.positions").column_names
    state = {
        "cluster": "eu", "day": DAY - dt.timedelta(1), "group_id": "g", "topic": "t", "partition_id": 0,
        "committed_offset": 10, "committed_at": NOON, "recorded_at": NOON, "offsets_partition": 3,
        "record_offset": 40, "complete": True, "log_read_to": 99,
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
