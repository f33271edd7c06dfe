"""One Spark session and one lake of the recording for all tests; each is made when the first test asks for it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from recorded import unheard_of
from recorded.landing import arrange
from rich.console import Console

from spark_jobs import run as runs
from spark_jobs.gold.build_gold import BuiltGold, build_gold
from spark_jobs.lake import ledger
from spark_jobs.lake.ledger import Run
from spark_jobs.lake.tables import Lake
from spark_jobs.progress import Progress
from spark_jobs.run import DeliveryDays, Job
from spark_jobs.settings import SOURCES, Settings, load
from spark_jobs.spark import session

# A cut of the recording: the groups of one offsets partition, and every third round of reports.
_ROUNDS = ("112800Z", "112930Z", "113100Z", "113229Z")


def _in_the_cut(path: Path) -> bool:
    if path.parts[0] == "offsets-raw":
        return path.parts[1] != "at-120s" and path.parts[2] == "__consumer_offsets-2"
    return path.parts[0] == "lag" and any(time in path.name for time in _ROUNDS)


@pytest.fixture(scope="session")
def small_landing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A day's delivery of a few groups."""
    return arrange("kafka-4.3", tmp_path_factory.mktemp("small") / "landing", wanted=_in_the_cut)


@pytest.fixture(scope="session")
def recorded_landing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All that the recording of Kafka 4.3 delivers."""
    return arrange("kafka-4.3", tmp_path_factory.mktemp("recorded") / "landing", logs=True)


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    started = session.start(load(environment={}))
    yield started
    started.stop()


@pytest.fixture(scope="session")
def new_job(spark: SparkSession) -> Callable[..., Job]:  # noqa: ARG001
    """Work on a lake of one's own, in the shared session."""

    def open_new_job(lake: Path, landing: Path, **overrides: object) -> Job:
        settings = load(landing=str(landing), lake=str(lake), environment={})
        settings = Settings(**{**settings.__dict__, **overrides})  # type: ignore[arg-type]
        return Job(settings, Progress(Console(quiet=True), Console(quiet=True)))

    return open_new_job


@pytest.fixture(scope="session")
def recorded_job(new_job: Callable[..., Job], recorded_landing: Path, tmp_path_factory: pytest.TempPathFactory) -> Job:
    """The lake of the recording, bronze and silver made."""
    job = new_job(tmp_path_factory.mktemp("recorded") / "lake", recorded_landing)
    runs.run_bronze(job, DeliveryDays(), SOURCES)
    runs.run_silver(job, DeliveryDays())
    return job


@pytest.fixture(scope="session")
def recorded_gold(recorded_job: Job) -> tuple[Job, BuiltGold]:
    """The same with gold. Another test may have made it before: then it is made again."""
    silver = ledger.newest(recorded_job.lake, "silver")
    days = {(cluster, day) for cluster, day, _ in silver}
    run = Run.begin()
    return recorded_job, build_gold(recorded_job.lake, recorded_job.settings, run, force=days, report=lambda _: None)


@pytest.fixture
def recorded_lake(recorded_job: Job) -> Lake:
    return recorded_job.lake


# What a cluster delivers of a recording, by the end of its name.
_PARTS = {
    "": ("broker", "clients", "offsets-raw"),
    "-broker": ("broker",),
    "-clients": ("clients",),
    "-offsets": ("offsets-raw",),
}


@pytest.fixture(scope="session")
def lake_of_parts(new_job: Callable[..., Job], tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """One lake of several clusters, bronze and silver made: two recordings whole, and two of which each source alone
    was delivered, as `kafka-3.9-clients`; and what nothing understands."""
    folder = tmp_path_factory.mktemp("parts")
    alone = [f"{recording}{part}" for recording in ("kafka-3.9", "kafka-4.3") for part in _PARTS if part]
    for cluster in ("kafka-3.9", "kafka-3.9-lag-exporter", *alone):
        part = next((part for part in _PARTS if part and cluster.endswith(part)), "")
        arrange(
            cluster.removesuffix(part),
            folder / "landing",
            cluster=cluster,
            wanted=lambda path, folders=_PARTS[part]: path.parts[0] in folders,  # type: ignore[misc]
            logs=True,
        )
    unheard_of.deliver(folder / "landing")
    job = new_job(folder / "lake", folder / "landing")
    runs.run_bronze(job, DeliveryDays(), ["group_logs", "offset_dumps"])
    runs.run_silver(job, DeliveryDays())
    assert not job.failed
    assert len(job.taken) == len(alone) + 3
    return job.lake
