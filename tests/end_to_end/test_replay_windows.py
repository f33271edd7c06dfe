"""Replay windows that gold predicts, against the records that came again when members were killed, fenced or replaced."""

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import zstandard
from pyspark.sql import functions as F
from recorded.landing import arrange

from spark_jobs import run as runs
from spark_jobs.gold.build_gold import BuiltGold
from spark_jobs.gold.dbt_runner import DbtRunner
from spark_jobs.job import DeliveryDays, Job
from spark_jobs.lake.tables import Lake

RECORDINGS = Path(__file__).parent.parent / "recorded"


class Again(NamedTuple):
    """Records that were read once more: up to where they had been read before, by whom, and when."""

    group: str
    partition: str
    start: int
    read_to: int
    client: str
    read_at_ms: int


def journal(recording: str) -> list[dict[str, Any]]:
    packed = io.BytesIO((RECORDINGS / recording / "truth.jsonl.zst").read_bytes())
    return [json.loads(line) for line in io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(packed), "utf-8")]


def read_again(entries: list[dict[str, Any]]) -> Iterator[Again]:
    """What was polled below what had been polled, apart from groups that went back on purpose."""
    on_purpose = {e["group"] for e in entries if e["event"] == "seek" or e.get("result") == "aborted"}
    read: dict[tuple[str, str], tuple[int, str, int]] = {}
    for entry in entries:
        if entry["event"] == "poll" and entry["group"] not in on_purpose:
            for partition, first in entry["first"].items():
                before = read.get((entry["group"], partition), (0, "", 0))
                if first < before[0]:
                    yield Again(entry["group"], partition, first, *before)
                position = max(entry["position"][partition], before[0])
                read[entry["group"], partition] = position, entry["client"], entry["ts"]


@pytest.fixture(scope="module")
def older_lake(new_job: Callable[..., Job], tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """The commits and groups of the recording of Kafka 3.9, as copied while it ran: at the end most had expired."""
    place = tmp_path_factory.mktemp("older")
    landing = arrange("kafka-3.9", place / "landing", wanted=lambda path: path.parts[0] == "offsets-raw")
    job = new_job(place / "lake", landing)
    runs.run_bronze(job, DeliveryDays(), ["offset_dumps"])
    runs.run_silver(job, DeliveryDays())
    dbt = DbtRunner(job.lake, job.settings)
    dbt.register_tables()
    days = sorted({row.day for row in job.lake.read("silver.positions").select("day").collect()})
    with dbt.environment(days):
        models = dbt.results("run", "--select", "commit_gaps", "commit_health")
    assert [result.status for result in models] == ["success", "success"]
    return job.lake


def holds(lake: Lake, again: Again) -> bool | None:
    """Whether the records are within what the commits before predicted; null where the partition had no gap yet."""
    place = (F.col("group_id") == again.group) & (F.concat_ws("-", "topic", "partition_id") == again.partition)
    before = lake.read("gold.commit_gaps").where(place).where(F.unix_millis("committed_at") <= again.read_at_ms)
    [(window, last)] = before.agg(
        F.max(F.when(F.col("kind") == "advance", F.col("advanced"))),
        F.max_by(F.struct("committed_offset", "owner_client_id"), "record_offset"),
    ).collect()
    if window is None:
        return None
    [(of_the_day,)] = lake.read("gold.commit_health").where(place).select("replay_window_max").collect()
    assert (last.committed_offset, last.owner_client_id) == (again.start, again.client)
    return bool(again.read_to - again.start <= window <= of_the_day)


def test_what_came_again_after_a_kill_lies_within_the_window_that_its_commits_predicted(
    recorded_gold: tuple[Job, BuiltGold],
) -> None:
    entries = journal("kafka-4.3")
    found = list(read_again(entries))
    killed = {entry["group"] for entry in entries if entry["event"] in ("kill", "terminate")}
    assert {again.group for again in found} == {"fraud-scoring", "pricing-engine"} <= killed
    assert [holds(recorded_gold[0].lake, again) for again in found] == [True, True]


def test_so_it_does_after_members_were_fenced_or_stopped_polling(older_lake: Lake) -> None:
    found = {(again.group, again.partition): holds(older_lake, again) for again in read_again(journal("kafka-3.9"))}
    assert found == {
        ("orders-notifications", "payments-2"): True,
        ("report-builder", "clicks-1"): True,
        ("report-builder", "clicks-2"): None,
        ("pricing-engine", "prices-2"): True,
    }
