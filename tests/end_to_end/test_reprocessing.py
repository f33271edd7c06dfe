"""Tables are the same whether days are built once, twice, after a kill, in another order, or from late and grown files."""

import datetime as dt
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from support.killed_commands import delta_commit, run_and_kill
from support.lake_contents import gold_contents, table_contents

import schemas
from spark_jobs import run as runs
from spark_jobs.job import DeliveryDays, Job
from spark_jobs.settings import SOURCES

NewJob = Callable[..., Job]
DAY = dt.date(2026, 11, 18)


@pytest.fixture(scope="module")
def undisturbed(new_job: NewJob, small_landing: Path, tmp_path_factory: pytest.TempPathFactory) -> Job:
    """The job that built bronze and silver of the small landing without any failure."""
    job = new_job(tmp_path_factory.mktemp("undisturbed") / "lake", small_landing)
    runs.run_bronze(job, DeliveryDays(), SOURCES)
    runs.run_silver(job, DeliveryDays())
    return job


def copy_job(new_job: NewJob, job: Job, target: Path, landing: Path) -> Job:
    """A job on a copy of the lake of another job."""
    shutil.copytree(Path(job.settings.lake), target)
    return new_job(target, landing)


def test_building_the_same_days_twice_gives_the_same_tables(
    new_job: NewJob, undisturbed: Job, small_landing: Path, tmp_path: Path
) -> None:
    before = table_contents(undisturbed.lake)
    again = copy_job(new_job, undisturbed, tmp_path / "lake", small_landing)
    days = DeliveryDays(frozenset([DAY]))
    runs.run_bronze(again, days, SOURCES)
    runs.run_silver(again, days)
    assert sum(map(len, before.values())) > 1_000
    assert table_contents(again.lake) == before


def test_bronze_that_was_killed_half_way_is_the_same_after_another_run(
    new_job: NewJob, undisturbed: Job, small_landing: Path, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    run_and_kill(["bronze"], lake, small_landing, when_exists=delta_commit(lake, "bronze.offset_records", 1))
    again = new_job(lake, small_landing)
    runs.run_bronze(again, DeliveryDays(), SOURCES)
    assert table_contents(again.lake, ("bronze",)) == table_contents(undisturbed.lake, ("bronze",))


def test_silver_that_was_killed_half_way_is_the_same_after_another_run(
    new_job: NewJob, undisturbed: Job, small_landing: Path, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    job = new_job(lake, small_landing)
    runs.run_bronze(job, DeliveryDays(), SOURCES)
    run_and_kill(["silver"], lake, small_landing, when_exists=delta_commit(lake, "silver.offset_commits", 1))
    runs.run_silver(new_job(lake, small_landing), DeliveryDays())
    assert table_contents(job.lake) == table_contents(undisturbed.lake)


@pytest.mark.slow
def test_gold_that_was_killed_half_way_is_the_same_after_another_run(
    new_job: NewJob, undisturbed: Job, small_landing: Path, tmp_path: Path
) -> None:
    expected_job = copy_job(new_job, undisturbed, tmp_path / "undisturbed", small_landing)
    runs.run_gold(expected_job, DeliveryDays())
    expected = gold_contents(expected_job.lake)
    lake = tmp_path / "lake"
    shutil.copytree(Path(undisturbed.settings.lake), lake)
    run_and_kill(["gold"], lake, small_landing, when_exists=delta_commit(lake, "gold.commit_gaps", 1))
    again = new_job(lake, small_landing)
    runs.run_gold(again, DeliveryDays())
    assert {"commit_gaps", "commit_health", "findings"} <= set(expected)
    assert expected["commit_gaps"]
    assert gold_contents(again.lake) == expected


def test_a_grown_file_has_its_day_rebuilt_and_a_run_without_new_files_writes_nothing(
    new_job: NewJob, undisturbed: Job, small_landing: Path, tmp_path: Path
) -> None:
    """The last segment is delivered cut off, then whole; then nothing more is delivered."""
    landing = tmp_path / "landing"
    shutil.copytree(small_landing, landing)
    [segment] = landing.rglob("final/**/00000000000000000772.log.zst")
    whole = segment.read_bytes()
    segment.write_bytes(whole[: len(whole) // 2])
    job = new_job(tmp_path / "lake", landing)
    runs.run_bronze(job, DeliveryDays(), SOURCES)
    runs.run_silver(job, DeliveryDays())
    from_cut_off_segment = table_contents(job.lake)
    segment.write_bytes(whole)
    runs.run_bronze(job, DeliveryDays(), SOURCES)
    runs.run_silver(job, DeliveryDays())
    assert from_cut_off_segment != table_contents(undisturbed.lake)
    assert table_contents(job.lake, ("silver",)) == table_contents(undisturbed.lake, ("silver",))
    entries = job.lake.read("quality.runs").count()
    runs.run_bronze(job, DeliveryDays(), SOURCES)
    runs.run_silver(job, DeliveryDays())
    assert job.lake.read("quality.runs").count() == entries


def test_deliveries_in_another_order_and_repeated_give_the_same_silver(
    new_job: NewJob, undisturbed: Job, small_landing: Path, tmp_path: Path
) -> None:
    """The later copies are delivered first, then the rest for an older day, then everything once more on a third day."""
    landing = tmp_path / "landing"

    def deliver(day: str, include: Callable[[Path], bool]) -> None:
        for file in sorted(small_landing.rglob("*")):
            if file.is_file() and include(file):
                target = Path(str(file).replace(str(small_landing), str(landing)).replace(str(DAY), day))
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(file, target)

    job = new_job(tmp_path / "lake", landing)
    for day, include in (
        ("2026-11-20", lambda file: "final" in str(file)),
        ("2026-11-18", lambda file: "final" not in str(file)),
        ("2026-11-21", lambda _: True),
    ):
        deliver(day, include)
        runs.run_bronze(job, DeliveryDays(), SOURCES)
        runs.run_silver(job, DeliveryDays())
    provenance = {"delivered_on", "source_file", "source_position"}
    for name in ("silver.offset_commits", "silver.positions", "silver.lag_samples", "silver.log_offsets"):
        columns = [column for column in schemas.table(name).column_names if column not in provenance]
        rows, expected = (
            sorted(map(str, built.lake.read(name).select(*columns).collect())) for built in (job, undisturbed)
        )
        assert expected
        assert rows == expected, name
