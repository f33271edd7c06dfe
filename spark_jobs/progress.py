"""What a person sees while a long job works: one line a step, with what came of it and how long it took."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rich.console import Console
from rich.text import Text

# Piped, a line is as long as its content: wrapped, a path in it could not be copied.
_PIPED = 10_000


def _console(*, stderr: bool = False) -> Console:
    found = Console(stderr=stderr)
    return found if found.is_terminal else Console(stderr=stderr, width=_PIPED)


@dataclass
class Step:
    console: Console
    told: list[str] = field(default_factory=list)

    def tell(self, what: str) -> None:
        self.told.append(what)
        self.console.print(f"         {what}", style="dim", highlight=False, markup=False)


@dataclass
class Progress:
    """Progress goes to standard error, so that what a command answers stands alone on standard output."""

    console: Console = field(default_factory=lambda: _console(stderr=True))
    answer: Console = field(default_factory=_console)

    @contextmanager
    def step(self, name: str, what: str) -> Iterator[Step]:
        started = time.monotonic()
        self.console.print(Text.assemble((f"{name:8}", "bold"), f" {what}"), highlight=False)
        with self.console.status(Text(f"{name}: {what}")):
            yield Step(self.console)
        self.console.print(f"         {time.monotonic() - started:.1f} s", style="dim", highlight=False)

    def say(self, what: str) -> None:
        self.answer.print(what, highlight=False, soft_wrap=True, markup=False)

    def warn(self, what: str) -> None:
        self.console.print(Text.assemble(("!", "yellow"), f"        {what}"), highlight=False, soft_wrap=True)
