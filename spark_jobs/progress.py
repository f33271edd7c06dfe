"""What a user sees while a long job runs: each step, what it is doing, what it did and how long it took."""

import enum
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.text import Text

from spark_jobs.printing import print_line
from spark_jobs.run_log import RunLog
from spark_jobs.visible_text import visible

_INDENT = 9


class Verbosity(enum.IntEnum):
    # Warnings, errors and results only.
    QUIET = 0
    NORMAL = 1
    # Every file that was read, and when each table and model begins.
    VERBOSE = 2


VERBOSITY: ContextVar[Verbosity] = ContextVar("VERBOSITY", default=Verbosity.NORMAL)


def counted(number: int, noun: str) -> str:
    """`1 delivery`, `2 deliveries`, `1,000 files`"""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2] not in "aeiou" else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


@dataclass
class Step:
    """A step that is running. Its methods may be called from several threads."""

    progress: "Progress"
    live: "_LiveLine"

    def report(self, text: str) -> None:
        """Prints something that was done."""
        self.progress.print(text, Verbosity.NORMAL)

    def detail(self, text: str) -> None:
        """Prints something that only -v shows."""
        self.progress.print(text, Verbosity.VERBOSE)

    def doing(self, text: str | Callable[[], str]) -> None:
        """Shows on a terminal what is being done until the next call. A function is asked again and again."""
        self.live.text = text
        if isinstance(text, str):
            self.detail(text)


@dataclass
class Progress:
    """Progress and warnings go to standard error, results to standard output."""

    console: Console = field(default_factory=lambda: Console(stderr=True))
    output: Console = field(default_factory=Console)
    verbosity: Verbosity = field(default_factory=VERBOSITY.get)
    log: RunLog = field(default_factory=RunLog)

    @staticmethod
    def to_file(path: str | None) -> "Progress":
        """Results go to the file, if there is one."""
        return Progress(output=Console(file=Path(path).open("w", encoding="utf-8"), width=120)) if path else Progress()

    @contextmanager
    def step(self, name: str, text: str) -> Iterator[Step]:
        live = _LiveLine(name, text)
        step = Step(self, live)
        self.log.write(f"{name}: {text}")
        if self.verbosity == Verbosity.QUIET:
            yield step
        else:
            print_line(self.console, text, margin=((name, "bold"),), indent=_INDENT)
            with self.console.status(live):
                yield step
        self.print(f"{live.seconds():.1f} s", Verbosity.NORMAL)

    def print(self, text: str, verbosity: Verbosity) -> None:
        """Prints a line below the step that is running."""
        self.log.write(text)
        if self.verbosity >= verbosity:
            print_line(self.console, (text, "dim"), margin=(" ",), indent=_INDENT)

    def say(self, text: str) -> None:
        """Prints a result."""
        self.log.write(text)
        print_line(self.output, text)

    def warn(self, text: str) -> None:
        self.log.write(f"! {text}")
        print_line(self.console, text, margin=(("!", "yellow"),), indent=_INDENT)


@dataclass
class _LiveLine:
    """The last line of a terminal while a step runs."""

    step: str
    text: str | Callable[[], str]
    started: float = field(default_factory=time.monotonic)

    def seconds(self) -> float:
        return time.monotonic() - self.started

    def __rich__(self) -> Text:
        text = self.text if isinstance(self.text, str) else self.text()
        line = f"{self.step}: {text}, {self.seconds():.0f} s"
        return Text(visible(line), overflow="ellipsis", no_wrap=True)
