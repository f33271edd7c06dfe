"""The last commit of a reader that closed or revoked its partition, and how far that reader had got."""

import datetime as dt

from pyspark.sql import SparkSession

from spark_jobs.silver.inputs import last_commits

KEY = ("eu", "g", "t", 0)
STARTS = "cluster string, group_id string, topic string, partition_id int, started_at timestamp, cause string, ended_by string"
MOVED = "cluster string, group_id string, topic string, partition_id int, at timestamp"
FAILED = f"{MOVED}, committed_offset bigint"
READINGS = "cluster string, group_id string, topic string, partition_id int, since timestamp, until timestamp"
COMMITS = (
    "cluster string, group_id string, topic string, partition_id int, offsets_partition int, record_offset bigint,"
    "committed_at timestamp, committed_offset bigint"
)


def at(minute: float) -> dt.datetime:
    return dt.datetime(2026, 11, 18, 12) + dt.timedelta(minutes=minute)


def test_the_last_commit_before_an_orderly_stop_knows_how_far_its_reader_had_got(spark: SparkSession) -> None:
    starts = spark.createDataFrame(
        [
            (*KEY, at(0), "first", None),
            (*KEY, at(10), "assigned", "left"),
            (*KEY, at(20), "kept", "revoked"),
            # The reader before died.
            (*KEY, at(30), "assigned", "session_timeout"),
            (*KEY, at(40), "assigned", "left"),
        ],
        STARTS,
    )
    moved = spark.createDataFrame([(*KEY, at(35))], MOVED)
    commits = spark.createDataFrame(
        [
            (*KEY, 3, 1, at(1), 100), (*KEY, 3, 2, at(2), 300), (*KEY, 3, 3, at(9), 200),
            (*KEY, 3, 4, at(11), 250), (*KEY, 3, 5, at(19), 400),
            (*KEY, 3, 6, at(21), 500), (*KEY, 3, 7, at(22), 450),
            # It sought back itself.
            (*KEY, 3, 8, at(31), 600), (*KEY, 3, 9, at(36), 100),
        ],
        COMMITS,
    )  # fmt: skip
    readings = last_commits.orderly_readings(starts, moved)
    nothing = spark.createDataFrame([], FAILED)
    found = {tuple(row) for row in last_commits.last_commits(commits, nothing, readings).collect()}
    assert found == {("eu", 3, 3, 300), ("eu", 3, 5, 400), ("eu", 3, 9, 100)}


def test_a_commit_that_failed_shows_how_far_its_reader_had_got(spark: SparkSession) -> None:
    readings = spark.createDataFrame([(*KEY, at(0), at(10)), (*KEY, at(10), at(20))], READINGS)
    commits = spark.createDataFrame([(*KEY, 3, 1, at(1), 100), (*KEY, 3, 2, at(2), 200)], COMMITS)
    # The second reading has no commit that the log holds, so there is no row to judge.
    failed = spark.createDataFrame([(*KEY, at(9), 300), (*KEY, at(11), 400)], FAILED)
    found = {tuple(row) for row in last_commits.last_commits(commits, failed, readings).collect()}
    assert found == {("eu", 3, 2, 300)}


def test_a_reading_has_the_commits_from_its_start_to_before_its_end(spark: SparkSession) -> None:
    other = (*KEY[:3], 1)
    readings = spark.createDataFrame(
        [
            (*KEY, at(0), at(10)),
            (*KEY, at(10), at(10)),
            (*KEY, at(10), at(20)),
            (*KEY, at(30), at(40)),
            (*other, at(5), at(15)),
        ],
        READINGS,
    )
    commits = spark.createDataFrame(
        [
            # At the start of the first, at its end, where another begins that is not empty, and where none is.
            (*KEY, 3, 1, at(0), 100), (*KEY, 3, 2, at(10), 50), (*KEY, 3, 3, at(20), 900), (*KEY, 3, 4, at(25), 800),
            (*KEY, 3, 5, at(39), 70), (*other, 3, 6, at(4), 700), (*other, 3, 7, at(14), 60),
            # Nobody's reading is known of this partition, and a commit has no time.
            (*KEY[:3], 2, 3, 8, at(5), 10), (*KEY, 3, 9, None, 10),
        ],
        COMMITS,
    )  # fmt: skip
    nothing = spark.createDataFrame([], FAILED)
    found = {tuple(row) for row in last_commits.last_commits(commits, nothing, readings).collect()}
    assert found == {("eu", 3, 1, 100), ("eu", 3, 2, 50), ("eu", 3, 5, 70), ("eu", 3, 7, 60)}
