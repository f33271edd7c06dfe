"""A lake that a newer version of Lagoon has written is refused by every command that opens a lake, and stays as it is."""

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from support.lake_of_days import contents, write_day

from spark_jobs.bronze.sources import BRONZE_SOURCES
from spark_jobs.cli import app
from spark_jobs.errors import UserError
from spark_jobs.failure_causes import known_cause
from spark_jobs.lake.lake_version import LAKE_VERSION, VERSIONS, newest_version, require_known_version
from spark_jobs.settings import load
from spark_jobs.silver.pipeline.build_version import BUILD_VERSION

# What each command that has --lake is called with.
CALLS = {
    "run": [],
    "bronze": [],
    "silver": [],
    "gold": [],
    "build": [],
    "report": [],
    "sql": ["select 1 from quality.runs"],
    "explain": ["orders"],
    "dashboard": ["--no-browser"],
    "alert": [],
    "alert --failed": ["--failed", "gold"],
    "thrift-server": [],
    "upkeep": [],
    "erase": ["--group", "orders"],
    "doctor": [],
    "quarantine list": [],
    "quarantine show": [],
    "quarantine replay": ["--day", "2026-01-01"],
    "quarantine replay --dry-run": ["--day", "2026-01-01", "--dry-run"],
    "rules try": ["commit_moves_forward", "--from", "2026-01-01", "--to", "2026-01-01"],
    "alerts list": [],
    "alerts silence": ["--group", "a*", "--hours", "1", "--reason", "test"],
    "alerts unsilence": ["s-1"],
    "alerts check": [],
}


def commands_with_a_lake(command: Any, name: str = "") -> Iterator[str]:
    for word, inner in getattr(command, "commands", {}).items():
        yield from commands_with_a_lake(inner, f"{name} {word}".strip())
    if any("--lake" in option.opts for option in command.params):
        yield name


def test_the_calls_are_of_all_commands_that_open_a_lake() -> None:
    assert {name.partition(" --")[0] for name in CALLS} == set(commands_with_a_lake(typer.main.get_command(app)))


@pytest.mark.parametrize("name", CALLS)
def test_a_newer_lake_is_refused(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lake, landing = tmp_path / "lake", tmp_path / "landing"
    write_day(lake, "eu", dt.date(2026, 1, 1))
    (lake / VERSIONS).mkdir()
    (lake / VERSIONS / str(LAKE_VERSION + 1)).touch()
    landing.mkdir()
    before = contents(lake)
    options = ["--lake", str(lake), *(["--landing", str(landing)] if " " not in name else [])]
    with pytest.raises((UserError, typer.Exit)) as raised:
        # Without the standalone mode typer returns the code of an Exit.
        raise typer.Exit(app([*name.partition(" --")[0].split(), *CALLS[name], *options], standalone_mode=False) or 0)
    assert raised.value.exit_code == 3
    problem = str(raised.value) if isinstance(raised.value, UserError) else " ".join(capsys.readouterr().out.split())
    assert (
        f"the lake {lake} was written by a newer version of Lagoon (the lake has version {LAKE_VERSION + 1}, and this program "
        f"knows versions up to {LAKE_VERSION}). Update Lagoon, or name another lake with --lake."
    ) in problem
    assert contents(lake) == before


@pytest.mark.parametrize("versions", [[], [LAKE_VERSION], [1, LAKE_VERSION - 1]])
def test_a_lake_of_this_or_an_earlier_version_is_not_refused(tmp_path: Path, versions: list[int]) -> None:
    for version in versions:
        (tmp_path / VERSIONS).mkdir(exist_ok=True)
        (tmp_path / VERSIONS / str(version)).touch()
    require_known_version(str(tmp_path))


def test_the_version_is_the_highest_whatever_else_is_in_the_folder() -> None:
    assert newest_version(["9", "13", ".13.crc", "12", "note.txt"]) == 13
    assert newest_version([]) is None


def test_no_part_of_a_lake_has_a_version_that_the_lake_does_not_have() -> None:
    """So a program that builds something in another way refuses to work with a lake of the next one."""
    versions = [BUILD_VERSION, *(source.reader_version for source in BRONZE_SOURCES.values())]
    assert max(versions) <= LAKE_VERSION


def test_what_an_earlier_lake_lacks_comes_with_the_next_run(tmp_path: Path) -> None:
    settings = load(lake=str(tmp_path), environment={})
    problem = "[UNRESOLVED_COLUMN] with name `rank` cannot be resolved. gold.findings"
    assert "rank, so it was written by another version of Lagoon. `lagoon run` brings the lake to this version." in str(
        known_cause(problem, settings)
    )
    (tmp_path / VERSIONS).mkdir()
    (tmp_path / VERSIONS / str(LAKE_VERSION)).touch()
    assert "Delete" in str(known_cause(problem, settings))
