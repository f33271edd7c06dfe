"""How long a day takes with 30 days in the lake, compared with day 2: `python -m benchmarks.bench_history`.

Each measured day is a process of its own, as in a scheduled run: days 1, 2 and 3, then days 4 to 29 in one run, then days 30
and 31. Of days 2 and 3, and of days 30 and 31, the faster one is compared, because other load disturbs the clock.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.claims import claim
from benchmarks.days import deliver_day


def main() -> None:
    scratch = Path(tempfile.mkdtemp(prefix="lagoon-history-"))
    landing, lake = scratch / "landing", scratch / "lake"
    seconds_by_days: dict[str, float] = {}
    try:
        for days in ([1], [2], [3], range(4, 30), [30], [31]):
            for day in days:
                deliver_day(day - 1, landing)
            started = time.perf_counter()
            command = [sys.executable, "-m", "spark_jobs.cli", "run", "--landing", str(landing), "--lake", str(lake)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise SystemExit(done.stderr)
            name = f"{days[0]}" if len(days) == 1 else f"{days[0]} to {days[-1]}"
            seconds_by_days[name] = time.perf_counter() - started
            print(f"day {name}: {seconds_by_days[name]:.1f} s", flush=True)
    finally:
        shutil.rmtree(scratch)
    early, late = (min(seconds_by_days[day] for day in days) for days in (("2", "3"), ("30", "31")))
    print(f"day 2 or 3: {early:.1f} s, day 30 or 31: {late:.1f} s")
    claim("day 31 / day 2", late / early, "x", at_most=1.05)


if __name__ == "__main__":
    main()
