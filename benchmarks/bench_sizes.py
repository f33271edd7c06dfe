"""What a day of each size needs: `python -m benchmarks.bench_sizes [--megabytes 7 73 365 730]`.

Each size is a busy day of `__consumer_offsets` (benchmarks/busy_day.py), taken by a `lagoon run` of its own into a new lake, with the
defaults. Prints one row for each: the time, the CPU time, the most memory of all its processes together (shared pages counted once),
the largest folder of temporary files, and the lake afterwards. docs/operations.md has a table of them. Linux only.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.busy_day import deliver_busy_day
from benchmarks.timing import Timing, cpu_seconds_of_all

_MIB = 1 << 20
_SECONDS_BETWEEN_LOOKS = 0.5


@dataclass
class Peaks:
    """The most that was seen, in MiB."""

    java: float = 0
    python: float = 0
    together: float = 0
    temporary: float = 0

    def look(self, process: int, temporary: Path) -> None:
        java, python = (sum(_memory(each) for each in found) for found in _descendants(process))
        self.java, self.python = max(self.java, java), max(self.python, python)
        self.together = max(self.together, java + python)
        self.temporary = max(self.temporary, _size(temporary))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, nargs="+", default=[7, 73, 365, 730])
    parser.add_argument("--files", type=int, default=8)
    chosen = parser.parse_args()
    print("| records | landing | `lagoon run` | CPU | memory: Java, Python, at once | temporary files | lake |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for megabytes in chosen.megabytes:
        with tempfile.TemporaryDirectory(prefix="lagoon-sizes-") as scratch:
            _measure(Path(scratch), megabytes, chosen.files)


def _measure(scratch: Path, megabytes: int, files: int) -> None:
    landing, lake, temporary = (scratch / name for name in ("landing", "lake", "temporary"))
    temporary.mkdir()
    records = deliver_busy_day(landing, megabytes, files)
    peaks = Peaks()
    timing = _run(landing, lake, temporary, peaks)
    print(
        f"| {records:,} | {_size(landing):,.0f} MB | {timing.seconds:.0f} s | {timing.cpu_seconds:.0f} s "
        f"| {peaks.java:,.0f}, {peaks.python:,.0f}, {peaks.together:,.0f} MB | {peaks.temporary:,.0f} MB | {_size(lake):,.0f} MB |",
        flush=True,
    )


def _run(landing: Path, lake: Path, temporary: Path, peaks: Peaks) -> Timing:
    started, cpu_before = time.perf_counter(), cpu_seconds_of_all()
    process = subprocess.Popen(
        [sys.executable, "-m", "spark_jobs.cli", "run", "-q", "--landing", str(landing), "--lake", str(lake)],
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    ended = threading.Event()

    def look_until_it_ends() -> None:
        while not ended.wait(_SECONDS_BETWEEN_LOOKS):
            peaks.look(process.pid, temporary)

    looking = threading.Thread(target=look_until_it_ends)
    looking.start()
    _, errors = process.communicate()
    timing = Timing(time.perf_counter() - started, cpu_seconds_of_all() - cpu_before)
    ended.set()
    looking.join()
    if process.returncode not in (0, 1):
        raise SystemExit(errors)
    return timing


def _descendants(ancestor: int) -> tuple[list[int], list[int]]:
    """The process and those that it started, all Java ones and all others."""
    parents, names = {}, {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, fields = file.read_text().partition("(")[2].rpartition(")")
        except OSError:  # The process has ended.
            continue
        names[int(file.parent.name)], parents[int(file.parent.name)] = name, int(fields.split()[1])
    ours = {ancestor}
    while children := {process for process, parent in parents.items() if parent in ours} - ours:
        ours |= children
    java = [process for process in ours if names.get(process) == "java"]
    return java, [process for process in ours if process not in java]


def _memory(process: int) -> float:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def _size(folder: Path) -> float:
    total = 0
    for file in folder.rglob("*"):
        try:
            total += file.stat().st_size if file.is_file() else 0
        except OSError:  # It has been removed.
            continue
    return total / _MIB


if __name__ == "__main__":
    main()
