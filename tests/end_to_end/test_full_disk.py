"""A disk that is full while a run works: one sentence names it, and once it has room the same command gives the same tables."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.killed_commands import delta_commit
from support.lake_contents import gold_contents, table_contents

from spark_jobs import run as runs
from spark_jobs.job import DeliveryDays, Job

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root can mount a small disk"),
]

NewJob = Callable[..., Job]
# In kilobytes. A run begins only if the lake's disk has a gibibyte left.
_ENOUGH = 2 << 20


@contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[Path]:
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def resize(disk: Path, kilobytes: int) -> bool:
    """Fails if the disk holds more."""
    command = ["mount", "-o", f"remount,size={kilobytes}k", disk]
    return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0


def start_run(landing: Path, lake: Path, temporary: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "spark_jobs.cli", "run", "--landing", landing, "--lake", lake],
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def fill_when(disk: Path, exists: Path, process: "subprocess.Popen[str]") -> None:
    """Takes all room from the disk as soon as a file exists."""
    deadline = time.monotonic() + 240
    while not exists.exists():
        assert process.poll() is None, f"the run ended before {exists} was written"
        assert time.monotonic() < deadline
        time.sleep(0.02)
    while not resize(disk, shutil.disk_usage(disk).used // 1024 + 1):
        pass


@pytest.fixture(scope="module")
def undisturbed(new_job: NewJob, small_landing: Path, tmp_path_factory: pytest.TempPathFactory) -> Job:
    job = new_job(tmp_path_factory.mktemp("undisturbed") / "lake", small_landing)
    runs.run_all(job, DeliveryDays())
    return job


@pytest.mark.timeout(1200)
def test_a_lake_whose_disk_fills_up_in_each_layer_has_the_same_tables(
    undisturbed: Job, new_job: NewJob, small_landing: Path, tmp_path: Path
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with small_disk(tmp_path / "disk", _ENOUGH) as disk:
        lake = disk / "lake"
        for table, commit in (("bronze.offset_records", 1), ("silver.positions", 1), ("gold.read_starts", 0)):
            assert resize(disk, _ENOUGH)
            process = start_run(small_landing, lake, temporary)
            fill_when(disk, delta_commit(lake, table, commit), process)
            _, printed = process.communicate(timeout=240)
            assert process.returncode == 3, (table, printed)
            assert printed.splitlines()[-1].startswith(
                f"lagoon: the disk of {lake} (the lake) is full. Free some space"
            ), (table, printed)
            assert "Traceback" not in printed, table
            assert list(temporary.iterdir()) == [], table
        assert resize(disk, _ENOUGH)
        process = start_run(small_landing, lake, temporary)
        _, printed = process.communicate(timeout=600)
        assert process.returncode == 0, printed
        filled = new_job(lake, small_landing).lake
        expected = {**table_contents(undisturbed.lake), **gold_contents(undisturbed.lake)}
        assert {**table_contents(filled), **gold_contents(filled)} == expected


@pytest.mark.timeout(600)
def test_a_full_disk_of_temporary_files_is_named_and_not_that_of_the_lake(small_landing: Path, tmp_path: Path) -> None:
    with small_disk(tmp_path / "temporary", 200) as temporary:
        process = start_run(small_landing, tmp_path / "lake", temporary)
        _, printed = process.communicate(timeout=300)
        assert process.returncode == 3, printed
        last = printed.splitlines()[-1]
        assert last.startswith(f"lagoon: the disk of {temporary}")
        assert "TMPDIR" in last
        assert "Traceback" not in printed


def test_a_disk_without_room_is_refused_before_anything_is_written(small_landing: Path, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 500) as disk:
        process = start_run(small_landing, disk / "lake", tmp_path)
        _, printed = process.communicate(timeout=120)
        assert process.returncode == 3
        assert printed == "lagoon: the disk of the lake has 0 MiB left. Free 1 GiB or choose another --lake.\n"
        assert list(disk.iterdir()) == []
