"""Invalid deliveries are halted until they are corrected; later deliveries rebuild the earlier days that they complete."""

import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from kafka_telemetry.formats.segments.record_encoding import encode_key, encode_value
from kafka_telemetry.formats.segments.segment_writer import Batch, Record, encode_segment, marker_batch
from spark_jobs import run as runs
from spark_jobs.job import DeliveryDays, Job
from spark_jobs.settings import SOURCES
from spark_jobs.silver.pipeline.registry import silver_tables
from spark_jobs.silver.silver_table import SilverTable

NewJob = Callable[..., Job]


def millis(text: str) -> int:
    return round(dt.datetime.fromisoformat(text + "+00:00").timestamp() * 1000)


def commit(offset: int, time: str, committed: int, *, producer: int = -1) -> Batch:
    key = encode_key(1, {"group": "g", "topic": "t", "partition": 0})
    fields = {"offset": committed, "leaderEpoch": -1, "metadata": "", "commitTimestamp": millis(time)}
    value = encode_value(1, 3, fields)
    return Batch([Record(offset, millis(time), key, value)], producer_id=producer, transactional=producer >= 0)


def emptied_group(offset: int, time: str, generation: int) -> Batch:
    fields = {
        "protocolType": "consumer", "generation": generation, "protocol": None, "leader": None,
        "currentStateTimestamp": millis(time), "members": [],
    }  # fmt: skip
    value = encode_value(2, 3, fields)
    return Batch([Record(offset, millis(time), encode_key(2, {"group": "g"}), value)])


def deliver(landing: Path, day: str, name: str, *batches: Batch) -> None:
    file = landing / "offset_dumps" / "cluster=eu" / f"date={day}" / "__consumer_offsets-0" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(encode_segment(batches))


def deliver_log_end(landing: Path, day: str, time: str, end: int) -> None:
    file = landing / "lag_metrics" / "cluster=eu" / f"date={day}" / f"end-offsets-{time}.txt"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"t:0:{end}\n")


def ingest_and_build(job: Job) -> None:
    runs.run_bronze(job, DeliveryDays(), SOURCES)
    runs.run_silver(job, DeliveryDays())


def offset_commits(job: Job, *columns: str) -> list[tuple[object, ...]]:
    rows = job.lake.read("silver.offset_commits").orderBy("record_offset").select(*columns).collect()
    return [tuple(row) for row in rows]


