"""Commands of `lagoon` that are disturbed while they run."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

_SECONDS_TO_WAIT = 240
_Found = TypeVar("_Found")


def start_lagoon(*words: object, environment: Mapping[str, str] | None = None) -> "subprocess.Popen[str]":
    """Starts a command in a session of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "spark_jobs.cli", *map(str, words)],
        env={**os.environ, **(environment or {})},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def ended(process: "subprocess.Popen[str]") -> tuple[int, str]:
    """The exit code, and what was printed as an error."""
    _, errors = process.communicate(timeout=600)
    return process.returncode, errors


def wait_while_running(process: "subprocess.Popen[str]", found: Callable[[], _Found | None]) -> _Found:
    """Waits until something is found. The process must not end before."""
    deadline = time.monotonic() + _SECONDS_TO_WAIT
    while (what := found()) is None:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return what


def run_and_kill(command: list[str], lake: Path, landing: Path, *, when_exists: Path) -> None:
    """Runs a `lagoon` command and kills it with SIGKILL as soon as a file exists."""
    process = start_lagoon(*command, "--lake", lake, "--landing", landing)
    try:
        wait_while_running(process, lambda: when_exists.exists() or None)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def delta_commit(lake: Path, table: str, number: int) -> Path:
    """The file of a Delta commit of a table."""
    return lake / table.replace(".", "/") / "_delta_log" / f"{number:020}.json"


def processes_that_read(file: Path) -> list[int]:
    found = []
    for descriptor in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if descriptor.readlink() == file:
                found.append(int(descriptor.parts[2]))
        except OSError:  # It has been closed.
            continue
    return found
