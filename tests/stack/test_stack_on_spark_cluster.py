"""The pipeline on a Spark master and workers in containers of their own: the same tables as on one machine."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from support.lagoon_stack import LagoonStack
from support.lake_contents import gold_contents, table_contents
from support.stack_days import StackDay

from spark_jobs.job import Job
from spark_jobs.lake.catalog import open_to_read

pytestmark = [pytest.mark.stack, pytest.mark.timeout(3600)]

_ON_CLUSTER = ["-e", "LAGOON_SPARK_MASTER=spark://spark-master:7077", "-e", "LAGOON_SPARK_DRIVER_MEMORY=1g"]
_LAKES = "/scratch/lakes"


@pytest.fixture(scope="module")
def cluster(stack: LagoonStack, second_day: StackDay) -> LagoonStack:  # noqa: ARG001
    """The stack with a master and two workers of one core each."""
    stack.compose("up", "--detach", "--no-build", "--scale", "spark-worker=2", "spark-master", "spark-worker")
    stack.wait_for_health()
    return stack


def test_tables_equal_those_of_a_local_master(
    cluster: LagoonStack, new_job: Callable[..., Job], landing: Path, tmp_path: Path
) -> None:
    for name, options in (("cluster", _ON_CLUSTER), ("local", ["-e", "LAGOON_SPARK_MASTER=local[2]"])):
        command = ["exec", "-T", *options, "airflow-scheduler", "lagoon-task", "run", "--lake", f"{_LAKES}/{name}"]
        cluster.compose(*command)
    contents = []
    for name in ("cluster", "local"):
        lake = tmp_path / name
        shutil.copytree(cluster.volume("scratch") / "lakes" / name, lake)
        job = new_job(lake, landing)
        open_to_read(job.lake.spark, str(lake))
        contents.append({**table_contents(job.lake), **gold_contents(job.lake)})
    on_cluster, on_one_machine = contents
    assert len(on_cluster["group_health"]) > 10
    assert on_cluster.keys() == on_one_machine.keys()
    assert {name for name in on_cluster if on_cluster[name] != on_one_machine[name]} == set()
