"""How long work takes: by the clock, and in CPU time of this process and of all processes that it started."""

import ctypes
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

# A process whose parent has ended becomes a child of this one. It stays in /proc when it ends, so that its time counts.
if sys.platform == "linux":
    _PR_SET_CHILD_SUBREAPER = 36
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


class Timing(NamedTuple):
    seconds: float
    cpu_seconds: float


def timed(name: str, amount: float, unit: str, work: Callable[[], object]) -> Timing:
    """Runs the work on an amount of units, and prints and returns how long it took."""
    load_before = os.getloadavg()[0]
    started, cpu_before = time.perf_counter(), cpu_seconds_of_all()
    work()
    timing = Timing(time.perf_counter() - started, cpu_seconds_of_all() - cpu_before)
    speed = f"{amount / timing.seconds / 1e6:.2f} million {unit}/s"
    cpu = f"{timing.cpu_seconds:.2f} s of CPU"
    print(f"{name}: {timing.seconds:.2f} s ({cpu}), {speed} (load before: {load_before:.1f})", flush=True)
    return timing


def fastest(rounds: Sequence[Timing]) -> Timing:
    return Timing(min(timing.seconds for timing in rounds), min(timing.cpu_seconds for timing in rounds))


def total(*steps: Timing) -> Timing:
    return Timing(sum(timing.seconds for timing in steps), sum(timing.cpu_seconds for timing in steps))


def speeds(copy: Timing, ours: Timing) -> float:
    """The speed of our work compared with that of a copy."""
    print(f"by CPU time, which other load disturbs less: {copy.cpu_seconds / ours.cpu_seconds:.2f} x", flush=True)
    return copy.seconds / ours.seconds


def cpu_seconds_of_all() -> float:
    """Seconds of CPU time of this process and of all that it started: Spark and its Python workers."""
    parents, ticks = {}, {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:  # The process has ended.
            continue
        pid = int(file.parent.name)
        parents[pid], ticks[pid] = int(fields[1]), sum(map(int, fields[11:15]))
    ours = {os.getpid()}
    while children := {pid for pid, parent in parents.items() if parent in ours} - ours:
        ours |= children
    return sum(ticks[pid] for pid in ours) / os.sysconf("SC_CLK_TCK")
