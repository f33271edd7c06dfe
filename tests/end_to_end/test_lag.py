"""Lag on the recordings: every number that a file tells is found back, and its age is that of the journal."""

import datetime as dt
import itertools
import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from recorded.landing import arrange
from support.told_in_files import Told, in_describes, in_get_offsets, in_metrics

from expectations.lag_rules import LAG_RULES
from spark_jobs import run as runs
from spark_jobs.gold.build_gold import build_gold
from spark_jobs.job import DeliveryDays, Job
from spark_jobs.lake import ledger
from spark_jobs.lake.ledger import Run
from spark_jobs.lake.tables import Lake
from spark_jobs.settings import SOURCES

JOURNAL = Path(__file__).parents[1] / "recorded" / "kafka-4.3" / "truth.jsonl.zst"
# How often the recording asked for lag; a tool needs some seconds more to start than the time in its file name says.
INTERVAL_MS, TOOL_MS = 30_000, 5_000
# Polls that bring less than this have read all there was.
MAX_POLL_RECORDS = 500

# (from, to), in ms of the epoch: when a record was written, as narrowly as polls tell.
Bracket = tuple[int, int]


@pytest.fixture(scope="module")
def lake(recorded_job: Job) -> Lake:
    pairs = {(cluster, day) for cluster, day, _ in ledger.newest(recorded_job.lake, "silver")}
    run = Run.begin()
    built = build_gold(recorded_job.lake, recorded_job.settings, run, force=pairs, report=lambda _: None)
    assert built.failed_tests == ()
    return recorded_job.lake