def test_a_delivery_is_halted_if_a_table_does_not_hold_an_accepted_row(
    new_job: NewJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    landing, name = tmp_path / "landing", "silver.group_generations"
    deliver(landing, "2026-01-01", "0.log", emptied_group(0, "2026-01-01T10:00:00", 1))
    ingest_and_build(new_job(tmp_path / "lake", landing))

    table = silver_tables()[name]
    loses_rows = replace(table, build=lambda inputs: table.build(inputs).where("generation <> 3"))
    repeated = emptied_group(2, "2026-01-02T10:00:01", 2)
    deliver(landing, "2026-01-02", "1.log", emptied_group(1, "2026-01-02T10:00:00", 2), repeated)
    deliver(landing, "2026-01-02", "3.log", emptied_group(3, "2026-01-02T10:00:02", 3))
    with monkeypatch.context() as patched:
        patched.setitem(cast(dict[str, SilverTable], silver_tables()), name, loses_rows)
        job = new_job(tmp_path / "lake", landing)
        ingest_and_build(job)
    assert job.failed
    [result] = job.lake.read("quality.rule_results").where("rule = 'nothing_went_missing' and not passed").collect()
    assert (result.cluster, result.day) == ("eu", dt.date(2026, 1, 2))
    # Of the halted delivery nothing is left.
    assert [row.generation for row in job.lake.read(name).collect()] == [1]

    # A delivery that is halted for this is judged again when its day is run.
    job = new_job(tmp_path / "lake", landing)
    runs.run_silver(job, DeliveryDays(frozenset({dt.date(2026, 1, 2)})))
    assert not job.failed
    assert sorted(row.generation for row in job.lake.read(name).collect()) == [1, 2, 3]
    [run] = (
        job.lake.read("quality.runs").where(f"table_name = '{name}' and day = '2026-01-02' and rows_in > 0").collect()
    )
    assert (run.rows_in, run.rows_accepted, run.rows_rejected, run.rows_duplicate) == (3, 2, 0, 1)


def test_a_halted_delivery_changes_nothing_until_it_is_corrected(new_job: NewJob, tmp_path: Path) -> None:
    landing = tmp_path / "landing"
    job = new_job(tmp_path / "lake", landing)
    deliver(
        landing, "2026-01-01", "0.log", commit(0, "2026-01-01T10:00:00", 100), commit(1, "2026-01-01T11:00:00", 200)
    )
    ingest_and_build(job)
    before = [(0, 100, None), (1, 200, 100)]
    columns = ("record_offset", "committed_offset", "previous_committed_offset")
    assert (offset_commits(job, *columns), job.failed) == (before, False)

    # Most commits of the next delivery have negative offsets. It contains a commit of the first day too.
    invalid = [
        commit(2, "2026-01-01T12:00:00", -7),
        commit(3, "2026-01-02T10:00:00", 300),
        commit(4, "2026-01-02T10:00:01", -8),
    ]
    deliver(landing, "2026-01-02", "2.log", *invalid)
    ingest_and_build(job)
    assert (offset_commits(job, *columns), job.failed) == (before, True)
    results = job.lake.read("quality.rule_results")
    [result] = results.where("rule = 'delivery_is_mostly_lawful' and not passed").collect()
    assert (result.cluster, result.day, result.action) == ("eu", dt.date(2026, 1, 2), "halt")

    again = new_job(tmp_path / "lake", landing)
    ingest_and_build(again)
    assert (offset_commits(again, *columns), again.failed) == (before, True)

    # A run of another day does what it is asked for, and succeeds.
    deliver(landing, "2026-01-03", "3.log", commit(5, "2026-01-03T10:00:00", 400))
    next_day, days = new_job(tmp_path / "lake", landing), DeliveryDays(frozenset({dt.date(2026, 1, 3)}))
    runs.run_bronze(next_day, days, SOURCES)
    runs.run_silver(next_day, days)
    before.append((5, 400, 200))
    assert (offset_commits(next_day, *columns), next_day.failed) == (before, False)

    corrected = [commit(2, "2026-01-01T12:00:00", 250), commit(3, "2026-01-02T10:00:00", 300)]
    deliver(landing, "2026-01-02", "2.log", *corrected)
    last = new_job(tmp_path / "lake", landing)
    ingest_and_build(last)
    corrected_rows = [*before[:2], (2, 250, 200), (3, 300, 250), (5, 400, 300)]
    assert (offset_commits(last, *columns), last.failed) == (corrected_rows, False)


def test_rows_that_a_delivery_no_longer_contains_are_removed_from_all_tables(new_job: NewJob, tmp_path: Path) -> None:
    landing = tmp_path / "landing"
    job = new_job(tmp_path / "lake", landing)

    def days_of(table: str) -> list[str]:
        return sorted(str(row.day) for row in job.lake.read(table).select("day").collect())

    deliver(landing, "2026-01-01", "0.log", commit(0, "2026-01-01T10:00:00", 100))
    ingest_and_build(job)
    assert (days_of("silver.offset_commits"), days_of("silver.positions")) == (["2026-01-01"], ["2026-01-01"])

    # A day with log lines alone carries the positions of groups forward and has no commits.
    log = landing / "group_logs" / "cluster=eu" / "date=2026-01-02" / "broker-0" / "server.log"
    log.parent.mkdir(parents=True)
    log.write_text(
        "[2026-01-02 10:00:00,000] INFO [GroupCoordinator 0]: Stabilized group g generation 1 (__consumer_offsets-0) "
        "with 1 members (kafka.coordinator.group.GroupCoordinator)\n"
    )
    ingest_and_build(job)
    assert days_of("silver.offset_commits") == ["2026-01-01"]
    assert days_of("silver.positions") == ["2026-01-01", "2026-01-02"]
    assert days_of("silver.rebalances") == ["2026-01-02"]

    deliver(landing, "2026-01-01", "0.log", commit(0, "2026-01-02T10:00:00", 100))
    ingest_and_build(job)
    assert (days_of("silver.offset_commits"), days_of("silver.positions")) == (["2026-01-02"], ["2026-01-02"])

    log.write_text("[2026-01-02 10:00:00,000] INFO nothing of groups (kafka.server.KafkaServer)\n")
    ingest_and_build(job)
    assert (days_of("silver.rebalances"), days_of("silver.group_events"), days_of("silver.stories")) == ([], [], [])
    assert not job.failed


def test_the_next_delivery_completes_open_transactions_and_commits_past_the_log_end_of_the_day_before(
    new_job: NewJob, tmp_path: Path
) -> None:
    """The next delivery contains the marker of a transaction, and a later log end for a commit above the last one."""
    landing = tmp_path / "landing"
    job = new_job(tmp_path / "lake", landing)
    deliver(
        landing,
        "2026-01-01",
        "0.log",
        commit(0, "2026-01-01T20:00:00", 100),
        commit(1, "2026-01-01T23:59:00", 150, producer=7),
        commit(2, "2026-01-01T23:59:30", 900),
    )
    deliver_log_end(landing, "2026-01-01", "20260101T234500Z", 800)
    ingest_and_build(job)
    columns = ("record_offset", "committed_offset", "transaction", "previous_committed_offset")
    assert offset_commits(job, *columns) == [(0, 100, "none", None), (1, 150, "open", 100), (2, 900, "none", 100)]
    assert {row.awaits for row in job.lake.read("silver.unfinished").collect()} == {
        "transaction_marker",
        "later_log_end",
    }

    deliver(
        landing,
        "2026-01-02",
        "3.log",
        marker_batch(3, millis("2026-01-02T00:00:01"), 7, 0, commit=True),
        commit(4, "2026-01-02T00:10:00", 160),
    )
    deliver_log_end(landing, "2026-01-02", "20260102T001500Z", 850)
    ingest_and_build(job)
    # 900 was past the log end, so it is in quarantine; the position before the next commit is that of the transaction.
    assert offset_commits(job, *columns) == [
        (0, 100, "none", None), (1, 150, "committed", 100), (4, 160, "none", 150),
    ]  # fmt: skip
    [rejected] = job.lake.read("quality.rejected_rows").collect()
    assert (list(rejected.rules), rejected.day) == (["commit_is_not_past_the_log_end"], dt.date(2026, 1, 1))
    assert job.lake.read("silver.unfinished").count() == 0


def test_invalid_lag_samples_go_to_quarantine_and_the_others_are_accepted(new_job: NewJob, tmp_path: Path) -> None:
    landing = tmp_path / "landing"
    job = new_job(tmp_path / "lake", landing)
    file = landing / "lag_metrics" / "cluster=eu" / "date=2026-01-01" / "describe-offsets-20260101T120000Z.txt"
    file.parent.mkdir(parents=True)
    lags = {0: 50, 1: 50, 2: 7, 3: 50}
    file.write_text(
        "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\n"
        + "".join(f"g t {partition} 100 150 {lag} - - -\n" for partition, lag in lags.items())
    )
    ingest_and_build(job)
    [rejected] = job.lake.read("quality.rejected_rows").collect()
    assert (rejected.table_name, list(rejected.rules)) == ("silver.lag_samples", ["lag_is_end_minus_committed"])
    columns = ("partition_id", "lag", "reported_lag")
    accepted = job.lake.read("silver.lag_samples").orderBy("partition_id").select(*columns).collect()
    assert [tuple(row) for row in accepted] == [(0, 50, 50), (1, 50, 50), (3, 50, 50)]
    assert job.lake.read("silver.log_offsets").count() == 4
    assert not job.failed
