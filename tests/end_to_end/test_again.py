"""Done twice, killed half-way, in another order, late or torn: the same tables."""

import datetime as dt
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import schemas
from spark_jobs import run as runs
from spark_jobs.lake import ledger
from spark_jobs.lake.tables import Lake
from spark_jobs.run import DeliveryDays, Job
from spark_jobs.settings import SOURCES

NewJob = Callable[..., Job]
DAY = dt.date(2026, 11, 18)

# When a row was made and by which run is not what it says.
_ABOUT_THE_RUN = {"run_id", "started_at", "ended_at", "rejected_at", "modified_at", "made_from", "leaves"}


def contents(lake: Lake, layers: tuple[str, ...] = ("bronze", "silver", "quality")) -> dict[str, list[str]]:
    """All rows of all tables, but for what tells of the run and not of the telemetry; of the ledger, what stands."""
    found = {}
    for name, table in schemas.tables().items():
        if table.layer not in layers or name in ("quality.runs", "quality.rule_results"):
            continue
        columns = [column for column in table.column_names if column not in _ABOUT_THE_RUN]
        found[name] = sorted(map(str, lake.read(name).select(*columns).collect()))
    for layer in ("bronze", "silver"):
        found[f"ledger of {layer}"] = sorted(
            str((*key, e.outcome, e.rows_in, e.rows_accepted, e.rows_rejected, e.rows_duplicate, e.inputs, e.result))
            for key, e in ledger.newest(lake, layer).items()
            if layer in layers
        )
    return found


@pytest.fixture(scope="module")
def one_go(new_job: NewJob, small_landing: Path, tmp_path_factory: pytest.TempPathFactory) -> Job:
    """The cut taken in without anything going wrong."""
    job = new_job(tmp_path_factory.mktemp("one-go") / "lake", small_landing)
    runs.run_bronze(job, DeliveryDays(), SOURCES)
    runs.run_silver(job, DeliveryDays())
    return job


def copied(new_job: NewJob, job: Job, target: Path, landing: Path) -> Job:
    shutil.copytree(Path(job.settings.lake), target)
    return new_job(target, landing)


def test_the_same_days_again_are_the_same_tables(
    new_job: NewJob, one_go: Job, small_landing: Path, tmp_path: Path
) -> None:
    before = contents(one_go.lake)
    again = copied(new_job, one_go, tmp_path / "lake", small_landing)
    days = DeliveryDays(frozenset([DAY]))
    runs.run_bronze(again, days, SOURCES)
    runs.run_silver(again, days)
    assert sum(map(len, before.values())) > 1_000
    assert contents(again.lake) == before


