"""The recording of Kafka 4.3, from files to silver, against what Kafka's own tools printed of it."""

import io
import json
import re
from collections import defaultdict
from pathlib import Path

import pytest
import zstandard
from pyspark.sql import functions as F

from spark_jobs.lake.tables import Lake

RECORDING = Path(__file__).parent.parent / "recorded" / "kafka-4.3"

_LINE = re.compile(r"\| offset: (\d+) \w+: (\d+) .*? key: (\{.*?\}) payload: (.*)")

Commit = tuple[int, int, str, str, int, int | None, int | None, str | None]


def text_of(file: Path) -> str:
    raw = file.read_bytes()
    return (
        zstandard.ZstdDecompressor().stream_reader(io.BytesIO(raw)).read().decode()
        if file.suffix == ".zst"
        else raw.decode()
    )


def dumped_commits() -> set[Commit]:
    """Offset commits as kafka-dump-log printed them, over all copies that have a dump."""
    found = set()
    for file in sorted((RECORDING / "offsets-dump").iterdir()):
        partition = re.search(r"__consumer_offsets-(\d+)", file.name)
        assert partition is not None
        for line in text_of(file).splitlines():
            match = _LINE.match(line)
            if match and json.loads(match[3])["type"] == "1":
                key = json.loads(match[3])["data"]
                value = None if match[4] == "<DELETE>" else json.loads(match[4])["data"]
                found.add(
                    (
                        *(int(partition[1]), int(match[1]), key["group"], key["topic"], key["partition"]),
                        value and value["offset"],
                        value and value["commitTimestamp"],
                        value and value["metadata"],
                    )
                )
    return found


def kept_and_rejected_commits(lake: Lake) -> set[Commit]:
    columns = ("offsets_partition", "record_offset", "group_id", "topic", "partition_id", "committed_offset")
    at = F.unix_millis("committed_at").alias("at")
    kept = {tuple(row) for row in lake.read("silver.offset_commits").select(*columns, at, "metadata").collect()}
    rejected = {
        (*(row[name] for name in columns), _millis(row["committed_at"]), row["metadata"])
        for (text,) in lake.read("quality.rejected_rows")
        .where("table_name = 'silver.offset_commits'")
        .select("row_json")
        .collect()
        for row in [json.loads(text)]
    }
    assert rejected
    return kept | rejected  # type: ignore[return-value]


def _millis(text: str) -> int:
    from datetime import datetime

    return round(datetime.fromisoformat(text).timestamp() * 1000)


def test_commits_kept_and_rejected_are_those_that_kafka_dump_log_prints(recorded_lake: Lake) -> None:
    printed = dumped_commits()
    assert len(printed) > 2_000
    assert kept_and_rejected_commits(recorded_lake) == printed


def test_the_last_effective_position_of_every_partition_is_what_the_broker_answered_at_the_end(
    recorded_lake: Lake,
) -> None:
    truth = json.loads((RECORDING / "truth.json").read_text())
    expected = {
        (group, *partition.rsplit("-", 1)): offset
        for group, told in truth["groups"].items()
        for partition, offset in told["committed_at_end_by_broker"].items()
    }
    past_the_end = {group for group, told in truth["groups"].items() if told["beyond_log_end"]}
    assert past_the_end
    standing = {
        (row.group_id, row.topic, str(row.partition_id)): row.committed_offset
        for row in recorded_lake.read("silver.positions").where("committed_offset is not null").collect()
        if row.group_id in truth["groups"]
    }
    assert len(expected) > 90
    assert {k: v for k, v in standing.items() if k[0] not in past_the_end} == {
        k: v for k, v in expected.items() if k[0] not in past_the_end
    }


def test_the_only_rejected_commit_is_the_one_past_the_log_end(recorded_lake: Lake) -> None:
    rows = recorded_lake.read("quality.rejected_rows").collect()
    assert [
        (list(row.rules), json.loads(row.row_json)["group_id"], json.loads(row.row_json)["committed_offset"])
        for row in rows
    ] == [(["commit_is_not_past_the_log_end"], "backfill-job", 250)]


def test_every_number_of_the_describe_tables_is_found_in_the_lag_samples(recorded_lake: Lake) -> None:
    printed: dict[tuple[str, ...], int] = defaultdict(int)
    for file in sorted((RECORDING / "lag").glob("describe-*")):
        lines = text_of(file).splitlines()
        if not any(line.split()[:3] == ["GROUP", "TOPIC", "PARTITION"] and "CURRENT-OFFSET" in line for line in lines):
            continue
        at = re.search(r"(\d{8}T\d{6})Z", file.name)
        assert at is not None
        for line in lines:
            words = line.split()
            if len(words) == 9 and words[2].isdigit():
                printed[at[1], *words[:6]] += 1
    assert len(printed) > 900
    samples = recorded_lake.read("silver.lag_samples").where("reporter = 'describe' and lag_meaning = 'signed'")
    kept = {
        (f"{row.sampled_at:%Y%m%dT%H%M%S}", row.group_id, row.topic, str(row.partition_id))
        + tuple("-" if n is None else str(n) for n in (row.committed_offset, row.log_end_offset, row.reported_lag))
        for row in samples.collect()
    }
    assert kept >= set(printed)


@pytest.mark.parametrize("table", ["silver.offset_commits", "silver.lag_samples"])
def test_what_came_in_is_accepted_rejected_or_duplicate(recorded_lake: Lake, table: str) -> None:
    runs = recorded_lake.read("quality.runs").where(F.col("table_name") == table).collect()
    assert runs
    assert all(run.rows_in == run.rows_accepted + run.rows_rejected + run.rows_duplicate for run in runs)
    assert sum(run.rows_accepted for run in runs) == recorded_lake.read(table).count()


def test_regressions_are_those_of_the_journal(recorded_lake: Lake) -> None:
    truth = json.loads((RECORDING / "truth.json").read_text())
    expected = sorted(
        (group, *told["partition"].rsplit("-", 1), told["from"], told["to"])
        for group, of in truth["groups"].items()
        for told in of["regressions"]
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
