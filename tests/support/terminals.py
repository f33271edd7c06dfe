"""Runs commands of `lagoon` as a user does: on a terminal, or with their output in a pipe."""

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from support.several_commands import END

# What rich itself writes: colours, an erased line, the cursor one line up, hidden and shown.
_STYLES = re.compile(r"\x1b\[(?:[0-9;]*m|2K|1A|\?25[lh])|\r")
_TESTS = Path(__file__).parents[1]


class Command(NamedTuple):
    words: tuple[str, ...]
    # The width of the terminal.
    columns: int = 100


class Printed(NamedTuple):
    code: int
    text: str

    def without_styles(self) -> str:
        return _STYLES.sub("", self.text)


def on_a_terminal(commands: Sequence[Command], folder: Path) -> list[Printed]:
    """Runs them in the folder. Standard output and standard error are one terminal."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.environ |= {**_environment(), "TERM": "xterm-256color"}
        os.execv(sys.executable, _process(commands))
    chunks = []
    try:
        while chunk := os.read(terminal, 65536):
            chunks.append(chunk)
    except OSError:
        pass  # The process has ended, and with it the terminal.
    os.waitpid(process, 0)
    os.close(terminal)
    return _split(b"".join(chunks).decode())


def in_a_pipe(commands: Sequence[Command], folder: Path) -> list[Printed]:
    """Runs them in the folder. Returns what went to standard output."""
    done = subprocess.run(
        _process(commands), cwd=folder, env={**os.environ, **_environment()}, stdout=subprocess.PIPE, check=True
    )
    return _split(done.stdout.decode())


def _environment() -> dict[str, str]:
    return {"PYTHONPATH": f"{_TESTS}{os.pathsep}{_TESTS.parent}"}


def _process(commands: Sequence[Command]) -> list[str]:
    listed = json.dumps([(command.columns, command.words) for command in commands])
    return [sys.executable, "-m", "support.several_commands", listed]


def _split(text: str) -> list[Printed]:
    parts = re.split(rf"{END}(\d+)\r?\n", text)
    return [Printed(int(code), printed) for printed, code in zip(parts[::2], parts[1::2], strict=False)]
