"""Tables that were damaged or changed from outside: one sentence names the table and the remedy, and the remedy works."""

import datetime as dt
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from support.lake_contents import table_contents

from spark_jobs import run as runs
from spark_jobs.errors import UserError
from spark_jobs.failure_causes import as_user_errors
from spark_jobs.job import DeliveryDays, Job
from spark_jobs.lake.lake_version import VERSIONS
from spark_jobs.settings import SOURCES

NewJob = Callable[..., Job]
DAY = dt.date(2026, 11, 18)


@pytest.fixture(scope="module")
def whole(new_job: NewJob, small_landing: Path, tmp_path_factory: pytest.TempPathFactory) -> Job:
    job = new_job(tmp_path_factory.mktemp("whole") / "lake", small_landing)
    runs.run_bronze(job, DeliveryDays(), SOURCES)
    runs.run_silver(job, DeliveryDays())
    return job


def message_of(job: Job, step: Callable[[Job, DeliveryDays], None]) -> str:
    with pytest.raises(UserError) as raised, as_user_errors(job.settings):
        step(job, DeliveryDays(frozenset([DAY])))
    assert "\n" not in str(raised.value)
    return str(raised.value)


def without_data(folder: Path) -> None:
    for file in folder.rglob("*.parquet"):
        file.unlink()


def with_torn_data(folder: Path) -> None:
    for file in folder.rglob("*.parquet"):
        file.write_bytes(file.read_bytes()[:20])


def with_torn_log(folder: Path) -> None:
    for file in (folder / "_delta_log").glob("*.json"):
        file.write_bytes(file.read_bytes()[:50])
    for file in (folder / "_delta_log").glob(".*.crc"):
        file.unlink()


def without_first_commit(folder: Path) -> None:
    (folder / "_delta_log" / f"{0:020}.json").unlink()
    for file in (folder / "_delta_log").glob("*.crc"):
        file.unlink()


def without_log(folder: Path) -> None:
    shutil.rmtree(folder / "_delta_log")


@pytest.mark.parametrize(
    ("table", "damage", "problem"),
    [
        ("bronze.offset_records", without_data, "has a data file that is missing or damaged"),
        ("bronze.offset_records", with_torn_data, "has a data file that is missing or damaged"),
        ("bronze.offset_records", with_torn_log, "has a Delta log that is damaged or incomplete"),
        ("bronze.files", without_first_commit, "has a Delta log that is damaged or incomplete"),
        ("bronze.lag_readings", without_log, "has files and no Delta log"),
        ("quality.runs", without_data, "has a data file that is missing or damaged"),
    ],
)  # fmt: skip
def test_a_damaged_table_is_named_with_the_remedy(
    new_job: NewJob,
    whole: Job,
    small_landing: Path,
    tmp_path: Path,
    table: str,
    damage: Callable[[Path], None],
    problem: str,
) -> None:
    lake = tmp_path / "lake"
    shutil.copytree(Path(whole.settings.lake), lake)
    folder = lake / table.replace(".", "/")
    damage(folder)
    whole.lake.spark.catalog.clearCache()
    message = message_of(new_job(lake, small_landing), lambda job, days: runs.run_silver(job, days))
    assert message.startswith(f"{table} {problem}. Restore {folder}")


@pytest.mark.parametrize("table", ["bronze.offset_records", "silver.offset_commits"])
def test_after_a_half_written_commit_the_remedy_gives_the_same_tables(
    new_job: NewJob, whole: Job, small_landing: Path, tmp_path: Path, table: str
) -> None:
    lake = tmp_path / "lake"
    shutil.copytree(Path(whole.settings.lake), lake)
    folder = lake / table.replace(".", "/")
    last = max((folder / "_delta_log").glob("*.json"))
    last.write_bytes(last.read_bytes()[: last.stat().st_size // 2])
    for checksum in (folder / "_delta_log").glob("*.crc"):
        checksum.unlink()

    message = message_of(new_job(lake, small_landing), lambda job, days: runs.run_silver(job, days))
    assert message.startswith(
        f"{table} has a Delta log that is damaged or incomplete. Restore {folder} from a copy, or delete it"
    )

    shutil.rmtree(folder)
    job, days = new_job(lake, small_landing), DeliveryDays.between(DAY, DAY)
    runs.run_bronze(job, days, SOURCES)
    runs.run_silver(job, days)
    assert table_contents(job.lake) == table_contents(whole.lake)


def test_a_deleted_table_of_bronze_is_read_again(
    new_job: NewJob, whole: Job, small_landing: Path, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    shutil.copytree(Path(whole.settings.lake), lake)
    shutil.rmtree(lake / "bronze" / "offset_records")
    job = new_job(lake, small_landing)
    days = DeliveryDays.between(DAY, DAY)
    runs.run_bronze(job, days, SOURCES)
    runs.run_silver(job, days)
    for table in ("bronze.offset_records", "silver.offset_commits"):
        rows, expected = (sorted(map(str, of.lake.read(table).collect())) for of in (job, whole))
        assert expected
        assert rows == expected, table


def test_a_column_of_another_type_is_named(new_job: NewJob, whole: Job, small_landing: Path, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    shutil.copytree(Path(whole.settings.lake), lake)
    table = whole.lake.spark.read.format("delta").load(str(lake / "silver" / "log_holes"))
    changed = table.withColumn("offsets_partition", table["offsets_partition"].cast("string"))
    writer = changed.write.format("delta").mode("overwrite").option("overwriteSchema", "true")
    writer.save(str(lake / "silver" / "log_holes"))
    message = message_of(new_job(lake, small_landing), lambda job, days: runs.run_silver(job, days))
    assert message.startswith("silver.log_holes has a column offsets_partition of the type string, and this version")


def test_a_lake_of_a_newer_version_is_left_alone(
    new_job: NewJob, whole: Job, small_landing: Path, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    shutil.copytree(Path(whole.settings.lake), lake)
    (lake / VERSIONS / "999").touch()
    message = message_of(new_job(lake, small_landing), lambda job, days: runs.run_bronze(job, days, SOURCES))
    assert message.startswith(f"the lake {lake} was written by a newer version of Lagoon (the lake has version 999")
    assert message.endswith("Update Lagoon, or name another lake with --lake.")


def test_a_table_that_a_stopped_run_left_without_its_first_commit_is_no_obstacle(
    new_job: NewJob, whole: Job, small_landing: Path, tmp_path: Path
) -> None:
    """dbt creates the folder of a table, and its files, before the first commit."""
    lake = tmp_path / "lake"
    shutil.copytree(Path(whole.settings.lake), lake)
    (lake / "gold" / "commit_gaps" / "_delta_log").mkdir(parents=True)
    (lake / "gold" / "commit_gaps" / "part-0.parquet").write_bytes(b"PAR1")
    shutil.rmtree(lake / "silver" / "log_holes")
    (lake / "silver" / "log_holes" / "_delta_log").mkdir(parents=True)
    opened = new_job(lake, small_landing).lake
    assert not (lake / "gold" / "commit_gaps").exists()
    assert opened.read("silver.log_holes").isEmpty()
