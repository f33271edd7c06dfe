"""What a day costs with 30 days in the lake, beside what day 2 cost: `python -m benchmarks.bench_history [days]`.

Every day is a process of its own, as a schedule runs it. The lowest of three days on either side is compared, since the
first days of a lake make tables and the clock of a busy machine wanders.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.days import deliver_day


def main(days: int) -> None:
    scratch = Path(tempfile.mkdtemp(prefix="lagoon-history-"))
    landing, lake = scratch / "landing", scratch / "lake"
    took = []
    try:
        for number in range(days):
            deliver_day(number, landing)
            started = time.perf_counter()
            command = [sys.executable, "-m", "spark_jobs.cli", "run", "--landing", str(landing), "--lake", str(lake)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise SystemExit(done.stderr)
            took.append(time.perf_counter() - started)
            print(f"day {number + 1:2}: {took[-1]:.1f} s", flush=True)
    finally:
        shutil.rmtree(scratch)
    early, late = min(took[1:4]), min(took[-3:])
    print(
        f"days 2 to 4: {early:.1f} s, days {days - 2} to {days}: {late:.1f} s, ratio {late / early:.2f} (aim: 1.2 or less)"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 31)
