"""Burrow's rules against a brute-force reading of them, over many random windows at once."""

import datetime as dt
import itertools
import os
import random
from collections import Counter
from collections.abc import Callable, Sequence
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
At = tuple[int, int]


def status(commits: Sequence[At], ends: Sequence[At], now: int, lag: int) -> str:
    """As Burrow's evaluator goes about it, rule by rule, loop by loop."""
    window = list(commits)[-WINDOW:]
    if not window or len(window) / WINDOW < MINIMUM_COMPLETE or lag <= ALLOWED_LAG:
        return "ok"
    recent = [end for _, end in ends][-WINDOW:]
    if now - window[-1][0] > window[-1][0] - window[0][0] and not any(end <= window[-1][1] for end in recent):
        return "stop"
    for place in range(1, len(window)):
        top = window[place - 1][1]
        if window[place][1] < top:
            if not any(offset >= top for _, offset in window[place:]):
                return "rewind"
            break
    lags = []
    for at, offset in window:
        before = [end for told, end in ends if told <= at]
        if before:
            lags.append(max(0, before[-1] - offset))
    if any(one <= ALLOWED_LAG for one in lags):
        return "ok"
    if all(offset == window[0][1] for _, offset in window):
        return "stall"
    if any(later < earlier for earlier, later in itertools.pairwise(lags)):
        return "ok"
    return "warn"


def random_partition(chance: random.Random) -> tuple[list[At], list[At], int]:
    """Commits, log ends, and the time of a sample; the last log end is told by that sample."""
    now = 600
    end = chance.choice((0, 20, 60))
    ends = []
    for at in sorted(chance.sample(range(0, now, 10), chance.randint(0, 8))):
        end += chance.choice((0, 1, 5, 30))
        ends.append((at, end))
    ends.append((now, end + chance.choice((0, 0, 1, 10))))
    offset = chance.randint(0, 30)
    commits = []
    step = chance.choice(((0,), (0, 0, 1), (1, 5, 20), (1, 5, -4), (-1, 3, 10)))
    times = chance.choice((range(0, now + 1, 10), range(0, 200, 10), range(400, now + 1, 10)))
    for at in sorted(chance.sample(times, chance.randint(0, 9))):
        offset = max(0, offset + chance.choice(step))
        commits.append((at, offset))
    return commits, ends, now


def written(lake: Lake, table: str, rows: list[dict[str, Any]]) -> None:
    columns = schemas.table(table).columns
    ddl = ", ".join(f"`{column.name}` {column.type}" for column in columns)
    values = [tuple(row.get(column.name) for column in columns) for row in rows]
    lake.replace(table, lake.spark.createDataFrame(values, ddl), "true")


@pytest.fixture(scope="module")
def told(new_job: Callable[..., Job], tmp_path_factory: pytest.TempPathFactory) -> Counter[tuple[str, str]]:
    """(expected, found) of every window."""
    place = tmp_path_factory.mktemp("windows")
    job = new_job(place / "lake", place / "landing")
    lake = open_to_write(job.lake.spark, str(place / "lake"))
    chance = random.Random(7)
    partitions = [random_partition(chance) for _ in range(WINDOWS)]
    key = {"cluster": "c", "day": DAY, "topic": "t", "reporter": "d"}
    told_by = {
        "group_id": "g",
        "delivered_on": DAY,
        "source_file": "f",
        "transaction": "none",
        "after_tombstone": False,
    }
    commits, samples, log_ends, expected = [], [], [], {}
    for partition, (committed, ends, now) in enumerate(partitions):
        of = {**key, "partition_id": partition}
        for number, (at, offset) in enumerate(committed):
            time = NOON + dt.timedelta(seconds=at)
            commits.append(
                {
                    **of,
                    **told_by,
                    "record_offset": number,
                    "committed_at": time,
                    "recorded_at": time,
                    "committed_offset": offset,
                }
            )
        for at, end in ends:
            log_ends.append({**of, "sampled_at": NOON + dt.timedelta(seconds=at), "log_end_offset": end})
        position = committed[-1][1] if committed else None
        lag = None if position is None else ends[-1][1] - position
        samples.append(
            {
                **of,
                **told_by,
                "sampled_at": NOON + dt.timedelta(seconds=now),
                "committed_offset": position,
                "log_end_offset": ends[-1][1],
                "lag": lag,
            }
        )
        expected[partition] = status(committed, ends, now, lag or 0)
    written(lake, "silver.offset_commits", commits)
    written(lake, "silver.lag_samples", samples)
    written(lake, "silver.log_offsets", log_ends)
    settings = job.settings
    values = {
        **settings.values,
        "gold.status_window": WINDOW,
        "gold.status_minimum_complete": MINIMUM_COMPLETE,
        "gold.status_allowed_lag": ALLOWED_LAG,
    }
    settings = type(settings)(**{**settings.__dict__, "values": values})
    assert "LAGOON_DAYS" not in os.environ
    dbt = DbtRunner(lake, settings)
    with dbt.environment([DAY]):
        dbt.results("run", "--select", "lag")
    rows = lake.read("gold.lag").select("partition_id", "status").collect()
    assert len(rows) == WINDOWS
    return Counter((expected[row.partition_id], row.status) for row in rows)


def test_every_random_window_has_the_status_that_brute_force_gives_it(told: Counter[tuple[str, str]]) -> None:
    assert {pair: number for pair, number in told.items() if pair[0] != pair[1]} == {}


def test_the_random_windows_show_every_status(told: Counter[tuple[str, str]]) -> None:
    by_status = Counter({expected: number for (expected, found), number in told.items() if expected == found})
    assert set(by_status) == {"ok", "warn", "stop", "stall", "rewind"}
    assert min(by_status.values()) > 20, by_status


def test_brute_force_reads_the_rules_as_they_are_written() -> None:
    ends = [(0, 100), (600, 200)]
    assert status([(595, 1), (596, 2)], ends, 600, 2) == "ok"
    assert status([(599, 1)], ends, 600, 199) == "ok"
    assert status([(100, 1), (200, 2)], ends, 600, 198) == "stop"
    assert status([(100, 1), (200, 100)], ends, 600, 100) == "ok"
    assert status([(100, 50), (590, 20)], ends, 600, 180) == "rewind"
    assert status([(100, 50), (400, 20), (590, 50)], ends, 600, 150) == "ok"
    assert status([(100, 50), (590, 50)], ends, 600, 150) == "stall"
    assert status([(100, 98), (400, 99), (590, 50)], [(0, 100), (600, 200)], 600, 150) == "rewind"
    assert status([(100, 50), (590, 51)], [(0, 100), (500, 190), (600, 200)], 600, 149) == "warn"
