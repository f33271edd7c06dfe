"""The recorded logs of two brokers and their clients, from landing to bronze, counted beside a plain search."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import zstandard
from pyspark.sql import functions as F

from kafka_telemetry.formats.logs.templates.broker_templates import IGNORED
from spark_jobs.lake import ledger
from spark_jobs.lake.tables import Lake

RECORDED = Path(__file__).parent.parent / "recorded"
# The cluster that delivers the recording.
CLUSTERS = {"kafka-3.9": "kafka-3.9", "kafka-3.9-lag-exporter": "kafka-3.9-lag-exporter", "kafka-4.3": "recorded"}

BROKER_HEAD = re.compile(r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] [A-Z]+ ")
# By their loggers, or, where these serve other coordinators too, by their prefix.
OF_GROUPS = re.compile(r"\((?:kafka|org\.apache\.kafka)\.coordinator\.group\.[\w.$]+\)$|^\[[^\]]*\] [A-Z]+ \[Group")
SILENT = [re.compile(r"\[Group[^\]]*\]:? " + one.pattern.replace("(?s)^", "", 1).removesuffix("$")) for one in IGNORED]


@pytest.fixture
def lake(recording: str, request: pytest.FixtureRequest) -> Lake:
    of: Lake = request.getfixturevalue("recorded_lake" if recording == "kafka-4.3" else "lake_of_parts")
    return of


def unpacked(file: Path) -> str:
    return zstandard.ZstdDecompressor().stream_reader(file.read_bytes()).read().decode()


def broker(recording: str) -> list[str]:
    return unpacked(RECORDED / recording / "broker" / "server.log.zst").splitlines()


def clients(recording: str) -> dict[str, str]:
    return {
        file.parent.name: unpacked(file) for file in sorted((RECORDED / recording / "clients").glob("*/app.log.zst"))
    }


def kept(recording: str) -> Iterator[str]:
    """Lines of the group coordinator, but for those that are known to say nothing."""
    for line in broker(recording):
        if BROKER_HEAD.match(line) and OF_GROUPS.search(line) and not any(one.search(line) for one in SILENT):
            yield line


@pytest.mark.parametrize("recording", CLUSTERS)
def test_every_line_of_the_coordinator_is_a_row(lake: Lake, recording: str) -> None:
    rows = (
        lake.read("bronze.log_lines").where(F.col("cluster") == CLUSTERS[recording]).where("side = 'broker'").collect()
    )
    lines = broker(recording)
    found = Counter(lines[row.source_position - 1] for row in rows)
    assert len(rows) > 500
    assert found == Counter(kept(recording))
    assert {(row.kind, row.origin) for row in rows} == {("event", "broker")}
    for row in rows:
        assert row.text in lines[row.source_position - 1]


@pytest.mark.parametrize("recording", CLUSTERS)
def test_every_printed_configuration_and_assignment_of_a_client_is_a_row(lake: Lake, recording: str) -> None:
    rows = lake.read("bronze.log_lines").where(F.col("cluster") == CLUSTERS[recording]).where("side = 'client'")
    found = {
        (row.origin, row.what): row["count"]
        for row in rows.groupBy("origin", F.coalesce("event", "kind").alias("what")).count().collect()
    }
    expected = {
        (app, what): count
        for app, text in clients(recording).items()
        for what, words in (
            ("config", r"ConsumerConfig values:"),
            ("partitions_assigned", r"Adding newly assigned partitions: "),
            ("coordinator_discovered", r"groupId=.*\] Discovered group coordinator "),
        )
        if (count := len(re.findall(words, text)))
    }
    assert len(expected) > 60
    assert {key: found.get(key) for key in expected} == expected
    assert rows.where("kind = 'config' and settings['group.id'] <=> group_id").count() == found_of(found, "config")


def found_of(found: dict[tuple[str, str], int], what: str) -> int:
    return sum(count for (_, of), count in found.items() if of == what)


@pytest.mark.parametrize("recording", CLUSTERS)
def test_receipts_count_every_line_and_the_table_holds_what_was_understood(lake: Lake, recording: str) -> None:
    receipts = lake.read("bronze.files").where(F.col("cluster") == CLUSTERS[recording]).where("source = 'group_logs'")
    files = {row.origin: row for row in receipts.collect()}
    rows = (
        lake.read("bronze.log_lines").where(F.col("cluster") == CLUSTERS[recording]).groupBy("origin").count().collect()
    )
    stored = {row.origin: row["count"] for row in rows}
    assert set(files) == {"broker", *clients(recording)}
    for origin, file in files.items():
        assert file.problem is None
        assert file.records == file.understood + file.not_understood + file.ignored
        assert stored.get(origin, 0) == file.understood + file.not_understood
    assert files["broker"].records == sum(1 for line in broker(recording) if BROKER_HEAD.match(line))
    json_lines = [app for app, file in files.items() if file.format == "log: json lines"]
    assert json_lines
    for app in json_lines:
        assert files[app].records == sum(1 for line in clients(recording)[app].splitlines() if json.loads(line))


@pytest.mark.parametrize("recording", CLUSTERS)
def test_the_ledger_counts_the_rows_by_day_and_kind(lake: Lake, recording: str) -> None:
    rows = lake.read("bronze.log_lines").where(F.col("cluster") == CLUSTERS[recording])
    counted = {(row.day, row.kind): row["count"] for row in rows.groupBy("day", "kind").count().collect()}
    [entry] = [
        entry
        for (cluster, _, table), entry in ledger.newest(lake, "bronze").items()
        if (cluster, table) == (CLUSTERS[recording], "bronze.log_lines")
    ]
    assert counted
    assert {(rows.day, rows.kind): rows.rows for rows in entry.event_rows} == counted
    assert entry.rows_in == entry.rows_accepted == sum(counted.values())