def killed(command: list[str], lake: Path, landing: Path, *, when: Path) -> None:
    """Runs a command of `lagoon` and kills it with SIGKILL as soon as a file is there."""
    process = subprocess.Popen(
        [sys.executable, "-m", "spark_jobs.cli", *command, "--lake", str(lake), "--landing", str(landing)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        limit = time.monotonic() + 240
        while not when.exists():
            assert process.poll() is None, f"{command} ended before {when.name} was there"
            assert time.monotonic() < limit
            time.sleep(0.02)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def commit(lake: Path, table: str, number: int) -> Path:
    return lake / table.replace(".", "/") / "_delta_log" / f"{number:020}.json"


def test_bronze_killed_in_the_middle_and_run_again_is_the_same(
    new_job: NewJob, one_go: Job, small_landing: Path, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    killed(["bronze"], lake, small_landing, when=commit(lake, "bronze.offset_records", 1))
    again = new_job(lake, small_landing)
    runs.run_bronze(again, DeliveryDays(), SOURCES)
    assert contents(again.lake, ("bronze",)) == contents(one_go.lake, ("bronze",))


def test_silver_killed_in_the_middle_and_run_again_is_the_same(
    new_job: NewJob, one_go: Job, small_landing: Path, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    job = new_job(lake, small_landing)
    runs.run_bronze(job, DeliveryDays(), SOURCES)
    killed(["silver"], lake, small_landing, when=commit(lake, "silver.offset_commits", 1))
    runs.run_silver(new_job(lake, small_landing), DeliveryDays())
    assert contents(job.lake) == contents(one_go.lake)


def gold_contents(lake: Lake) -> dict[str, list[str]]:
    tables = sorted(folder.name for folder in (Path(lake.uri) / "gold").iterdir())
    return {name: sorted(map(str, lake.read(f"gold.{name}").collect())) for name in tables}


def test_gold_killed_in_the_middle_and_run_again_is_the_same(
    new_job: NewJob, one_go: Job, small_landing: Path, tmp_path: Path
) -> None:
    unharmed = copied(new_job, one_go, tmp_path / "unharmed", small_landing)
    runs.run_gold(unharmed, DeliveryDays())
    expected = gold_contents(unharmed.lake)
    shutil.copytree(Path(one_go.settings.lake), tmp_path / "harmed")
    killed(["gold"], tmp_path / "harmed", small_landing, when=commit(tmp_path / "harmed", "gold.commit_gaps", 1))
    again = new_job(tmp_path / "harmed", small_landing)
    runs.run_gold(again, DeliveryDays())
    assert {"commit_gaps", "commit_health", "findings"} <= set(expected)
    assert expected["commit_gaps"]
    assert gold_contents(again.lake) == expected


def test_a_grown_file_changes_its_day_and_nothing_new_changes_nothing(
    new_job: NewJob, one_go: Job, small_landing: Path, tmp_path: Path
) -> None:
    """The last segment arrives torn, then whole; then nothing more arrives."""
    landing = tmp_path / "landing"
    shutil.copytree(small_landing, landing)
    [last] = landing.rglob("final/**/00000000000000000772.log.zst")
    whole = last.read_bytes()
    last.write_bytes(whole[: len(whole) // 2])
    job = new_job(tmp_path / "lake", landing)
    runs.run_bronze(job, DeliveryDays(), SOURCES)
    runs.run_silver(job, DeliveryDays())
    torn = contents(job.lake)
    last.write_bytes(whole)
    runs.run_bronze(job, DeliveryDays(), SOURCES)
    runs.run_silver(job, DeliveryDays())
    assert torn != contents(one_go.lake)
    assert contents(job.lake, ("silver",)) == contents(one_go.lake, ("silver",))
    entries = job.lake.read("quality.runs").count()
    runs.run_bronze(job, DeliveryDays(), SOURCES)
    runs.run_silver(job, DeliveryDays())
    assert job.lake.read("quality.runs").count() == entries


def test_deliveries_in_another_order_and_twice_are_the_same_silver(
    new_job: NewJob, one_go: Job, small_landing: Path, tmp_path: Path
) -> None:
    """The later copies first, then an older delivery with the rest, then all of it again on a third day."""
    landing = tmp_path / "landing"

    def deliver(day: str, wanted: Callable[[Path], bool]) -> None:
        for file in sorted(small_landing.rglob("*")):
            if file.is_file() and wanted(file):
                place = Path(str(file).replace(str(small_landing), str(landing)).replace(str(DAY), day))
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(file, place)

    job = new_job(tmp_path / "lake", landing)
    for day, wanted in (
        ("2026-11-20", lambda file: "final" in str(file)),
        ("2026-11-18", lambda file: "final" not in str(file)),
        ("2026-11-21", lambda _: True),
    ):
        deliver(day, wanted)
        runs.run_bronze(job, DeliveryDays(), SOURCES)
        runs.run_silver(job, DeliveryDays())
    where_from = {"delivered_on", "source_file", "source_position"}
    for name in ("silver.offset_commits", "silver.positions", "silver.lag_samples", "silver.log_offsets"):
        columns = [column for column in schemas.table(name).column_names if column not in where_from]
        rows, expected = (sorted(map(str, of.lake.read(name).select(*columns).collect())) for of in (job, one_go))
        assert expected
        assert rows == expected, name
