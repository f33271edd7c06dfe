"""Lag of the recordings: every number that a tool reported is in the tables, and lag in time agrees with the journal."""

import datetime as dt
import itertools
import sys
from collections import defaultdict
from collections.abc import Callable

import pytest
from recorded.landing import arrange
from support.independent_lag_reader import ReportedNumber, read_describes, read_get_offsets, read_metrics
from support.recorded_logs import groups_in_truth, journal

from expectations.lag_rules import LAG_RULES
from spark_jobs import run as runs
from spark_jobs.gold.build_gold import BuiltGold
from spark_jobs.job import DeliveryDays, Job
from spark_jobs.lake.tables import Lake
from spark_jobs.settings import SOURCES

# The recording sampled lag at this interval; a tool samples some seconds after the time in its file name.
INTERVAL_MS, TOOL_START_MS = 30_000, 5_000
# A poll that returns fewer records has read up to the log end.
MAX_POLL_RECORDS = 500

# Between which two times, in ms since the epoch, a record was written.
TimeRange = tuple[int, int]


@pytest.fixture(scope="module")
def lake(recorded_gold: tuple[Job, BuiltGold]) -> Lake:
    job, built = recorded_gold
    assert built.failed_tests == ()
    return job.lake


@pytest.fixture(scope="module")
def exported(new_job: Callable[..., Job], tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """Lag reports of the recording in which lag exporters ran."""
    folder = tmp_path_factory.mktemp("exported")
    reports = arrange(
        "kafka-3.9-lag-exporter", folder / "landing", include=lambda path: path.parts[0] in ("lag", "metrics")
    )
    job = new_job(folder / "lake", reports)
    runs.run_bronze(job, DeliveryDays(), SOURCES)
    runs.run_silver(job, DeliveryDays())
    return job.lake


def numbers_of_groups(lake: Lake, reporter: str) -> set[ReportedNumber]:
    return {
        ReportedNumber(row.sampled_at, row.group_id, row.topic, row.partition_id, quantity, row[quantity])
        for row in lake.read("silver.lag_samples").where(f"reporter = '{reporter}'").collect()
        for quantity in ("committed_offset", "log_start_offset", "log_end_offset", "reported_lag")
        if row[quantity] is not None
    }


def numbers_of_logs(lake: Lake, reporter: str) -> set[ReportedNumber]:
    return {
        ReportedNumber(row.sampled_at, "", row.topic, row.partition_id, quantity, row[quantity])
        for row in lake.read("silver.log_offsets").where(f"reporter = '{reporter}'").collect()
        for quantity in ("log_start_offset", "log_end_offset")
        if row[quantity] is not None
    }


def test_every_number_in_a_describe_is_a_lag_sample_and_no_other_is(lake: Lake) -> None:
    reported = read_describes("kafka-4.3")
    assert len(reported) > 2000
    assert numbers_of_groups(lake, "describe") == reported


def test_every_number_of_get_offsets_and_of_broker_metrics_is_a_log_offset_and_no_other_is(lake: Lake) -> None:
    for reporter, reported in (
        ("get_offsets", read_get_offsets("kafka-4.3")),
        ("jmx_broker", read_metrics("kafka-4.3", "jmx-broker")),
    ):
        assert len(reported) > 1000
        assert numbers_of_logs(lake, reporter) == reported


@pytest.mark.parametrize(
    ("exporter", "reporter"),
    [("klag-exporter", "kafka_lag_exporter"), ("prometheus-kafka-consumer-group-exporter", "consumer_group_exporter")],
)
def test_every_number_of_an_exporter_is_in_silver(exported: Lake, exporter: str, reporter: str) -> None:
    reported = read_metrics("kafka-3.9-lag-exporter", exporter)
    group_numbers = {number for number in reported if number.group_id}
    assert min(len(group_numbers), len(reported - group_numbers)) > 100
    assert group_numbers - numbers_of_groups(exported, reporter) == set()
    assert reported - group_numbers - numbers_of_logs(exported, reporter) == set()


def test_other_metrics_are_counted_as_ignored(exported: Lake) -> None:
    files = exported.read("bronze.files").where("source = 'lag_metrics'").selectExpr(
        "sum(records)", "sum(understood)", "sum(not_understood)", "sum(ignored)"
    )  # fmt: skip
    ((records, understood, not_understood, ignored),) = [tuple(row) for row in files.collect()]
    assert records == understood + not_understood + ignored
    assert not_understood == 0
    assert ignored > 0


def times_of_writing() -> dict[tuple[str, int], TimeRange]:
    """When the record at each partition and offset was written: between two consecutive polls of a client, the first of
    which read up to the log end."""
    polls: dict[tuple[str, str], list[tuple[int, int, int, int]]] = defaultdict(list)
    for entry in journal("kafka-4.3"):
        if entry["event"] == "poll":
            for partition, position in entry["position"].items():
                first = entry["first"].get(partition)
                if first is not None:
                    polls[entry["client"], partition].append((entry["ts"], entry["n"], first, position))
    ranges: dict[tuple[str, int], TimeRange] = {}
    for (_, partition), polls_of_client in polls.items():
        for (before, records, _, position), (after, _, first, next_position) in itertools.pairwise(polls_of_client):
            if first == position and records < MAX_POLL_RECORDS:
                for offset in range(first, next_position):
                    known = ranges.get((partition, offset), (before, after))
                    ranges[partition, offset] = max(known[0], before), min(known[1], after)
    return ranges


def test_lag_in_time_is_within_one_sampling_interval_of_the_journal(lake: Lake) -> None:
    written = times_of_writing()
    compared = 0
    for row in lake.read("gold.lag").where("lag_ms_from = 'interpolated'").collect():
        earliest, latest = written.get((f"{row.topic}-{row.partition_id}", row.committed_offset), (0, sys.maxsize))
        if latest - earliest > INTERVAL_MS:
            continue
        compared += 1
        written_at = row.sampled_at.replace(tzinfo=dt.UTC).timestamp() * 1000 - row.lag_ms
        assert earliest - INTERVAL_MS <= written_at <= latest + INTERVAL_MS + TOOL_START_MS, (row, earliest, latest)
    assert compared > 100


def test_no_lag_is_negative_and_none_is_older_than_the_recording(lake: Lake) -> None:
    samples = lake.read("gold.lag")
    impossible = "true_lag < 0 or ghost_lag < 0 or phantom_lag < 0 or lag_ms not between 0 and 310000"
    assert samples.count() > 1000
    assert samples.where(impossible).collect() == []


def test_records_are_lost_below_the_log_start_and_where_a_reset_skipped_them(lake: Lake) -> None:
    lost = lake.read("gold.lag_health").where("records_lost > 0")
    rows = lost.select("group_id", "topic", "partition_id", "records_lost").collect()
    assert {tuple(row) for row in rows} == {
        ("archive-verifier", "sensor-readings", 0, 1469),
        ("archive-writer", "sensor-readings", 0, 1469),
        ("archive-writer-live", "sensor-readings", 0, 1873),
    }


def test_lag_max_in_group_health_is_the_largest_true_lag_of_the_group(lake: Lake) -> None:
    health = {row.group_id: row.lag_max for row in lake.read("gold.group_health").collect()}
    lags: dict[str, int] = defaultdict(int)
    for row in lake.read("gold.lag").where("true_lag is not null").collect():
        lags[row.group_id] = max(lags[row.group_id], row.true_lag)
    assert lags
    assert {group: lag for group, lag in health.items() if group in lags} == {
        group: lags[group] for group in health if group in lags
    }


def partitions_that_break(lake: Lake, rule_name: str) -> set[tuple[str, str]]:
    [rule] = [rule for rule in LAG_RULES if rule.name == rule_name]
    rows = lake.read("silver.lag_samples").where(rule.broken_when).select("group_id", "topic", "partition_id").collect()
    return {(row.group_id, f"{row.topic}-{row.partition_id}") for row in rows}


def test_positions_that_do_not_name_the_next_record_are_those_that_the_journal_calls_off_by_one(
    recorded_lake: Lake,
) -> None:
    groups = groups_in_truth("kafka-4.3")
    expected = {(group, partition) for group, facts in groups.items() for partition in facts["off_by_one"] or ()}
    assert expected
    assert partitions_that_break(recorded_lake, "commit_names_the_next_record") == expected


def test_a_describe_sample_has_the_log_start_that_another_tool_reported(recorded_lake: Lake) -> None:
    found = partitions_that_break(recorded_lake, "commit_is_not_behind_the_log_start")
    assert found == {("archive-verifier", "sensor-readings-0")}
