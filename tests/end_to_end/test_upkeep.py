"""Upkeep and erasure of a lake that Spark built, and what the next run does with it."""

import datetime as dt
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from support.lake_bytes import files_containing
from support.lake_contents import table_contents

from spark_jobs import run as runs
from spark_jobs.gold.dbt_runner import DbtRunner
from spark_jobs.job import DeliveryDays, Job
from spark_jobs.lake import ledger
from spark_jobs.progress import Progress
from spark_jobs.settings import SOURCES, Settings
from spark_jobs.upkeep.erase_lake import erase_lake
from spark_jobs.upkeep.erased_value import ErasedValue
from spark_jobs.upkeep.keep_lake import keep_lake

CLUSTER, DAY = "recorded", dt.date(2026, 11, 18)
NOW = dt.datetime(2026, 11, 20, tzinfo=dt.UTC)
QUIET = Progress(Console(quiet=True), Console(quiet=True))


@pytest.fixture(scope="module")
def built(new_job: Callable[..., Job], small_landing: Path, tmp_path_factory: pytest.TempPathFactory) -> Job:
    job = new_job(tmp_path_factory.mktemp("upkeep") / "lake", small_landing)
    runs.run_bronze(job, DeliveryDays(), SOURCES)
    runs.run_silver(job, DeliveryDays())
    return job


@pytest.fixture
def job(built: Job, new_job: Callable[..., Job], tmp_path: Path) -> Job:
    """The same lake in a folder of its own."""
    shutil.copytree(built.settings.lake, tmp_path / "lake")
    return new_job(tmp_path / "lake", Path(built.settings.landing))


def with_setting(settings: Settings, name: str, value: float) -> Settings:
    return replace(settings, values={**settings.values, name: value})


def first_group(job: Job) -> str:
    """The first group whose name is in no other name."""
    rows = job.lake.read("silver.offset_commits").select("group_id", "topic").distinct().collect()
    names = {name for row in rows for name in row}
    names |= {row.group_id for row in job.lake.read("bronze.lag_readings").where("group_id is not null").collect()}
    return min(row.group_id for row in rows if [name for name in names if row.group_id in name] == [row.group_id])


def commits(job: Job) -> list[str]:
    columns = ("group_id", "topic", "partition_id", "record_offset", "committed_offset", "previous_committed_offset")
    return sorted(map(str, job.lake.read("silver.offset_commits").select(*columns).collect()))


def test_after_an_erasure_no_byte_is_left_and_a_rebuilt_day_is_the_same(job: Job) -> None:
    lake = Path(job.settings.lake)
    group = first_group(job)
    assert len(files_containing(lake, group)) > 5
    others = job.lake.read("silver.offset_commits").where(f"group_id <> '{group}'").count()
    assert others

    erase_lake(job.settings, ErasedValue("group", group), QUIET, dry_run=False)

    assert files_containing(lake, group) == []
    before = commits(job)
    assert len(before) == others
    newest = ledger.newest(job.lake, "silver")
    assert newest[CLUSTER, DAY, "silver.offset_commits"].outcome == "erased"
    assert all(e.rows_in == e.rows_accepted + e.rows_rejected + e.rows_duplicate for e in newest.values())
    # Nothing is stale.
    runs.run_bronze(job, DeliveryDays(), SOURCES)
    runs.run_silver(job, DeliveryDays())
    assert ledger.newest(job.lake, "silver") == newest
    # And what is rebuilt from bronze does not bring it back, nor miss rows.
    runs.run_silver(job, DeliveryDays(), event_days={(CLUSTER, DAY)})
    assert not job.failed
    assert files_containing(lake, group) == []
    # Erased records are holes of the log, as if they had been cleaned: `complete` may be false now.
    assert commits(job) == before


def test_a_file_that_brings_back_what_was_erased_is_named(job: Job) -> None:
    group = first_group(job)
    erase_lake(job.settings, ErasedValue("group", group), QUIET, dry_run=False)

    runs.run_bronze(job, DeliveryDays.between(DAY, DAY), SOURCES)

    assert job.failed


def test_spark_reads_what_upkeep_merged_and_bronze_that_is_gone_empties_no_silver(job: Job) -> None:
    before = table_contents(job.lake)
    merged = with_setting(job.settings, "upkeep.time_travel_days", 1)
    keep_lake(merged, QUIET.output, now=NOW, dry_run=False)
    assert table_contents(job.lake) == before

    keep_lake(with_setting(merged, "upkeep.bronze_days", 7), QUIET.output, now=NOW + dt.timedelta(30), dry_run=False)

    assert job.lake.read("bronze.offset_records").count() == 0
    silver = table_contents(job.lake, ("silver",))
    assert silver["silver.offset_commits"]
    # The same files are still in landing, and a changed setting makes silver stale.
    job.settings = with_setting(job.settings, "gate.max_rejected_share", 0.9)
    runs.run_bronze(job, DeliveryDays.between(DAY, DAY), SOURCES)
    runs.run_silver(job, DeliveryDays.between(DAY, DAY))
    assert table_contents(job.lake, ("silver",)) == silver
    assert job.lake.read("bronze.offset_records").count() == 0


def test_gold_keeps_the_rows_of_days_that_it_cannot_build_again_when_a_table_gets_a_column(job: Job) -> None:
    lake, old_day = job.lake, dt.date(2026, 1, 1)
    dbt = DbtRunner(lake, job.settings)
    dbt.register_tables()
    # As an older version of Lagoon wrote it: without client_host and moved_from_client_id.
    lake.spark.sql(
        "create table gold.assignments (cluster string not null, day date not null, group_id string, incarnation int, "
        "generation int, topic string, partition_id int, member_id string, client_id string, instance_id string, "
        f"moved_from_member_id string) using delta partitioned by (day) location '{lake.path('gold.assignments')}'"
    )
    values = f"'eu', date'{old_day}', 'g', 1, 2, 't', 3, 'm', 'c', 'i', null"
    lake.spark.sql(f"insert into gold.assignments values ({values})")

    with dbt.environment([DAY], keeps_old_days=True):
        dbt.results("run", "--full-refresh", "--select", "assignments")

    rows = {row.day: row for row in lake.read("gold.assignments").orderBy("day", ascending=False).collect()}
    assert set(rows) == {old_day, DAY}
    kept = rows[old_day].asDict()
    assert (kept["client_id"], kept["client_host"], kept["instance_id"]) == ("c", None, "i")
    assert list(kept)[-1] == "moved_from_client_id"
    assert rows[DAY].client_host.startswith("/")
