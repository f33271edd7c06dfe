"""The lag status of gold, compared with a direct transcription of Burrow's rules over many random windows."""

import datetime as dt
import itertools
import os
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

import schemas
from spark_jobs.gold.dbt_runner import DbtRunner
from spark_jobs.job import Job
from spark_jobs.lake.catalog import open_to_write
from spark_jobs.lake.tables import Lake

DAY = dt.date(2026, 1, 2)
NOON = dt.datetime(2026, 1, 2, 12)
WINDOWS = 2000
WINDOW, MINIMUM_COMPLETE, ALLOWED_LAG = 5, 0.4, 2

# Seconds since noon, and an offset.
OffsetAt = tuple[int, int]
# How often each pair of expected and computed status occurs; None where the lag is unknown.
Statuses = Counter[tuple[str | None, str | None]]


def burrow_status(commits: Sequence[OffsetAt], ends: Sequence[OffsetAt], now: int, lag: int) -> str:
    """The status of a partition with a lag by Burrow's rules, one loop per rule as in its evaluator."""
    window = list(commits)[-WINDOW:]
    if not window or len(window) / WINDOW < MINIMUM_COMPLETE or lag <= ALLOWED_LAG:
        return "ok"
    recent = [end for _, end in ends][-WINDOW:]
    if now - window[-1][0] > window[-1][0] - window[0][0] and not any(end <= window[-1][1] for end in recent):
        return "stop"
    for index in range(1, len(window)):
        previous = window[index - 1][1]
        if window[index][1] < previous:
            if not any(offset >= previous for _, offset in window[index:]):
                return "rewind"
            break
    lags = []
    for at, offset in window:
        before = [end for sampled_at, end in ends if sampled_at <= at]
        if before:
            lags.append(max(0, before[-1] - offset))
    if any(lag <= ALLOWED_LAG for lag in lags):
        return "ok"
    if all(offset == window[0][1] for _, offset in window):
        return "stall"
    if any(later < earlier for earlier, later in itertools.pairwise(lags)):
        return "ok"
    return "warn"


def random_partition(chance: random.Random) -> tuple[list[OffsetAt], list[OffsetAt], int]:
    """Commits, log ends, and the time of a lag sample, which also reports the last log end."""
    now = 600
    end = chance.choice((0, 20, 60))
    ends = []
    for at in sorted(chance.sample(range(0, now, 10), chance.randint(0, 8))):
        end += chance.choice((0, 1, 5, 30))
        ends.append((at, end))
    ends.append((now, end + chance.choice((0, 0, 1, 10))))
    offset = chance.randint(0, 30)
    commits = []
    steps = chance.choice(((0,), (0, 0, 1), (1, 5, 20), (1, 5, -4), (-1, 3, 10)))
    times = chance.choice((range(0, now + 1, 10), range(0, 200, 10), range(400, now + 1, 10)))
    for at in sorted(chance.sample(times, chance.randint(0, 9))):
        offset = max(0, offset + chance.choice(steps))
        commits.append((at, offset))
    return commits, ends, now


def write_rows(lake: Lake, table: str, rows: list[dict[str, Any]]) -> None:
    columns = schemas.table(table).columns
    ddl = ", ".join(f"`{column.name}` {column.type}" for column in columns)
    values = [tuple(row.get(column.name) for column in columns) for row in rows]
    lake.replace(table, lake.spark.createDataFrame(values, ddl), "true")


@pytest.fixture(scope="module")
def statuses(new_job: Callable[..., Job], tmp_path_factory: pytest.TempPathFactory) -> Statuses:
    """How often each pair of (expected status, status in gold.lag) occurs; one partition per random window."""
    folder = tmp_path_factory.mktemp("windows")
    job = new_job(folder / "lake", folder / "landing")
    lake = open_to_write(job.lake.spark, str(folder / "lake"))
    chance = random.Random(7)
    commits, samples, log_ends, expected = [], [], [], {}
    for partition in range(WINDOWS):
        committed, ends, now = random_partition(chance)
        key = {"cluster": "c", "day": DAY, "topic": "t", "partition_id": partition, "reporter": "d"}
        source = {"group_id": "g", "delivered_on": DAY, "source_file": "f", "transaction": "none", "after_tombstone": False}  # fmt: skip
        for number, (at, offset) in enumerate(committed):
            time = NOON + dt.timedelta(seconds=at)
            times = {"committed_at": time, "recorded_at": time}
            commits.append({**key, **source, **times, "record_offset": number, "committed_offset": offset})
        for at, end in ends:
            log_ends.append({**key, "sampled_at": NOON + dt.timedelta(seconds=at), "log_end_offset": end})
        position, end = committed[-1][1] if committed else None, ends[-1][1]
        lag = None if position is None else end - position
        offsets = {"committed_offset": position, "log_end_offset": end, "lag": lag}
        samples.append({**key, **source, "sampled_at": NOON + dt.timedelta(seconds=now), **offsets})
        expected[partition] = None if lag is None else burrow_status(committed, ends, now, lag)
    write_rows(lake, "silver.offset_commits", commits)
    write_rows(lake, "silver.lag_samples", samples)
    write_rows(lake, "silver.log_offsets", log_ends)
    window_settings = {
        "gold.status_window": WINDOW,
        "gold.status_minimum_complete": MINIMUM_COMPLETE,
        "gold.status_allowed_lag": ALLOWED_LAG,
    }
    assert "LAGOON_DAYS" not in os.environ
    dbt = DbtRunner(lake, replace(job.settings, values={**job.settings.values, **window_settings}))
    with dbt.environment([DAY]):
        dbt.results("run", "--select", "lag")
    rows = lake.read("gold.lag").select("partition_id", "status").collect()
    assert len(rows) == WINDOWS
    return Counter((expected[row.partition_id], row.status) for row in rows)


def test_every_random_window_has_the_status_that_burrow_gives_it(statuses: Statuses) -> None:
    assert {pair: number for pair, number in statuses.items() if pair[0] != pair[1]} == {}


def test_the_random_windows_have_every_status(statuses: Statuses) -> None:
    by_status = Counter({expected: number for (expected, found), number in statuses.items() if expected == found})
    assert set(by_status) == {"ok", "warn", "stop", "stall", "rewind", None}
    assert min(by_status.values()) > 20, by_status


def test_the_transcription_of_burrows_rules_gives_the_status_of_known_windows() -> None:
    ends = [(0, 100), (600, 200)]
    assert burrow_status([(595, 1), (596, 2)], ends, 600, 2) == "ok"
    assert burrow_status([(599, 1)], ends, 600, 199) == "ok"
    assert burrow_status([(100, 1), (200, 2)], ends, 600, 198) == "stop"
    assert burrow_status([(100, 1), (200, 100)], ends, 600, 100) == "ok"
    assert burrow_status([(100, 50), (590, 20)], ends, 600, 180) == "rewind"
    assert burrow_status([(100, 50), (400, 20), (590, 50)], ends, 600, 150) == "ok"
    assert burrow_status([(100, 50), (590, 50)], ends, 600, 150) == "stall"
    assert burrow_status([(100, 98), (400, 99), (590, 50)], [(0, 100), (600, 200)], 600, 150) == "rewind"
    assert burrow_status([(100, 50), (590, 51)], [(0, 100), (500, 190), (600, 200)], 600, 149) == "warn"
