"""Recorded logs of brokers and clients in bronze, compared with a plain search of the files."""

import json
import re
from collections import Counter
from collections.abc import Iterator

import pytest
from pyspark.sql import functions as F
from support.recorded_logs import broker_log, client_logs

from kafka_telemetry.formats.logs.templates.broker_templates import IGNORED
from spark_jobs.lake import ledger
from spark_jobs.lake.tables import Lake

# Recording -> the cluster that delivers it.
CLUSTERS = {"kafka-3.9": "kafka-3.9", "kafka-3.9-lag-exporter": "kafka-3.9-lag-exporter", "kafka-4.3": "recorded"}

LINE_START = re.compile(r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] [A-Z]+ ")
# Lines of the group coordinator: by the logger, or by the prefix where the logger serves other coordinators too.
GROUP_COORDINATOR = re.compile(
    r"\((?:kafka|org\.apache\.kafka)\.coordinator\.group\.[\w.$]+\)$|^\[[^\]]*\] [A-Z]+ \[Group"
)
IGNORED_LINES = [
    re.compile(r"\[Group[^\]]*\]:? " + template.pattern.replace("(?s)^", "", 1).removesuffix("$"))
    for template in IGNORED
]


@pytest.fixture
def lake(recording: str, request: pytest.FixtureRequest) -> Lake:
    lake: Lake = request.getfixturevalue("recorded_lake" if recording == "kafka-4.3" else "many_clusters_lake")
    return lake


def coordinator_lines(recording: str) -> Iterator[str]:
    """Lines of the group coordinator without those that a template ignores."""
    for line in broker_log(recording).splitlines():
        is_ignored = any(ignored.search(line) for ignored in IGNORED_LINES)
        if LINE_START.match(line) and GROUP_COORDINATOR.search(line) and not is_ignored:
            yield line


@pytest.mark.parametrize("recording", CLUSTERS)
def test_every_line_of_the_group_coordinator_is_a_row(lake: Lake, recording: str) -> None:
    of_broker = lake.read("bronze.log_lines").where(F.col("cluster") == CLUSTERS[recording]).where("side = 'broker'")
    rows = of_broker.where("event != 'broker_configured'").collect()
    assert of_broker.where("event = 'broker_configured'").count() > 0
    lines = broker_log(recording).splitlines()
    found = Counter(lines[row.source_position - 1] for row in rows)
    assert len(rows) > 500
    assert found == Counter(coordinator_lines(recording))
    assert {(row.kind, row.origin) for row in rows} == {("event", "broker")}
    for row in rows:
        assert row.text in lines[row.source_position - 1]


@pytest.mark.parametrize("recording", CLUSTERS)
def test_every_config_dump_and_assignment_in_a_client_log_is_a_row(lake: Lake, recording: str) -> None:
    rows = lake.read("bronze.log_lines").where(F.col("cluster") == CLUSTERS[recording]).where("side = 'client'")
    found = {
        (row.origin, row.line_type): row["count"]
        for row in rows.groupBy("origin", F.coalesce("event", "kind").alias("line_type")).count().collect()
    }
    expected = {
        (app, line_type): count
        for app, text in client_logs(recording).items()
        for line_type, pattern in (
            ("config", r"ConsumerConfig values:"),
            ("partitions_assigned", r"Adding newly assigned partitions: "),
            ("coordinator_discovered", r"groupId=.*\] Discovered group coordinator "),
        )
        if (count := len(re.findall(pattern, text)))
    }
    assert len(expected) > 60
    assert {key: found.get(key) for key in expected} == expected
    configs = sum(count for (_, line_type), count in found.items() if line_type == "config")
    assert rows.where("kind = 'config' and settings['group.id'] <=> group_id").count() == configs


@pytest.mark.parametrize("recording", CLUSTERS)
def test_receipts_count_every_line_and_the_table_holds_those_that_were_not_ignored(lake: Lake, recording: str) -> None:
    receipts = lake.read("bronze.files").where(F.col("cluster") == CLUSTERS[recording]).where("source = 'group_logs'")
    files = {row.origin: row for row in receipts.collect()}
    rows = (
        lake.read("bronze.log_lines").where(F.col("cluster") == CLUSTERS[recording]).groupBy("origin").count().collect()
    )
    stored = {row.origin: row["count"] for row in rows}
    assert set(files) == {"broker", *client_logs(recording)}
    for origin, file in files.items():
        assert file.problem is None
        assert file.records == file.understood + file.not_understood + file.ignored
        assert stored.get(origin, 0) == file.understood + file.not_understood
    assert files["broker"].records == sum(1 for line in broker_log(recording).splitlines() if LINE_START.match(line))
    json_lines = [app for app, file in files.items() if file.format == "log: json lines"]
    assert json_lines
    for app in json_lines:
        assert files[app].records == sum(1 for line in client_logs(recording)[app].splitlines() if json.loads(line))


@pytest.mark.parametrize("recording", CLUSTERS)
def test_the_ledger_counts_the_rows_by_day_and_kind(lake: Lake, recording: str) -> None:
    rows = lake.read("bronze.log_lines").where(F.col("cluster") == CLUSTERS[recording])
    counts = {(row.day, row.kind): row["count"] for row in rows.groupBy("day", "kind").count().collect()}
    [entry] = [
        entry
        for (cluster, _, table), entry in ledger.newest(lake, "bronze").items()
        if (cluster, table) == (CLUSTERS[recording], "bronze.log_lines")
    ]
    assert counts
    assert {(event_rows.day, event_rows.kind): event_rows.rows for event_rows in entry.event_rows} == counts
    assert entry.rows_in == entry.rows_accepted == sum(counts.values())
