"""Replay windows in gold, compared with the records that were redelivered after members were killed, fenced or replaced."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
from pyspark.sql import functions as F
from recorded.landing import arrange
from support.recorded_logs import journal

from spark_jobs import run as runs
from spark_jobs.gold.build_gold import BuiltGold
from spark_jobs.gold.dbt_runner import DbtRunner
from spark_jobs.job import DeliveryDays, Job
from spark_jobs.lake.tables import Lake


class Redelivery(NamedTuple):
    """Records from `start` that a group polled again: where, by which client and when it had read before."""

    group: str
    partition: str
    start: int
    previous_position: int
    previous_client: str
    previous_poll_ms: int


def redeliveries(entries: list[dict[str, Any]]) -> Iterator[Redelivery]:
    """Polls below the previous position, without the groups that went back on purpose."""
    on_purpose = {e["group"] for e in entries if e["event"] == "seek" or e.get("result") == "aborted"}
    positions: dict[tuple[str, str], tuple[int, str, int]] = {}
    for entry in entries:
        if entry["event"] == "poll" and entry["group"] not in on_purpose:
            for partition, first in entry["first"].items():
                previous = positions.get((entry["group"], partition), (0, "", 0))
                if first < previous[0]:
                    yield Redelivery(entry["group"], partition, first, *previous)
                position = max(entry["position"][partition], previous[0])
                positions[entry["group"], partition] = position, entry["client"], entry["ts"]


@pytest.fixture(scope="module")
def older_lake(new_job: Callable[..., Job], tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """Commits and groups of the recording of Kafka 3.9, from the copies taken while it ran: at the end most had expired."""
    folder = tmp_path_factory.mktemp("older")
    landing = arrange("kafka-3.9", folder / "landing", include=lambda path: path.parts[0] == "offsets-raw")
    job = new_job(folder / "lake", landing)
    runs.run_bronze(job, DeliveryDays(), ["offset_dumps"])
    runs.run_silver(job, DeliveryDays())
    dbt = DbtRunner(job.lake, job.settings)
    dbt.register_tables()
    days = sorted({row.day for row in job.lake.read("silver.positions").select("day").collect()})
    with dbt.environment(days):
        models = dbt.results("run", "--select", "read_starts", "commit_gaps", "commit_health")
    assert [result.status for result in models] == ["success"] * 3
    return job.lake


def is_within_window(lake: Lake, redelivery: Redelivery) -> bool | None:
    """Whether the commits before predicted at least as many records; None where the partition had no commit gap yet."""
    partition = F.concat_ws("-", "topic", "partition_id")
    of_partition = (F.col("group_id") == redelivery.group) & (partition == redelivery.partition)
    is_before = F.unix_millis("committed_at") <= redelivery.previous_poll_ms
    before = lake.read("gold.commit_gaps").where(of_partition).where(is_before)
    [(window, last)] = before.agg(
        F.max(F.when(F.col("kind") == "advance", F.col("advanced"))),
        F.max_by(F.struct("committed_offset", "owner_client_id"), "record_offset"),
    ).collect()
    if window is None:
        return None
    [(window_of_day,)] = lake.read("gold.commit_health").where(of_partition).select("replay_window_max").collect()
    assert (last.committed_offset, last.owner_client_id) == (redelivery.start, redelivery.previous_client)
    return bool(redelivery.previous_position - redelivery.start <= window <= window_of_day)


def test_records_redelivered_after_a_kill_are_within_the_predicted_replay_window(
    recorded_gold: tuple[Job, BuiltGold],
) -> None:
    entries = journal("kafka-4.3")
    found = list(redeliveries(entries))
    killed = {entry["group"] for entry in entries if entry["event"] in ("kill", "terminate")}
    assert {redelivery.group for redelivery in found} == {"fraud-scoring", "pricing-engine"} <= killed
    assert [is_within_window(recorded_gold[0].lake, redelivery) for redelivery in found] == [True, True]


def test_records_redelivered_after_fencing_or_a_poll_timeout_are_within_the_predicted_replay_window(
    older_lake: Lake,
) -> None:
    found = {
        (redelivery.group, redelivery.partition): is_within_window(older_lake, redelivery)
        for redelivery in redeliveries(journal("kafka-3.9"))
    }
    assert found == {
        ("orders-notifications", "payments-2"): True,
        ("report-builder", "clicks-1"): True,
        ("report-builder", "clicks-2"): None,
        ("pricing-engine", "prices-2"): True,
    }
