"""Runs a step of a command on a lake that no other process writes meanwhile."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from spark_jobs.job import Job
    from spark_jobs.lake.tables import Lake
    from spark_jobs.settings import Settings


def run_job(landing: str | None, lake: str | None, config: str | None, step: "Callable[[Job], None]") -> None:
    from spark_jobs.doctor import require_prerequisites
    from spark_jobs.failure_causes import as_user_errors
    from spark_jobs.job import open_job
    from spark_jobs.progress import Progress
    from spark_jobs.run_log import open_log
    from spark_jobs.settings import load

    settings = load(file=config, landing=landing, lake=lake)
    require_prerequisites(settings)
    with (
        as_user_errors(settings),
        _deleted_pods(settings),
        open_job(settings, Progress()) as job,
        open_log(settings, sys.argv[1:]) as log,
    ):
        job.progress.log = log
        step(job)
    if job.failed:
        raise typer.Exit(1)


def read_lake(lake: str | None, config: str | None, step: "Callable[[Lake, Settings], None]") -> None:
    """Runs a step that needs Spark and writes nothing."""
    from spark_jobs.failure_causes import as_user_errors
    from spark_jobs.lake.catalog import open_to_read
    from spark_jobs.lake.lake_version import require_lake
    from spark_jobs.settings import load
    from spark_jobs.spark import session

    settings = load(file=config, lake=lake)
    require_lake(settings.lake, settings.store)
    with as_user_errors(settings), _deleted_pods(settings):
        step(open_to_read(session.start_spark(settings, small=True), settings.lake, settings.store), settings)


@contextlib.contextmanager
def _deleted_pods(settings: "Settings") -> Iterator[None]:
    """On Kubernetes the pods of executors end with their driver, and stay in the list of pods until Spark deletes them."""
    try:
        yield
    finally:
        if settings.text("spark.master").startswith("k8s://"):
            from spark_jobs.spark import session

            session.stop_spark()
