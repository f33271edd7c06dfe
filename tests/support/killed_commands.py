"""Commands of `lagoon` that are killed half-way."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def run_and_kill(command: list[str], lake: Path, landing: Path, *, when_exists: Path) -> None:
    """Runs a `lagoon` command and kills it with SIGKILL as soon as a file exists."""
    process = subprocess.Popen(
        [sys.executable, "-m", "spark_jobs.cli", *command, "--lake", str(lake), "--landing", str(landing)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + 240
        while not when_exists.exists():
            assert process.poll() is None, f"{command} ended before {when_exists.name} was written"
            assert time.monotonic() < deadline
            time.sleep(0.02)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def delta_commit(lake: Path, table: str, number: int) -> Path:
    """The file of a Delta commit of a table."""
    return lake / table.replace(".", "/") / "_delta_log" / f"{number:020}.json"
