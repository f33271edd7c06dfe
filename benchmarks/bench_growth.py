"""Small days that are taken by `lagoon run`, with upkeep once a week: `python -m benchmarks.bench_growth [--days 60] [--together 7]`.

The day is the groups of one offsets partition of the recording and some lag reports. Upkeep keeps what `bench_upkeep` keeps, as if a
day had passed between two runs. Prints how long each run took, and the lake after it; at the end the last seven runs against those of
days 2 to 8, which is what "the run's time stays flat" means: by the clock, and in CPU time, which other load disturbs less. The first and the
last eight days have a run each. Those between are taken `--together` by one run; with 1 they have a run each, too, and sixty days need
two hours.
"""

import argparse
import datetime as dt
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.bench_upkeep import keep, measured
from benchmarks.claims import claim
from benchmarks.days import deliver_day
from benchmarks.timing import Timing, cpu_seconds_of_all

_REPORT_TIMES = ("112800Z", "113229Z")
# Days at the beginning and at the end that have a run each.
_ALONE = 8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=60)
    parser.add_argument("--together", type=int, default=7)
    runs: list[Timing] = []
    known: dict[Path, float] = {}
    kept_in_week = 0
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        landing, lake = Path(scratch) / "landing", Path(scratch) / "lake"
        for number in range(given.days):
            day = deliver_day(number, landing, include=_is_small)
            if _ALONE <= number < given.days - _ALONE - 1 and (number - _ALONE) % given.together != given.together - 1:
                continue
            started, cpu_before = time.perf_counter(), cpu_seconds_of_all()
            _run(landing, lake)
            runs.append(Timing(time.perf_counter() - started, cpu_seconds_of_all() - cpu_before))
            _make_as_old_as(lake, day + dt.timedelta(1), known)
            if number // 7 > kept_in_week:
                kept_in_week = number // 7
                keep(lake, day + dt.timedelta(1))
                _make_as_old_as(lake, day + dt.timedelta(1), known)
            seconds, cpu_seconds = runs[-1]
            print(
                f"day {number + 1}: {seconds:.1f} s, {cpu_seconds:.1f} s of CPU, {measured(lake)} "
                f"(load {os.getloadavg()[0]:.1f})",
                flush=True,
            )
    compare("by the clock", [run.seconds for run in runs])
    claim(
        "the last seven runs / days 2 to 8, CPU",
        compare("in CPU time", [run.cpu_seconds for run in runs]),
        "x",
        at_most=1.05,
    )


def compare(how: str, runs: Sequence[float]) -> float:
    first, last = statistics.median(runs[1:8]), statistics.median(runs[-7:])
    print(f"the last seven runs and days 2 to 8, {how}: {last:.1f} s, {first:.1f} s, {last / first:.2f} x")
    return last / first


def _is_small(file: Path) -> bool:
    if "offsets-raw" in file.parts:
        return file.parent.name == "__consumer_offsets-2"
    return any(at in file.name for at in _REPORT_TIMES)


def _run(landing: Path, lake: Path) -> None:
    command = [sys.executable, "-m", "spark_jobs.cli", "run", "-q", "--landing", str(landing), "--lake", str(lake)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr


def _make_as_old_as(lake: Path, day: dt.date, known: dict[Path, float]) -> None:
    """What was written since the last call is as old as the day, or upkeep would take all versions for those of today. `known` are
    the times that files have by now."""
    at = dt.datetime.combine(day, dt.time(0, 15), dt.UTC).timestamp()
    for path in lake.rglob("*"):
        if path.is_file() and path.stat().st_mtime != known.get(path):
            os.utime(path, (at, at))
            known[path] = at


if __name__ == "__main__":
    main()
