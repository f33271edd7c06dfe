"""One Spark session and the lakes that tests share; each is built when the first test requests it."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from pyspark.sql import SparkSession
from recorded import unknown_records
from recorded.landing import arrange
from rich.console import Console

from spark_jobs import run as runs
from spark_jobs.gold.build_gold import BuiltGold, build_gold
from spark_jobs.job import DeliveryDays, Job
from spark_jobs.lake import ledger
from spark_jobs.lake.ledger import Run
from spark_jobs.lake.tables import Lake
from spark_jobs.progress import Progress
from spark_jobs.settings import SOURCES, load
from spark_jobs.spark import session

# The same examples in every run, on a machine of any speed. benchmarks.fuzz_inputs looks for new ones.
hypothesis_settings.register_profile(
    "repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis_settings.load_profile("repeatable")

# A shell lets what it runs in the background ignore Ctrl-C, and so would every command that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Times of the lag reports in the small landing: every third round of the recording.
_SMALL_REPORT_TIMES = ("112800Z", "112930Z", "113100Z", "113229Z")


def _is_in_small_landing(path: Path) -> bool:
    if path.parts[0] == "offsets-raw":
        return path.parts[1] != "at-120s" and path.parts[2] == "__consumer_offsets-2"
    return path.parts[0] == "lag" and any(time in path.name for time in _SMALL_REPORT_TIMES)


@pytest.fixture(scope="session")
def small_landing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One day's delivery of the groups of one offsets partition, and some of the lag reports."""
    return arrange("kafka-4.3", tmp_path_factory.mktemp("small") / "landing", include=_is_in_small_landing)


@pytest.fixture(scope="session")
def recorded_landing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything in the recording of Kafka 4.3."""
    return arrange("kafka-4.3", tmp_path_factory.mktemp("recorded") / "landing", logs=True)


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    # One session for hundreds of lakes: it keeps plans of tables that it has read.
    spark = session.start_spark(load(environment={"LAGOON_SPARK_DRIVER_MEMORY": "6g"}))
    yield spark
    spark.stop()


@pytest.fixture(scope="module", autouse=True)
def forgotten_tables() -> Iterator[None]:
    """Delta keeps the state of each table that it has read for an hour. Tests make hundreds of lakes, which would fill the
    memory of their Spark session."""
    yield
    if (running := SparkSession.getActiveSession()) is not None:
        assert running._jvm is not None
        running._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()


@pytest.fixture(scope="session")
def new_job(spark: SparkSession) -> Callable[..., Job]:  # noqa: ARG001
    """A function that opens a job on a lake and a landing folder, in the shared Spark session."""

    def open_new_job(lake: Path, landing: Path) -> Job:
        chosen = load(landing=str(landing), lake=str(lake), environment={})
        return Job(chosen, Progress(Console(quiet=True), Console(quiet=True)))

    return open_new_job


@pytest.fixture(scope="session")
def recorded_job(new_job: Callable[..., Job], recorded_landing: Path, tmp_path_factory: pytest.TempPathFactory) -> Job:
    """The job that built bronze and silver of the recording of Kafka 4.3."""
    job = new_job(tmp_path_factory.mktemp("recorded") / "lake", recorded_landing)
    runs.run_bronze(job, DeliveryDays(), SOURCES)
    runs.run_silver(job, DeliveryDays())
    return job


@pytest.fixture(scope="session")
def recorded_gold(recorded_job: Job) -> tuple[Job, BuiltGold]:
    """The same job with gold, which is rebuilt if another test has built it already."""
    lake, settings = recorded_job.lake, recorded_job.settings
    days = {(cluster, day) for cluster, day, _ in ledger.newest(lake, "silver")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LAGOON_CHECK_CONTRACTS", "1")
        return recorded_job, build_gold(lake, settings, Run.begin(lake.clock), force=days, report=lambda _: None)


@pytest.fixture
def recorded_lake(recorded_job: Job) -> Lake:
    return recorded_job.lake


# The end of a cluster's name -> the folders of the recording that it delivers.
_DELIVERED_FOLDERS = {
    "": ("broker", "clients", "offsets-raw"),
    "-broker": ("broker",),
    "-clients": ("clients",),
    "-offsets": ("offsets-raw",),
}


@pytest.fixture(scope="session")
def many_clusters_lake(new_job: Callable[..., Job], tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """Bronze and silver of several clusters: two whole recordings; two recordings once more with a cluster for each single
    source, such as `kafka-3.9-clients`; and records that no Kafka release has written."""
    folder = tmp_path_factory.mktemp("many-clusters")
    single_source = [
        f"{recording}{source}" for recording in ("kafka-3.9", "kafka-4.3") for source in _DELIVERED_FOLDERS if source
    ]
    for cluster in ("kafka-3.9", "kafka-3.9-lag-exporter", *single_source):
        source = next((source for source in _DELIVERED_FOLDERS if source and cluster.endswith(source)), "")
        arrange(
            cluster.removesuffix(source),
            folder / "landing",
            cluster=cluster,
            include=lambda path, folders=_DELIVERED_FOLDERS[source]: path.parts[0] in folders,  # type: ignore[misc]
            logs=True,
        )
    unknown_records.deliver(folder / "landing")
    job = new_job(folder / "lake", folder / "landing")
    runs.run_bronze(job, DeliveryDays(), ["group_logs", "offset_dumps"])
    runs.run_silver(job, DeliveryDays())
    assert not job.failed
    assert len(job.ingested) == len(single_source) + 3
    return job.lake
