"""A day on which little was delivered: models that nothing was delivered for are not built, and gold is as if they were."""

import datetime as dt
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from support.lake_contents import gold_contents

from benchmarks.days import FIRST, deliver_day
from spark_jobs import run as runs
from spark_jobs.gold.build_gold import build_gold
from spark_jobs.gold.dbt_runner import PROJECT, DbtRunner
from spark_jobs.gold.models_without_rows import models_without_rows
from spark_jobs.gold.stale_days import deliveries_of
from spark_jobs.job import DeliveryDays, Job
from spark_jobs.lake import ledger
from spark_jobs.settings import SOURCES

pytestmark = pytest.mark.slow

TABLES = {path.stem for path in (PROJECT / "models" / "gold").glob("*.sql")}


@pytest.mark.parametrize(
    ("delivered", "without_rows"),
    [
        ("lag", {"assignments"}),
        (
            "nothing",
            {"assignments", "commit_gaps", "commit_health", "lag", "member_sessions", "read_starts", "rebalances"},
        ),
    ],
)
def test_gold_is_as_if_all_models_were_built(
    recorded_gold: tuple[Job, object],
    recorded_landing: Path,
    new_job: Callable[..., Job],
    tmp_path: Path,
    delivered: str,
    without_rows: set[str],
) -> None:
    before, _ = recorded_gold
    landing = shutil.copytree(recorded_landing, tmp_path / "landing")
    job = new_job(shutil.copytree(before.lake.uri, tmp_path / "lake"), landing)
    day = FIRST + dt.timedelta(1)
    if delivered == "nothing":
        empty = landing / "lag_metrics" / "cluster=recorded" / f"date={day}" / "empty.txt"
        empty.parent.mkdir(parents=True)
        empty.touch()
    else:
        deliver_day(1, landing, include=lambda file: file.parent.name == delivered)
    runs.run_bronze(job, DeliveryDays(), SOURCES)
    runs.run_silver(job, DeliveryDays())
    dbt = DbtRunner(job.lake, job.settings)
    dbt.register_tables()
    with dbt.environment([day]):
        left_out = set(models_without_rows(dbt.manifest, job.lake, {("recorded", day)}))
    assert without_rows <= left_out
    assert "coverage" not in left_out

    built = build_gold(job.lake, job.settings, job.run, force=set(), report=lambda _: None)
    assert built.days == (day,)
    assert not built.failed_tests
    unchanged = {table for table in TABLES if job.lake.read(f"gold.{table}").where(f"day = date'{day}'").isEmpty()}
    assert left_out & TABLES <= unchanged < TABLES
    contents = gold_contents(job.lake)
    with dbt.environment(built.days, deliveries=deliveries_of(ledger.newest(job.lake, "bronze"), built.days)):
        assert len(dbt.results("run")) == len(TABLES)
    assert gold_contents(job.lake) == contents


def test_a_day_that_lost_its_rows_is_built_by_all_models_that_had_some(
    recorded_gold: tuple[Job, object], new_job: Callable[..., Job], recorded_landing: Path, tmp_path: Path
) -> None:
    """Their tables have files of the day, though what they read has none any more."""
    before, _ = recorded_gold
    job = new_job(shutil.copytree(before.lake.uri, tmp_path / "lake"), recorded_landing)
    for table in (tmp_path / "lake" / "silver").iterdir():
        for files in table.glob("cluster=*"):
            shutil.rmtree(files)
    dbt = DbtRunner(job.lake, job.settings)
    dbt.register_tables()
    with dbt.environment([FIRST]):
        assert not TABLES & set(models_without_rows(dbt.manifest, job.lake, {("recorded", FIRST)}))
