"""Commits, positions and lag of the recording of Kafka 4.3, compared with the output of Kafka's own tools."""

import io
import json
import re
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import pytest
import zstandard
from pyspark.sql import functions as F
from support.recorded_logs import RECORDED, groups_in_truth

from spark_jobs.lake.tables import Lake

RECORDING = RECORDED / "kafka-4.3"

_DUMPED_RECORD = re.compile(r"\| offset: (\d+) \w+: (\d+) .*? key: (\{.*?\}) payload: (.*)")


class Commit(NamedTuple):
    offsets_partition: int
    record_offset: int
    group_id: str
    topic: str
    partition_id: int
    committed_offset: int | None
    committed_at_ms: int | None
    metadata: str | None


def text_of(file: Path) -> str:
    content = file.read_bytes()
    if file.suffix == ".zst":
        content = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(content)).read()
    return content.decode()


def dumped_commits() -> set[Commit]:
    """The offset commits in all recorded outputs of kafka-dump-log."""
    commits = set()
    for file in sorted((RECORDING / "offsets-dump").iterdir()):
        partition = re.search(r"__consumer_offsets-(\d+)", file.name)
        assert partition is not None
        for line in text_of(file).splitlines():
            match = _DUMPED_RECORD.match(line)
            if match and json.loads(match[3])["type"] == "1":
                key = json.loads(match[3])["data"]
                value = {} if match[4] == "<DELETE>" else json.loads(match[4])["data"]
                place = int(partition[1]), int(match[1])
                values = value.get("offset"), value.get("commitTimestamp"), value.get("metadata")
                commits.add(Commit(*place, key["group"], key["topic"], key["partition"], *values))
    return commits


def accepted_commits(lake: Lake) -> set[Commit]:
    commits = lake.read("silver.offset_commits").withColumn("committed_at_ms", F.unix_millis("committed_at"))
    return {Commit(*row) for row in commits.select(*Commit._fields).collect()}


def rejected_commits(lake: Lake) -> set[Commit]:
    rejected = lake.read("quality.rejected_rows").where("table_name = 'silver.offset_commits'").collect()
    rows = [json.loads(row.row_json) for row in rejected]
    return {
        Commit(
            **{name: row[name] for name in Commit._fields[:6]},
            committed_at_ms=millis(row["committed_at"]),
            metadata=row["metadata"],
        )
        for row in rows
    }


def millis(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def test_accepted_and_rejected_commits_are_those_that_kafka_dump_log_prints(recorded_lake: Lake) -> None:
    printed = dumped_commits()
    assert len(printed) > 2_000
    assert rejected_commits(recorded_lake)
    assert accepted_commits(recorded_lake) | rejected_commits(recorded_lake) == printed


def test_the_last_position_of_every_partition_is_the_committed_offset_that_the_broker_returned_at_the_end(
    recorded_lake: Lake,
) -> None:
    groups = groups_in_truth("kafka-4.3")
    expected = {
        (group, *partition.rsplit("-", 1)): offset
        for group, facts in groups.items()
        for partition, offset in facts["committed_at_end_by_broker"].items()
    }
    past_the_end = {group for group, facts in groups.items() if facts["beyond_log_end"]}
    assert past_the_end
    positions = {
        (row.group_id, row.topic, str(row.partition_id)): row.committed_offset
        for row in recorded_lake.read("silver.positions").where("committed_offset is not null").collect()
        if row.group_id in groups
    }
    assert len(expected) > 90
    assert {k: v for k, v in positions.items() if k[0] not in past_the_end} == {
        k: v for k, v in expected.items() if k[0] not in past_the_end
    }


def test_the_only_rejected_commit_is_the_one_past_the_log_end(recorded_lake: Lake) -> None:
    rows = recorded_lake.read("quality.rejected_rows").collect()
    assert [
        (list(row.rules), json.loads(row.row_json)["group_id"], json.loads(row.row_json)["committed_offset"])
        for row in rows
    ] == [(["commit_is_not_past_the_log_end"], "backfill-job", 250)]


def test_every_row_that_describe_printed_is_a_lag_sample(recorded_lake: Lake) -> None:
    printed: set[tuple[str, ...]] = set()
    for file in sorted((RECORDING / "lag").glob("describe-*")):
        lines = text_of(file).splitlines()
        if not any(line.split()[:3] == ["GROUP", "TOPIC", "PARTITION"] and "CURRENT-OFFSET" in line for line in lines):
            continue
        sampled_at = re.search(r"(\d{8}T\d{6})Z", file.name)
        assert sampled_at is not None
        for line in lines:
            words = line.split()
            if len(words) == 9 and words[2].isdigit():
                printed.add((sampled_at[1], *words[:6]))
    assert len(printed) > 900
    samples = recorded_lake.read("silver.lag_samples").where("reporter = 'describe' and lag_meaning = 'signed'")
    found = {
        (f"{row.sampled_at:%Y%m%dT%H%M%S}", row.group_id, row.topic, str(row.partition_id))
        + tuple("-" if n is None else str(n) for n in (row.committed_offset, row.log_end_offset, row.reported_lag))
        for row in samples.collect()
    }
    assert found >= printed


@pytest.mark.parametrize("table", ["silver.offset_commits", "silver.lag_samples"])
def test_every_row_is_counted_as_accepted_rejected_or_duplicate(recorded_lake: Lake, table: str) -> None:
    runs = recorded_lake.read("quality.runs").where(F.col("table_name") == table).collect()
    assert runs
    assert all(run.rows_in == run.rows_accepted + run.rows_rejected + run.rows_duplicate for run in runs)
    assert sum(run.rows_accepted for run in runs) == recorded_lake.read(table).count()


def test_effective_commits_below_the_previous_position_are_those_of_the_journal(recorded_lake: Lake) -> None:
    groups = groups_in_truth("kafka-4.3")
    expected = sorted(
        (group, *regression["partition"].rsplit("-", 1), regression["from"], regression["to"])
        for group, facts in groups.items()
        for regression in facts["regressions"]
    )
    commits = recorded_lake.read("silver.offset_commits").where(
        "transaction in ('none', 'committed') and committed_offset < previous_committed_offset"
    )
    found = sorted(
        (row.group_id, row.topic, str(row.partition_id), row.previous_committed_offset, row.committed_offset)
        for row in commits.collect()
    )
    assert len(expected) == 7
    assert found == expected
