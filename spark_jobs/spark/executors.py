"""Waits until a cluster has started an executor: Spark itself would wait for one without an end."""

import time

from pyspark.sql import SparkSession

from spark_jobs.errors import UserError
from spark_jobs.settings import Settings

_SECONDS_BETWEEN = 0.5


def await_executor(session: SparkSession, settings: Settings) -> None:
    """Raises UserError if the cluster starts no executor in the time of the settings. A local master needs none."""
    master, seconds = str(session.sparkContext.master), settings.integer("spark.executor_seconds")
    if master.startswith("local"):
        return
    tracker = session.sparkContext._jsc.sc().statusTracker()
    give_up_at = time.monotonic() + seconds
    # The driver is listed too.
    while len(tracker.getExecutorInfos()) < 2:
        if time.monotonic() > give_up_at:
            raise UserError(
                f"the Spark cluster {master} has started no executor within {seconds} seconds",
                "Look at its own page whether workers are alive and have as many cores and as much memory free as"
                " spark.executor.cores and spark.executor.memory ask for; spark.executor_seconds waits longer",
            )
        time.sleep(_SECONDS_BETWEEN)
