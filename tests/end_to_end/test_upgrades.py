"""Lakes that earlier landed versions built become what this version builds: every table, row by row."""

import datetime as dt
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from rich.console import Console
from support.lake_contents import gold_contents, table_contents
from support.old_lakes import OLD_LAKES, unpack_lake
from support.two_day_landing import CLUSTER, DAYS, deliver_two_days, is_delivered

import schemas
from benchmarks.days import deliver_day
from spark_jobs import run as runs
from spark_jobs.job import DeliveryDays, Job
from spark_jobs.progress import Progress
from spark_jobs.quick.open_engine import open_engine
from spark_jobs.settings import SOURCES
from spark_jobs.upgrade import stale_by_version
from spark_jobs.upkeep.keep_lake import keep_lake

NewJob = Callable[..., Job]


@pytest.fixture(scope="module")
def landing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return deliver_two_days(tmp_path_factory.mktemp("two-days") / "landing")


class Contents(NamedTuple):
    """The rows of all tables, and what was said while they were built."""

    tables: dict[str, list[str]]
    said: list[str]


@pytest.fixture(scope="module")
def fresh(new_job: NewJob, landing: Path, tmp_path_factory: pytest.TempPathFactory) -> Contents:
    return run_layers(new_job(tmp_path_factory.mktemp("fresh") / "lake", landing))


def run_layers(job: Job) -> Contents:
    """Runs all layers as `lagoon run` does."""
    said: list[str] = []
    job.progress = SaidProgress(said)
    step = DeliveryDays()
    runs.run_layer(job, step, lambda job, days: runs.run_bronze(job, days, SOURCES))
    runs.run_silver(job, step)
    runs.run_gold(job, step)
    return Contents(table_contents(job.lake) | gold_contents(job.lake), said)


class SaidProgress(Progress):
    def __init__(self, said: list[str]) -> None:
        super().__init__(Console(quiet=True), Console(quiet=True))
        self.said = said

    def say(self, text: str) -> None:
        self.said.append(text)

    def warn(self, text: str) -> None:
        self.said.append(f"! {text}")


@pytest.mark.parametrize(
    "commit", [OLD_LAKES[-1], *(pytest.param(commit, marks=pytest.mark.slow) for commit in OLD_LAKES[:-1])]
)
def test_an_upgraded_lake_equals_a_fresh_one(
    new_job: NewJob, fresh: Contents, landing: Path, tmp_path: Path, commit: str
) -> None:
    job = new_job(unpack_lake(commit, tmp_path), landing)
    upgraded = run_layers(job)
    assert upgraded.said[0].startswith(
        "Built by another version of Lagoon, and built again: 6 deliveries of bronze, 2 days of silver, 2 days of gold. "
        "Building them took "
    )
    assert upgraded.said[1:] == fresh.said
    assert upgraded.tables.keys() == fresh.tables.keys()
    for table, rows in fresh.tables.items():
        assert upgraded.tables[table] == rows, table
    described = {
        name: [(c.name, c.type, c.description) for c in table.columns] for name, table in schemas.tables().items()
    }
    assert {name: columns_of(job, name) for name in described} == described
    assert not stale_by_version(job.lake, job.list_landing().files)


def columns_of(job: Job, table: str) -> list[tuple[str, str, str]]:
    fields = job.lake.read(table).schema
    return [(field.name, field.dataType.simpleString(), field.metadata["comment"]) for field in fields]


@pytest.mark.slow
def test_deliveries_that_landing_no_longer_has_stay_as_they_were_read_and_the_rest_is_rebuilt(
    new_job: NewJob, fresh: Contents, landing: Path, tmp_path: Path
) -> None:
    shutil.copytree(landing, tmp_path / "landing")
    for source in SOURCES:
        shutil.rmtree(tmp_path / "landing" / source / f"cluster={CLUSTER}" / f"date={DAYS[0]}")
    job = new_job(unpack_lake(OLD_LAKES[-1], tmp_path), tmp_path / "landing")
    upgraded = run_layers(job)
    assert "built again: 3 deliveries of bronze, 2 days of silver, 2 days of gold. " in upgraded.said[0]
    assert upgraded.said[0].endswith("3 deliveries of bronze that landing no longer has stay as they were read.")
    read_by = job.lake.read("bronze.files").select("delivered_on", "reader_version").distinct().collect()
    assert {(row.delivered_on, row.reader_version is None) for row in read_by} == {(DAYS[0], True), (DAYS[1], False)}
    # The readers of these files did not change in what they read of them.
    for table in (schemas.tables().keys() & fresh.tables.keys()) - {"bronze.files"}:
        assert upgraded.tables[table] == fresh.tables[table], table
    assert not stale_by_version(job.lake, job.list_landing().files)


@pytest.mark.slow
def test_days_whose_inputs_were_deleted_keep_their_rows_beside_days_of_this_version(
    new_job: NewJob, tmp_path: Path
) -> None:
    """In between the type of silver.group_generations.what_if has got a field."""
    # The day between them would need lag readings of a deleted delivery.
    day = deliver_day(3, tmp_path / "landing", cluster=CLUSTER, include=is_delivered)
    job = new_job(unpack_lake("10ad0fa", tmp_path), tmp_path / "landing")
    job.settings = replace(job.settings, values={**job.settings.values, "upkeep.bronze_days": 7})
    now = dt.datetime.combine(day + dt.timedelta(7), dt.time(12), dt.UTC)
    keep_lake(job.settings, Console(quiet=True), now=now, dry_run=False)
    query = f"select count(*), count(what_if), min(member_count) from silver.group_generations where day < date'{day}'"
    [before] = open_engine(job.settings).answer(query).rows
    assert before[0] > 0
    assert before[1] > 0
    upgraded = run_layers(job)
    # Nothing that can be built again was built by another version.
    assert not [text for text in upgraded.said if text.startswith("Built by another version")]
    assert list(open_engine(job.settings).answer(query).rows) == [before]
    generations = job.lake.read("silver.group_generations")
    withheld = generations.selectExpr("day", "inline(what_if.assignors)").select("day", "partitions_withheld")
    known = {(row.day, row.partitions_withheld is None) for row in withheld.distinct().collect()}
    assert known == {(DAYS[0], True), (DAYS[1], True), (day, False)}
    assert {row.day for row in job.lake.read("gold.rebalances").select("day").distinct().collect()} == {*DAYS, day}
