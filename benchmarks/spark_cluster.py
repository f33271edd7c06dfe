"""A Spark master and workers as processes of this machine, for as long as a benchmark or a test needs them."""

import contextlib
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pyspark

from spark_jobs.settings import load
from spark_jobs.spark.java import java_home
from tests.support.free_ports import free_ports

_SPARK = Path(pyspark.__file__).parent
_DEPLOY = "org.apache.spark.deploy"


@contextlib.contextmanager
def running_master() -> Iterator[str]:
    """Its address."""
    port, page = free_ports(2)
    command = [f"{_DEPLOY}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", str(page)]
    with _daemon(command, "I have been elected leader"):
        yield f"spark://127.0.0.1:{port}"


@contextlib.contextmanager
def running_worker(master: str, folder: Path, *, memory: str = "2g") -> Iterator[None]:
    """A worker of one core that the master knows. `folder` is where its executors run."""
    [page] = free_ports(1)
    command = [f"{_DEPLOY}.worker.Worker", "--host", "127.0.0.1", "--webui-port", str(page), "--cores", "1"]
    with _daemon(
        [*command, "--memory", memory, "--work-dir", str(folder), master], "Successfully registered with master"
    ):
        yield


@contextlib.contextmanager
def _daemon(arguments: list[str], ready: str) -> Iterator[None]:
    # A Spark session of this process would have its own settings of logs there.
    environment = {name: value for name, value in os.environ.items() if name != "SPARK_CONF_DIR"} | {
        "JAVA_HOME": str(java_home(load(environment={}).text("spark.java_home"))),
        "SPARK_HOME": str(_SPARK),
        "SPARK_DAEMON_MEMORY": "256m",
    }
    with tempfile.NamedTemporaryFile() as log:
        daemon = subprocess.Popen([_SPARK / "bin" / "spark-class", *arguments], env=environment, stdout=log, stderr=log)
        try:
            while ready not in Path(log.name).read_text("utf-8"):
                if daemon.poll() is not None:
                    raise RuntimeError(f"{arguments[0]} ended before it was ready: {Path(log.name).read_text('utf-8')}")
                time.sleep(0.1)
            yield
        finally:
            daemon.terminate()
            daemon.wait()
