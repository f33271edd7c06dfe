"""What is done to a run on purpose: one clear sentence, and in the end the tables of an undisturbed one.

docs/operations.md has a table of all such tests."""

import gzip
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.killed_commands import delta_commit, ended, processes_that_read, start_lagoon, wait_while_running
from support.lake_contents import table_contents

from spark_jobs import run as runs
from spark_jobs.job import DeliveryDays, Job
from spark_jobs.settings import SOURCES

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")]

NewJob = Callable[..., Job]
DAY = "date=2026-11-18"
TWO_DAYS = 2 * 86_400
# Takes seconds to read.
LINES = 2_000_000


def built(new_job: NewJob, lake: Path, landing: Path) -> Job:
    job = new_job(lake, landing)
    runs.run_bronze(job, DeliveryDays(), SOURCES)
    runs.run_silver(job, DeliveryDays())
    return job


@pytest.fixture(scope="module")
def undisturbed(new_job: NewJob, small_landing: Path, tmp_path_factory: pytest.TempPathFactory) -> Job:
    return built(new_job, tmp_path_factory.mktemp("undisturbed") / "lake", small_landing)


@pytest.fixture
def slow_landing(tmp_path: Path) -> Path:
    """Three logs of one delivery, which one task reads in this order: a long one, and two short ones."""
    folder = tmp_path / "landing" / "group_logs" / "cluster=eu" / DAY / "broker-1"
    folder.mkdir(parents=True)
    with gzip.open(folder / "long.log.gz", "wb", 1) as file:
        for _ in range(100):
            file.write(b"[2026-11-18 01:00:00,000] INFO Nothing about groups (kafka.log.LogCleaner)\n" * (LINES // 100))
    for number in (1, 2):
        (folder / f"short-{number}.log").write_text(
            f"[2026-11-18 01:00:0{number},000] INFO [GroupCoordinator 1]: Stabilized group orders generation {number} "
            "(__consumer_offsets-2) with 2 members (kafka.coordinator.group.GroupCoordinator)\n"
        )
    return tmp_path / "landing"


def is_one_sentence(errors: str) -> bool:
    return errors.count("\n") == 1 and errors.startswith("lagoon: ") and "Traceback" not in errors


def reader_of(landing: Path) -> Callable[[], int | None]:
    """Finds the Python worker that reads the long log."""
    [long] = landing.rglob("long.log.gz")
    return lambda: next(iter(processes_that_read(long)), None)


def test_of_two_runs_at_once_one_is_refused_and_the_other_is_undisturbed(
    undisturbed: Job, new_job: NewJob, small_landing: Path, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    words = ("--quiet", "--landing", small_landing, "--lake", lake)
    first = start_lagoon("bronze", *words)
    wait_while_running(first, lambda: ((lake / ".lock").exists() and (lake / ".lock").read_text()) or None)

    code, errors = ended(start_lagoon("run", *words))

    assert code == 3
    assert errors == (
        f"lagoon: the lake {lake} is being written by process {first.pid}. Wait until it ends, then run this again.\n"
    )
    assert ended(first) == (0, "")
    assert table_contents(built(new_job, lake, small_landing).lake) == table_contents(undisturbed.lake)


@pytest.mark.skipif(shutil.which("cc") is None, reason="a C compiler makes the clock")
def test_a_clock_that_is_set_back_between_two_runs_hides_no_late_file(
    undisturbed: Job, new_job: NewJob, small_landing: Path, tmp_path: Path
) -> None:
    clock = tmp_path / "clock.so"
    source = Path(__file__).parents[1] / "support" / "clock_set_back.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", clock, source, "-ldl"], check=True)
    landing, lake = tmp_path / "landing", tmp_path / "lake"
    shutil.copytree(small_landing, landing, ignore=lambda _, names: {name for name in names if name == "final"})
    built(new_job, lake, landing)
    shutil.copytree(small_landing, landing, dirs_exist_ok=True)

    for step in ("bronze", "silver"):
        environment = {"LD_PRELOAD": str(clock), "CLOCK_SET_BACK_SECONDS": str(TWO_DAYS)}
        process = start_lagoon(step, "--quiet", "--landing", landing, "--lake", lake, environment=environment)
        assert ended(process) == (0, "")

    set_back = new_job(lake, landing)
    assert table_contents(set_back.lake) == table_contents(undisturbed.lake)
    entries = set_back.lake.read("quality.runs").count()
    built(new_job, lake, landing)
    assert set_back.lake.read("quality.runs").count() == entries


def test_a_landed_file_that_vanishes_while_landing_is_read_is_named(
    new_job: NewJob, slow_landing: Path, tmp_path: Path
) -> None:
    words = ("bronze", "--quiet", "--landing", slow_landing, "--lake", tmp_path / "lake")
    [vanishing] = slow_landing.rglob("short-1.log")
    process = start_lagoon(*words)
    wait_while_running(process, reader_of(slow_landing))

    vanishing.unlink()

    code, errors = ended(process)
    assert code == 3
    assert is_one_sentence(errors), errors
    assert errors == f"lagoon: {vanishing} was removed while it was read. Run this again, once landing is complete.\n"
    assert ended(start_lagoon(*words)) == (0, "")
    again, whole = new_job(tmp_path / "lake", slow_landing), new_job(tmp_path / "whole", slow_landing)
    runs.run_bronze(whole, DeliveryDays(), SOURCES)
    assert table_contents(again.lake, ("bronze",)) == table_contents(whole.lake, ("bronze",))


def test_a_landed_file_that_grows_while_landing_is_read_is_read_again_by_the_next_run(
    new_job: NewJob, slow_landing: Path, tmp_path: Path
) -> None:
    words = ("bronze", "--quiet", "--landing", slow_landing, "--lake", tmp_path / "lake")
    [growing] = slow_landing.rglob("short-2.log")
    process = start_lagoon(*words)
    wait_while_running(process, reader_of(slow_landing))

    growing.write_text(growing.read_text() * 3)

    assert ended(process) == (0, "")
    assert ended(start_lagoon(*words)) == (0, "")
    again, whole = new_job(tmp_path / "lake", slow_landing), new_job(tmp_path / "whole", slow_landing)
    runs.run_bronze(whole, DeliveryDays(), SOURCES)
    files = {row.source_file.rpartition("/")[2]: row.records for row in whole.lake.read("bronze.files").collect()}
    assert files["short-2.log"] == 3
    # The ledger has an entry for each run.
    assert table_contents(again.lake, ("bronze",)) == table_contents(whole.lake, ("bronze",))


@pytest.mark.parametrize(
    ("victim", "problem"),
    [
        ("worker", "a Python worker of Spark was ended, most likely because the machine ran out of memory"),
        ("JVM", "Spark ended while it was working"),
    ],
)
def test_a_process_of_spark_that_is_killed_while_a_task_reads_ends_the_run_and_the_next_one_finishes_it(
    new_job: NewJob, slow_landing: Path, tmp_path: Path, victim: str, problem: str
) -> None:
    lake = tmp_path / "lake"
    words = ("bronze", "--quiet", "--landing", slow_landing, "--lake", lake)
    process = start_lagoon(*words)
    worker = wait_while_running(process, reader_of(slow_landing))

    os.kill(worker if victim == "worker" else jvm_of(process.pid), signal.SIGKILL)

    code, errors = ended(process)
    assert code == 3
    assert is_one_sentence(errors), errors
    assert errors.startswith(f"lagoon: {problem}."), errors
    assert not delta_commit(lake, "bronze.log_lines", 1).exists()
    assert ended(start_lagoon(*words)) == (0, "")
    again, whole = new_job(lake, slow_landing), new_job(tmp_path / "whole", slow_landing)
    runs.run_bronze(whole, DeliveryDays(), SOURCES)
    assert table_contents(again.lake, ("bronze",)) == table_contents(whole.lake, ("bronze",))


def jvm_of(parent: int) -> int:
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    [jvm] = [int(child) for child in children if Path(f"/proc/{child}/comm").read_text() == "java\n"]
    return jvm
