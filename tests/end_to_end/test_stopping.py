"""Ctrl-C ends a run at once, whatever it is doing, with all of its processes and temporary files; the next run goes on."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from spark_jobs import run as runs
from spark_jobs.job import DeliveryDays, Job
from spark_jobs.lake.tables import Lake
from spark_jobs.settings import SOURCES

pytestmark = pytest.mark.slow

NewJob = Callable[..., Job]

# The tables whose first rows a run has just written when it is stopped, and before them: while Spark starts.
STAGES = (None, "bronze.offset_records", "silver.positions", "gold.commit_gaps")


def start(words: list[str], temporary: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "spark_jobs.cli", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "TMPDIR": str(temporary)},
        start_new_session=True,
    )


def processes_with_temporary_files_in(folder: Path) -> list[str]:
    found = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"TMPDIR={folder}".encode() in environment.read_bytes():
                found.append(environment.parent.name)
        except OSError:
            continue
    return found


def stop_when_written(process: "subprocess.Popen[str]", lake: Path, table: str | None, temporary: Path) -> str:
    """Presses Ctrl-C, as a terminal does for all processes in the foreground, as soon as rows of a table are committed. Returns
    what was printed."""
    log = lake / (table or ".").replace(".", "/") / "_delta_log"
    deadline = time.monotonic() + 240
    while not (
        any(temporary.glob("*/spark-*/spark.log"))
        if table is None
        else {*log.glob("*.json")} - {log / f"{0:020}.json"} or gold_exists(log)
    ):
        assert process.poll() is None, f"the run ended before {table} was written"
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    printed, _ = process.communicate(timeout=60)
    return printed


def gold_exists(log: Path) -> bool:
    """dbt writes the first rows of a table with the table."""
    return log.parent.parent.name == "gold" and log.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")
def test_ctrl_c_at_every_stage_leaves_nothing_behind_and_changes_no_table(
    new_job: NewJob, small_landing: Path, tmp_path: Path
) -> None:
    lake, temporary = tmp_path / "lake", tmp_path / "temporary"
    words = ["run", "--landing", str(small_landing), "--lake", str(lake)]
    for stage in STAGES:
        temporary.mkdir()
        process = start(words, temporary)
        rest = stop_when_written(process, lake, stage, temporary)
        assert process.returncode == 130, (stage, rest)
        assert rest.endswith("lagoon: stopped. Run the same command again: no table is half-written.\n"), stage
        assert "Traceback" not in rest, stage
        assert processes_with_temporary_files_in(temporary) == [], stage
        assert list(temporary.iterdir()) == [], stage
        temporary.rmdir()

    stopped, undisturbed = (new_job(tmp_path / name, small_landing) for name in ("lake", "undisturbed"))
    for job in (stopped, undisturbed):
        runs.run_bronze(job, DeliveryDays(), SOURCES)
        runs.run_silver(job, DeliveryDays())
        runs.run_gold(job, DeliveryDays())
    expected = contents(undisturbed.lake)
    assert {"gold.commit_gaps", "gold.findings", "silver.offset_commits"} <= set(expected)
    assert contents(stopped.lake) == expected


# Columns about the run, not about the telemetry.
_RUN_COLUMNS = {"run_id", "rejected_at", "modified_at"}


def contents(lake: Lake) -> dict[str, list[str]]:
    folders = (
        folder.parent
        for layer in ("bronze", "silver", "gold")
        for folder in Path(lake.uri).glob(f"{layer}/*/_delta_log")
    )
    tables = {
        f"{folder.parent.name}.{folder.name}": lake.read(f"{folder.parent.name}.{folder.name}") for folder in folders
    }
    return {
        name: sorted(
            map(str, rows.select(*(column for column in rows.columns if column not in _RUN_COLUMNS)).collect())
        )
        for name, rows in tables.items()
    }


@pytest.mark.parametrize(
    "words", [["sql", "select 1"], ["sql", "select nothing"], ["report"], ["explain", "g"], ["--help"], ["fly"]]
)
def test_a_command_that_ended_leaves_no_temporary_file(words: list[str], tmp_path: Path) -> None:
    temporary, lake = tmp_path / "temporary", tmp_path / "lake"
    temporary.mkdir()
    process = start([*words, *([] if words[0].startswith("-") else ["--lake", str(lake)])], temporary)
    process.communicate(timeout=120)
    assert list(temporary.iterdir()) == []
    assert processes_with_temporary_files_in(temporary) == []
    assert not lake.exists()
