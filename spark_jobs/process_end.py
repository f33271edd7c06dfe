"""The end of a command, however it comes: its processes are ended and its temporary files removed."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from types import FrameType
from typing import NoReturn

from spark_jobs.errors import UserError

_STOPPED = "lagoon: stopped. Run the same command again: no table is half-written."


def begin_command() -> Path:
    """Gives this process and those that it starts a folder of their own for temporary files, and returns it.

    Ctrl-C, SIGTERM and a closed terminal then end all of them at once, as if killed: that is safe, because every commit is
    atomic and the ledger is written last.
    """
    try:
        folder = tempfile.mkdtemp(prefix="lagoon-")
    except OSError as error:
        raise UserError(
            f"no temporary file can be written ({error.strerror})", "Point TMPDIR at a folder with free space"
        ) from error
    tempfile.tempdir = os.environ["TMPDIR"] = folder
    # While Spark starts, the standard error is a file.
    terminal = os.dup(2)

    def stop(number: int, _frame: FrameType | None) -> NoReturn:
        # The second Ctrl-C of an impatient user must not interrupt this.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with contextlib.suppress(OSError):  # The terminal was closed.
            os.write(terminal, f"\r{_STOPPED}\n".encode())
        end_command(128 + number, Path(folder))

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # A shell ignores Ctrl-C for what it runs in the background, and nohup that the terminal is closed.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, stop)
    return Path(folder)


def end_command(code: int, folder: Path | None) -> NoReturn:
    """Ends the process without waiting for Spark's gateway and threads, which have nothing left to do."""
    # Threads that wait for the JVM would print a stack trace when it ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    for process in _descendants(os.getpid()):
        _kill(process)
    if folder is not None:
        # What a process that was just killed wrote last may appear while the folder is removed.
        for _ in range(3):
            shutil.rmtree(folder, ignore_errors=True)
    os._exit(code)


def _kill(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
    except (ProcessLookupError, ChildProcessError, PermissionError):
        pass  # It has ended, or is the child of another process that was killed.


def _descendants(ancestor: int) -> list[int]:
    """The JVM, Python's worker daemon and its workers: not all are children, or in the process group, of this process."""
    children = defaultdict(list)
    for process, parent in _parents():
        children[parent].append(process)
    found, unseen = [], [ancestor]
    while unseen:
        below = children[unseen.pop()]
        found += below
        unseen += below
    return found


def _parents() -> list[tuple[int, int]]:
    """All processes of the machine, each with its parent."""
    if sys.platform == "linux":
        pairs = []
        for status in Path("/proc").glob("[0-9]*/stat"):
            try:
                # After the name, which may contain anything: the state and the parent.
                pairs.append(
                    (int(status.parent.name), int(status.read_text("utf-8", "replace").rpartition(")")[2].split()[1]))
                )
            except (OSError, IndexError):
                continue
        return pairs
    try:
        listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=False).stdout
    except OSError:
        return []
    return [(int(process), int(parent)) for process, parent in (line.split() for line in listed.splitlines())]
