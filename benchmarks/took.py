"""How long work took, by the clock and in processor time of this process and all that it started."""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple


class Took(NamedTuple):
    seconds: float
    cpu: float


def timed(what: str, amount: float, unit: str, work: Callable[[], object]) -> Took:
    load_before = os.getloadavg()[0]
    started, busy = time.perf_counter(), cpu_of_all()
    work()
    took = Took(time.perf_counter() - started, cpu_of_all() - busy)
    speed = f"{amount / took.seconds / 1e6:.2f} million {unit}/s"
    print(
        f"{what}: {took.seconds:.2f} s ({took.cpu:.2f} s of CPU), {speed} (load before: {load_before:.1f})", flush=True
    )
    return took


def least(rounds: Sequence[Took]) -> Took:
    return Took(min(took.seconds for took in rounds), min(took.cpu for took in rounds))


def ratio(copy: Took, ours: Took) -> str:
    return f"{copy.seconds / ours.seconds:.2f} x (by CPU time, where other work disturbs less: {copy.cpu / ours.cpu:.2f} x)"


def cpu_of_all() -> float:
    """Seconds of CPU that this process has used, and all that it started: Spark and its Python workers."""
    parents, ticks = {}, {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:  # It has ended.
            continue
        pid = int(file.parent.name)
        parents[pid], ticks[pid] = int(fields[1]), sum(map(int, fields[11:15]))
    ours = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return sum(ticks[pid] for pid in ours) / os.sysconf("SC_CLK_TCK")
