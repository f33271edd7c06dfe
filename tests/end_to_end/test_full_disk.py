"""A disk that is full while a run works: one sentence names it, and once it has room the same command gives the same tables."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.lake_contents import gold_contents, table_contents

from spark_jobs import run as runs
from spark_jobs.job import DeliveryDays, Job

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root can mount a small disk"),
]

NewJob = Callable[..., Job]


@contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[Path]:
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def give_room(disk: Path, kilobytes: int) -> None:
    subprocess.run(["mount", "-o", f"remount,size={kilobytes}k", disk], check=True)


def lagoon_run(landing: Path, lake: Path, temporary: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "spark_jobs.cli", "run", "--landing", landing, "--lake", lake],
        env={**os.environ, "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        check=False,
    )


def kilobytes_of(folder: Path) -> int:
    return sum(path.stat().st_blocks for path in folder.rglob("*")) // 2


@pytest.fixture(scope="module")
def undisturbed(new_job: NewJob, small_landing: Path, tmp_path_factory: pytest.TempPathFactory) -> Job:
    job = new_job(tmp_path_factory.mktemp("undisturbed") / "lake", small_landing)
    runs.run_all(job, DeliveryDays())
    return job


@pytest.mark.timeout(1200)
def test_a_lake_whose_disk_fills_up_three_times_has_the_same_tables(
    undisturbed: Job, new_job: NewJob, small_landing: Path, tmp_path: Path
) -> None:
    needed = kilobytes_of(Path(undisturbed.settings.lake))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with small_disk(tmp_path / "disk", 1) as disk:
        lake = disk / "lake"
        for share in (0.1, 0.4, 0.8):
            give_room(disk, int(needed * share))
            done = lagoon_run(small_landing, lake, temporary)
            assert done.returncode == 3, (share, done.stdout, done.stderr)
            last = done.stderr.splitlines()[-1]
            assert last.startswith(f"lagoon: the disk of {lake} (the lake) is full. Free some space"), (share, last)
            assert "Traceback" not in done.stderr
            assert list(temporary.iterdir()) == []
        give_room(disk, 4 * needed)
        done = lagoon_run(small_landing, lake, temporary)
        assert done.returncode == 0, done.stderr
        filled = new_job(lake, small_landing).lake
        expected = {**table_contents(undisturbed.lake), **gold_contents(undisturbed.lake)}
        assert {**table_contents(filled), **gold_contents(filled)} == expected


@pytest.mark.timeout(600)
def test_a_full_disk_of_temporary_files_is_named_and_not_that_of_the_lake(small_landing: Path, tmp_path: Path) -> None:
    with small_disk(tmp_path / "temporary", 200) as temporary:
        done = lagoon_run(small_landing, tmp_path / "lake", temporary)
        assert done.returncode == 3, done.stdout
        last = done.stderr.splitlines()[-1]
        assert last.startswith(f"lagoon: the disk of {temporary}")
        assert "TMPDIR" in last
        assert "Traceback" not in done.stderr
