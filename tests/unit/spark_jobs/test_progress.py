"""What a long job prints while it runs."""

import io

from rich.console import Console

from spark_jobs.progress import Progress


def test_names_with_square_brackets_are_printed_as_they_are() -> None:
    """They come from telemetry: a name must neither style the line nor end the command with an error of markup."""
    printed = io.StringIO()
    progress = Progress(Console(file=printed, width=200), Console(file=printed, width=200))
    names = ["[/]", "[red]eu[/red]", "a[/b].txt"]
    with progress.step("bronze", names[0]) as step:
        for name in names:
            step.report(name)
            progress.say(name)
            progress.warn(name)
    lines = [line.split()[-1] for line in printed.getvalue().splitlines()]
    assert lines[:-1] == [names[0], *(name for name in names for _ in range(3))]
