"""What a long job prints while it runs."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from spark_jobs.errors import UserError
from spark_jobs.gold.dbt_runner import NodeProgress
from spark_jobs.gold.node_lines import NodeLines
from spark_jobs.progress import Progress, Verbosity, counted
from spark_jobs.run_log import open_log
from spark_jobs.settings import load


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


@pytest.mark.parametrize(
    ("verbosity", "expected"),
    [
        (Verbosity.QUIET, ["!        careful", "result"]),
        (Verbosity.NORMAL, ["bronze   1 delivery", "         done", "!        careful", "result"]),
        (
            Verbosity.VERBOSE,
            ["bronze   1 delivery", "         now", "         file", "         done", "!        careful", "result"],
        ),
    ],
)
def test_quiet_prints_warnings_and_results_and_verbose_every_file(verbosity: Verbosity, expected: list[str]) -> None:
    printed = io.StringIO()
    progress = Progress(Console(file=printed, width=200), Console(file=printed, width=200), verbosity)
    with progress.step("bronze", counted(1, "delivery")) as step:
        step.doing("now")
        step.detail("file")
        step.report("done")
        progress.warn("careful")
    progress.say("result")
    lines = [line for line in printed.getvalue().splitlines() if not line.endswith(" s")]
    assert lines == expected


def test_a_number_and_its_noun_agree() -> None:
    assert [counted(number, "delivery") for number in (0, 1, 2)] == ["0 deliveries", "1 delivery", "2 deliveries"]
    assert [counted(number, "file") for number in (1, 1000)] == ["1 file", "1,000 files"]
    assert [counted(number, "day") for number in (1, 3)] == ["1 day", "3 days"]


def test_each_model_is_printed_when_it_ends_and_named_while_it_runs() -> None:
    doing: list[str] = []
    reported: list[str] = []
    lines = NodeLines("models", doing.append, reported.append)
    for name, seconds in (("lag", None), ("commit_gaps", None), ("lag", 2.04), ("commit_gaps", 10.0)):
        lines.watch(NodeProgress(name, 2, seconds))
    assert doing == [
        "0 of 2 models done; now lag",
        "0 of 2 models done; now lag, commit_gaps",
        "1 of 2 models done; now commit_gaps",
        "2 of 2 models done",
    ]
    assert reported == ["lag: 2.0 s, 1 of 2", "commit_gaps: 10.0 s, 2 of 2"]


def test_the_log_file_has_every_line_and_how_the_run_ended(tmp_path: Path) -> None:
    settings = load(lake=str(tmp_path / "lake"), environment={})
    quiet = Console(quiet=True)

    def run() -> None:
        with open_log(settings, ["run", "--day", "2026-11-18"]) as log:
            with Progress(quiet, quiet, Verbosity.QUIET, log).step("bronze", "1 delivery") as step:
                step.detail("a\nb")
            raise UserError("the disk is full", "Free some space")

    with pytest.raises(UserError):
        run()
    with pytest.raises(ZeroDivisionError), open_log(settings, ["report"]):
        assert 1 // 0
    lines = [line.split(" ", 2)[2] for line in (tmp_path / "lake/logs/lagoon.log").read_text().splitlines()]
    assert lines[0].endswith(": run --day 2026-11-18")
    assert [line for line in lines[1:6] if not line.endswith(" s")] == [
        "bronze: 1 delivery",
        r"a\nb",
        "lagoon: the disk is full. Free some space.",
        "ended",
    ]
    assert lines[6].endswith(": report")
    assert "ZeroDivisionError" in lines[-2]


def test_a_log_that_can_not_be_written_stops_no_run(tmp_path: Path) -> None:
    (tmp_path / "lake").write_text("a file")
    with open_log(load(lake=str(tmp_path / "lake"), environment={}), ["run"]) as log:
        log.write("a line")
    with open_log(load(environment={"LAGOON_LOG_FILE": "/dev/full"}), ["run"]) as log:
        log.write("a line")


def test_a_large_log_is_put_aside_once(tmp_path: Path) -> None:
    log = tmp_path / "lagoon.log"
    log.write_text("x" * (11 << 20))
    with open_log(load(environment={"LAGOON_LOG_FILE": str(log)}), ["run"]):
        pass
    assert log.stat().st_size < 1000
    assert (tmp_path / "lagoon.log.1").stat().st_size == 11 << 20
