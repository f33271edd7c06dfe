"""What a day costs with 30 days in the lake, beside what day 2 cost: `python -m benchmarks.bench_history`.

Every measured day is a process of its own, as a schedule runs it: days 2 and 3, then 4 to 29 are taken in one go, then
days 30 and 31. The lower of two on either side is compared, since the clock of a busy machine wanders.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.days import deliver_day


def main() -> None:
    scratch = Path(tempfile.mkdtemp(prefix="lagoon-history-"))
    landing, lake = scratch / "landing", scratch / "lake"
    took: dict[str, float] = {}
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
            took[name] = time.perf_counter() - started
            print(f"day {name}: {took[name]:.1f} s", flush=True)
    finally:
        shutil.rmtree(scratch)
    early, late = (min(took[day] for day in days) for days in (("2", "3"), ("30", "31")))
    print(f"day 2 or 3: {early:.1f} s, day 30 or 31: {late:.1f} s, ratio {late / early:.2f} (aim: 1.2 or less)")


if __name__ == "__main__":
    main()
