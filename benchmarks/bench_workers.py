"""`lagoon run` on a Spark cluster of one and of two workers with a core each, compared with a local master of as many cores.

Master and workers are processes of this machine, so the ratios are what a cluster costs: executors that start, tasks that are
sent to them, and rows that are kept by executors instead of in a folder that all tasks share. The recording goes into a new
lake each time.
"""

import contextlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks.bench_dag import checked, day_timed
from benchmarks.spark_cluster import running_master, running_worker
from benchmarks.timing import Timing
from tests.recorded.landing import arrange

_LAGOON = Path(sys.executable).parent / "lagoon"


def main() -> None:
    scratch = Path(tempfile.mkdtemp(prefix="lagoon-workers-"))
    try:
        landing = arrange("kafka-4.3", scratch / "landing", logs=True)
        for workers in (1, 2):
            local = _run(f"local[{workers}]", landing, scratch / f"local-{workers}")
            with contextlib.ExitStack() as cluster:
                master = cluster.enter_context(running_master())
                for number in range(workers):
                    cluster.enter_context(running_worker(master, scratch / f"worker-{workers}-{number}"))
                on_cluster = _run(master, landing, scratch / f"cluster-{workers}")
            ratio, by_cpu = on_cluster.seconds / local.seconds, on_cluster.cpu_seconds / local.cpu_seconds
            print(f"workers: {workers}; cluster / local: {ratio:.2f} x, by CPU time {by_cpu:.2f} x", flush=True)
    finally:
        shutil.rmtree(scratch)


def _run(master: str, landing: Path, lake: Path) -> Timing:
    environment = os.environ | {"LAGOON_SPARK_MASTER": master, "SPARK_LOCAL_HOSTNAME": "127.0.0.1"}
    command = [str(_LAGOON), "run", "-q", "--landing", str(landing), "--lake", str(lake)]
    return day_timed(f"a day on {master}", lambda: checked(command, environment))


if __name__ == "__main__":
    main()
