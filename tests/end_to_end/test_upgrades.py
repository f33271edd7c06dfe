"""Lakes that earlier landed versions built become what this version builds: every table, row by row."""

from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console
from support.lake_contents import gold_contents, table_contents
from support.old_lakes import OLD_LAKES, unpack_lake
from support.two_day_landing import deliver_two_days

from spark_jobs import run as runs
from spark_jobs.job import DeliveryDays, Job
from spark_jobs.progress import Progress
from spark_jobs.settings import SOURCES
from spark_jobs.upgrade import stale_by_version

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


@pytest.mark.parametrize("commit", OLD_LAKES)
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
