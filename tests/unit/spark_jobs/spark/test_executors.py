"""A Spark cluster without a worker: one sentence instead of a run that waits for ever."""

import os
import subprocess
import sys
from pathlib import Path

from benchmarks.spark_cluster import running_master

_LAGOON = Path(sys.executable).parent / "lagoon"


def test_a_cluster_that_starts_no_executor_is_named(small_landing: Path, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    with running_master() as master:
        settings = {"LAGOON_SPARK_MASTER": master, "LAGOON_SPARK_EXECUTOR_SECONDS": "2"}
        run = subprocess.run(
            [_LAGOON, "run", "--landing", small_landing, "--lake", lake],
            env=os.environ | settings | {"SPARK_LOCAL_HOSTNAME": "127.0.0.1"},
            capture_output=True,
            text=True,
            check=False,
        )
    assert f"the Spark cluster {master} has started no executor within 2 seconds" in run.stderr
    assert run.returncode == 3
    assert list(lake.rglob("*.parquet")) == []
