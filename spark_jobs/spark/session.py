"""One Spark session a process, with Delta, quiet, and with nothing to start beside it."""

import atexit
import contextlib
import logging
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from pyspark.sql import SparkSession

from spark_jobs.settings import Settings
from spark_jobs.spark import jars
from spark_jobs.spark.java import java_home

_DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    # The default of 50 tasks to read a table's log is the largest cost of a small lake.
    "spark.databricks.delta.snapshotPartitions": "2",
    "spark.databricks.delta.schema.autoMerge.enabled": "false",
}
_QUIET = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}
_LOCAL = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
}
_SMALL = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC"
# Nobody waits for a pause, so the collector that does the least work. Each query brings programs of its own; to compile
# them thoroughly took more time than running them.
_LARGE = (
    "-XX:+UseParallelGC -XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=6000"
    " -XX:Tier4CompileThreshold=150000 -XX:Tier4BackEdgeThreshold=400000"
)
_WORK = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # A limit in bytes has Spark add up all columns after every row, which costs more than sending them. So few rows are few
    # bytes even where each tells of a large group.
    "spark.sql.execution.arrow.maxBytesPerBatch": str(2**31 - 1),
    "spark.sql.execution.arrow.maxRecordsPerBatch": "2000",
    "spark.python.unix.domain.socket.enabled": "true",
    "spark.python.daemon.module": "spark_jobs.spark.worker_daemon",
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "4",
    # A slice has few partitions: a file open for each costs less than sorting wide rows by them.
    "spark.sql.maxConcurrentOutputFileWriters": "16",
    # Every reader says which slices it wants. To find out from what it joins would plan most of a query a second time.
    "spark.sql.optimizer.dynamicPartitionPruning.enabled": "false",
    # As few parts as cores would be parts too large to be counted in memory.
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
    "spark.sql.adaptive.advisoryPartitionSizeInBytes": "8MB",
    # What is kept for a while is read a few times: less than it costs to find how to make it small.
    "spark.sql.inMemoryColumnarStorage.compressed": "false",
}

_MANY_ROWS = 500_000
_ROWS_A_PARTITION = 500_000


def start(settings: Settings, *, small: bool = False) -> SparkSession:
    """Starts Spark; for `small` work without the thorough compiling that only hours of it pay back."""
    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    master = settings.text("spark.master")
    paths = ":".join(str(path) for path in jars.present())
    os.environ["JAVA_HOME"] = str(java_home(settings.text("spark.java_home")))
    # Times come back from Spark as the local time of the process.
    os.environ["TZ"] = "UTC"
    time.tzset()
    # Workers take the first python3 on the path if nobody tells them.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_CONF_DIR"] = str(Path(__file__).parent / "conf")
    scratch = tempfile.TemporaryDirectory(prefix="lagoon-spark-")
    atexit.register(scratch.cleanup)
    config = {
        "spark.driver.memory": settings.text("spark.driver_memory"),
        "spark.driver.extraClassPath": paths,
        "spark.executor.extraClassPath": paths,
        "spark.local.dir": scratch.name,
        "spark.sql.warehouse.dir": str(Path(scratch.name) / "warehouse"),
        "spark.sql.shuffle.partitions": str(max(2, _cores(master))),
        **_DELTA,
        **_QUIET,
        **_WORK,
        **(_LOCAL if master.startswith("local") else {}),
        "spark.driver.extraJavaOptions": _SMALL if small else _LARGE,
        **settings.spark_config,
    }
    builder = SparkSession.builder.master(master).appName("lagoon")
    for key, value in config.items():
        builder = builder.config(key, value)
    logging.getLogger("py4j").setLevel(logging.ERROR)
    with _stderr_of_the_jvm_in(Path(scratch.name) / "spark.log"):
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    if small:
        tune_for(session, 0)
    return session


def tune_for(spark: SparkSession, rows: int) -> int:
    """Generated code and stages planned at run time pay off on large days; on a small day they are most of the cost.

    Returns the number of tasks among which rows are to be shuffled.
    """
    large = rows > _MANY_ROWS
    # Sorts of wide rows spill to disk where a partition is too large for its share of the memory.
    at_least = int(spark.sparkContext.getConf().get("spark.sql.shuffle.partitions") or 2)
    partitions = max(at_least, rows // _ROWS_A_PARTITION)
    spark.conf.set("spark.sql.shuffle.partitions", str(partitions))
    spark.conf.set("spark.sql.codegen.wholeStage", str(large).lower())
    spark.conf.set("spark.sql.codegen.factoryMode", "FALLBACK" if large else "NO_CODEGEN")
    spark.conf.set("spark.sql.adaptive.enabled", str(large).lower())
    return partitions


def folder_of_tasks(spark: SparkSession) -> str | None:
    """A new folder on this machine that all tasks reach; none if they run elsewhere."""
    if not str(spark.sparkContext.master).startswith("local"):
        return None
    return tempfile.mkdtemp(prefix="lagoon-", dir=spark.sparkContext.getConf().get("spark.local.dir"))


@contextlib.contextmanager
def _stderr_of_the_jvm_in(log: Path) -> Iterator[None]:
    """The JVM inherits standard error when it starts, and warns there of things that no user can act on."""
    if os.environ.get("LAGOON_DEBUG"):
        yield
        return
    sys.stderr.flush()
    kept = os.dup(2)
    with log.open("ab") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _cores(master: str) -> int:
    told = master.partition("[")[2].rstrip("]").partition(",")[0]
    return int(told) if told.isdigit() else os.cpu_count() or 2
