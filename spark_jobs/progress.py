"""What a user sees while a long job runs: each step, what it did and how long it took."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rich.console import Console
from rich.text import Text

# When the output is piped, lines are not wrapped, so that paths in them can be copied.
_WIDTH_WHEN_PIPED = 10_000


def _console(*, stderr: bool = False) -> Console:
    console = Console(stderr=stderr)
    return console if console.is_terminal else Console(stderr=stderr, width=_WIDTH_WHEN_PIPED)


def counted(number: int, noun: str) -> str:
    """`1 delivery`, `2 deliveries`, `1,000 files`"""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


@dataclass
class Step:
    console: Console

    def report(self, text: str) -> None:
        self.console.print(f"         {text}", style="dim", highlight=False, markup=False)


@dataclass
class Progress:
    """Progress and warnings go to standard error, results to standard output."""

    console: Console = field(default_factory=lambda: _console(stderr=True))
    output: Console = field(default_factory=_console)

    @contextmanager
    def step(self, name: str, text: str) -> Iterator[Step]:
        started = time.monotonic()
        self.console.print(Text.assemble((f"{name:8}", "bold"), f" {text}"), highlight=False)
        with self.console.status(Text(f"{name}: {text}")):
            yield Step(self.console)
        self.console.print(f"         {time.monotonic() - started:.1f} s", style="dim", highlight=False)

    def say(self, text: str) -> None:
        self.output.print(text, highlight=False, soft_wrap=True, markup=False)

    def warn(self, text: str) -> None:
        self.console.print(Text.assemble(("!", "yellow"), f"        {text}"), highlight=False, soft_wrap=True)