@pytest.fixture(scope="module")
def exported(new_job: Callable[..., Job], tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """The reports of the recording that an exporter for lag watched."""
    place = tmp_path_factory.mktemp("exported")
    reports = arrange(
        "kafka-3.9-lag-exporter", place / "landing", wanted=lambda path: path.parts[0] in ("lag", "metrics")
    )
    job = new_job(place / "lake", reports)
    runs.run_bronze(job, DeliveryDays(), SOURCES)
    runs.run_silver(job, DeliveryDays())
    return job.lake


def of_groups(lake: Lake, reporter: str) -> set[Told]:
    return {
        (row.sampled_at, row.group_id, row.topic, row.partition_id, quantity, row[quantity])
        for row in lake.read("silver.lag_samples").where(f"reporter = '{reporter}'").collect()
        for quantity in ("committed_offset", "log_start_offset", "log_end_offset", "reported_lag")
        if row[quantity] is not None
    }


def of_logs(lake: Lake, reporter: str) -> set[Told]:
    return {
        (row.sampled_at, "", row.topic, row.partition_id, quantity, row[quantity])
        for row in lake.read("silver.log_offsets").where(f"reporter = '{reporter}'").collect()
        for quantity in ("log_start_offset", "log_end_offset")
        if row[quantity] is not None
    }


def test_every_number_of_a_describe_is_found_back_and_no_other(lake: Lake) -> None:
    told = in_describes("kafka-4.3")
    assert len(told) > 2000
    assert of_groups(lake, "describe") == told


def test_every_number_of_get_offsets_and_of_the_brokers_metrics_is_found_back_and_no_other(lake: Lake) -> None:
    for reporter, told in (
        ("get_offsets", in_get_offsets("kafka-4.3")),
        ("jmx_broker", in_metrics("kafka-4.3", "jmx-broker")),
    ):
        assert len(told) > 1000
        assert of_logs(lake, reporter) == told


@pytest.mark.parametrize(
    ("exporter", "reporter"),
    [("klag-exporter", "kafka_lag_exporter"), ("prometheus-kafka-consumer-group-exporter", "consumer_group_exporter")],
)
def test_every_number_of_an_exporter_is_found_back(exported: Lake, exporter: str, reporter: str) -> None:
    told = in_metrics("kafka-3.9-lag-exporter", exporter)
    of_a_group = {number for number in told if number[1]}
    assert min(len(of_a_group), len(told - of_a_group)) > 100
    assert of_a_group - of_groups(exported, reporter) == set()
    assert told - of_a_group - of_logs(exported, reporter) == set()


def test_other_metrics_are_counted_as_ignored(exported: Lake) -> None:
    files = exported.read("bronze.files").where("source = 'lag_metrics'").selectExpr(
        "sum(records)", "sum(understood)", "sum(not_understood)", "sum(ignored)"
    )  # fmt: skip
    ((records, understood, not_understood, ignored),) = [tuple(row) for row in files.collect()]
    assert records == understood + not_understood + ignored
    assert not_understood == 0
    assert ignored > 0


def written_when() -> dict[tuple[str, int], Bracket]:
    """Between two polls in a row of one client that had read everything at the first one."""
    polls: dict[tuple[str, str], list[tuple[int, int, int, int]]] = defaultdict(list)
    for line in zstandard.decompress(JOURNAL.read_bytes()).decode().splitlines():
        event = json.loads(line)
        if event["event"] == "poll":
            for partition, position in event["position"].items():
                first = event["first"].get(partition)
                if first is not None:
                    polls[event["client"], partition].append((event["ts"], event["n"], first, position))
    found: dict[tuple[str, int], Bracket] = {}
    for (_, partition), in_order in polls.items():
        for (before, n, _, position), (after, _, first, next_position) in itertools.pairwise(in_order):
            if first == position and n < MAX_POLL_RECORDS:
                for offset in range(first, next_position):
                    known = found.get((partition, offset), (before, after))
                    found[partition, offset] = max(known[0], before), min(known[1], after)
    return found


def test_lag_in_time_is_within_one_sampling_interval_of_the_journal(lake: Lake) -> None:
    written = written_when()
    compared = 0
    for row in lake.read("gold.lag").where("lag_ms_from = 'interpolated'").collect():
        bracket = written.get((f"{row.topic}-{row.partition_id}", row.committed_offset))
        if bracket is None or bracket[1] - bracket[0] > INTERVAL_MS:
            continue
        compared += 1
        at = row.sampled_at.replace(tzinfo=dt.UTC).timestamp() * 1000 - row.lag_ms
        assert bracket[0] - INTERVAL_MS <= at <= bracket[1] + INTERVAL_MS + TOOL_MS, (row, bracket)
    assert compared > 100


def test_no_lag_is_negative_and_none_is_older_than_the_recording(lake: Lake) -> None:
    samples = lake.read("gold.lag")
    odd = "true_lag < 0 or ghost_lag < 0 or phantom_lag < 0 or lag_ms not between 0 and 310000"
    assert samples.count() > 1000
    assert samples.where(odd).collect() == []


def test_a_group_that_the_log_start_has_left_behind_has_lost_what_lies_between(lake: Lake) -> None:
    lost = lake.read("gold.lag_health").where("records_lost > 0")
    told = lost.select("group_id", "topic", "partition_id", "lag_max", "records_lost", "loss_margin").collect()
    assert [tuple(row) for row in told] == [("archive-verifier", "sensor-readings", 0, 1899, 1469, 0.0)]


def test_the_largest_true_lag_of_a_group_is_on_its_line(lake: Lake) -> None:
    health = {row.group_id: row.lag_max for row in lake.read("gold.group_health").collect()}
    lags: dict[str, int] = defaultdict(int)
    for row in lake.read("gold.lag").where("true_lag is not null").collect():
        lags[row.group_id] = max(lags[row.group_id], row.true_lag)
    assert lags
    assert {group: lag for group, lag in health.items() if group in lags} == {g: lags[g] for g in health if g in lags}


def broken(lake: Lake, name: str) -> set[tuple[str, str]]:
    [rule] = [rule for rule in LAG_RULES if rule.name == name]
    rows = lake.read("silver.lag_samples").where(rule.broken_when).select("group_id", "topic", "partition_id").collect()
    return {(row.group_id, f"{row.topic}-{row.partition_id}") for row in rows}


def test_positions_that_break_the_rule_of_the_next_record_are_those_that_the_journal_calls_off_by_one(
    recorded_lake: Lake,
) -> None:
    truth = json.loads(JOURNAL.with_name("truth.json").read_text("utf-8"))["groups"]
    journal = {(group, partition) for group, told in truth.items() for partition in told["off_by_one"] or ()}
    assert journal
    assert broken(recorded_lake, "commit_names_the_next_record") == journal


def test_a_describe_knows_the_log_start_that_another_tool_told(recorded_lake: Lake) -> None:
    assert broken(recorded_lake, "commit_is_not_behind_the_log_start") == {("archive-verifier", "sensor-readings-0")}
