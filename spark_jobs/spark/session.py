"""Starts the Spark session of the process, with Delta and without console output."""

import atexit
import contextlib
import logging
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from spark_jobs.settings import Settings
from spark_jobs.spark import jars
from spark_jobs.spark.delta_log import compile_log_store
from spark_jobs.spark.executors import await_executor
from spark_jobs.spark.java import java_home
from spark_jobs.spark.s3a import give_keys, s3a_config
from spark_jobs.spark.start_checks import check_start_settings, explained_start
from spark_jobs.store.store_access import is_s3

_DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    # The default of 50 tasks to read a table's log is the largest cost on a small lake.
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.databricks.delta.schema.autoMerge.enabled": "false",
}
_QUIET = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # It would remember the plans of a thousand queries for a page that nobody opens.
    "spark.sql.ui.retainedExecutions": "1",
    "spark.ui.retainedJobs": "10",
    "spark.ui.retainedStages": "10",
    "spark.ui.retainedTasks": "100",
    "spark.log.level": "ERROR",
}
_LOCAL = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
}
_JVM_SMALL = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC"
# The collector with the highest throughput, since pauses disturb nobody. Each query generates code of its own, and to
# compile it thoroughly took more time than to run it.
_JVM_LARGE = (
    "-XX:+UseParallelGC -XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=6000"
    " -XX:Tier4CompileThreshold=150000 -XX:Tier4BackEdgeThreshold=400000"
)
_SQL = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.catalogImplementation": "in-memory",
    # Names from telemetry become part of SQL texts. One such as `${env:HOME}` stands for itself.
    "spark.sql.variable.substitute": "false",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # With a limit in bytes Spark adds up all columns after every row, which costs more than sending them. 2,000 rows are
    # few bytes even if each describes a large group.
    "spark.sql.execution.arrow.maxBytesPerBatch": str(2**31 - 1),
    "spark.sql.execution.arrow.maxRecordsPerBatch": "2000",
    "spark.python.daemon.module": "spark_jobs.spark.worker_daemon",
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "4",
    # A slice has few partitions: to keep a file open for each costs less than to sort wide rows by partition.
    "spark.sql.maxConcurrentOutputFileWriters": "16",
    # Every query names its slices. To find them from the other side of a join would plan most of the query twice.
    "spark.sql.optimizer.dynamicPartitionPruning.enabled": "false",
    # With only as many partitions as cores, a partition would be too large to aggregate in memory.
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
    "spark.sql.adaptive.advisoryPartitionSizeInBytes": "8MB",
    # Cached rows are read only a few times, which is less work than to compress them.
    "spark.sql.inMemoryColumnarStorage.compressed": "false",
}

_LONGEST_SOCKET_FOLDER = 60
_FEW_ROWS = 50_000
_MANY_ROWS = 500_000
_ROWS_PER_PARTITION = 500_000


def start_spark(settings: Settings, *, small: bool = False) -> SparkSession:
    """Returns the running session or starts one. `small` starts faster and compiles less, for jobs of seconds."""
    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    check_start_settings(settings)
    master = settings.text("spark.master")
    s3a = is_s3(settings.lake)
    os.environ["JAVA_HOME"] = str(java_home(settings.text("spark.java_home")))
    # Spark returns times in the local time of the process.
    os.environ["TZ"] = "UTC"
    time.tzset()
    # The default of the workers is the first python3 on the path.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_CONF_DIR"] = str(Path(__file__).parent / "conf")
    scratch = Path(tempfile.mkdtemp(prefix="spark-"))
    atexit.register(shutil.rmtree, scratch, ignore_errors=True)
    classes = scratch / "classes"
    classes.mkdir()
    paths = ":".join(map(str, (*jars.pinned_jars(s3a=s3a), *([classes] if s3a else ()))))
    config = {
        "spark.driver.memory": settings.text("spark.driver_memory"),
        "spark.driver.extraClassPath": paths,
        "spark.executor.extraClassPath": paths,
        "spark.local.dir": str(scratch),
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.sql.shuffle.partitions": str(max(2, _cores(master))),
        **_DELTA,
        **_QUIET,
        **_SQL,
        **(_LOCAL if master.startswith("local") else {}),
        **(s3a_config(settings.store, scratch) if s3a else {}),
        # The path of a socket is at most 104 bytes long.
        "spark.python.unix.domain.socket.enabled": str(len(str(scratch)) < _LONGEST_SOCKET_FOLDER).lower(),
        "spark.driver.extraJavaOptions": f'{_JVM_SMALL if small else _JVM_LARGE} -Djava.io.tmpdir="{scratch}"',
        **settings.spark_config,
    }
    builder = SparkSession.builder.master(master).appName("lagoon")
    for key, value in config.items():
        builder = builder.config(key, value)
    logging.getLogger("py4j").setLevel(logging.ERROR)
    _silence_query_errors()
    log = scratch / "spark.log"
    with explained_start(settings, log), _jvm_output_to(log), _own_ctrl_c():
        session = builder.getOrCreate()
        if s3a:
            give_keys(session, settings.store)
            compile_log_store(session.sparkContext._gateway, classes)
    session.sparkContext.setLogLevel("ERROR")
    await_executor(session, settings)
    if small:
        tune_for(session, 0)
    return session


def stop_spark() -> None:
    """Ends the session, if there is one, in good order. A command on a local master need not."""
    if (running := SparkSession.getActiveSession()) is not None:
        # It may have ended already, and why is reported.
        with contextlib.suppress(Exception):
            running.stop()


def tune_for(spark: SparkSession, rows: int) -> int:
    """Sets how Spark plans for this number of rows: generated code, adaptive stages and more than one shuffle partition pay
    off on large days, and are most of the cost of a small day. Returns the number of tasks that read these rows."""
    large = rows > _MANY_ROWS
    # Sorts of wide rows spill to disk where a partition is too large for its share of the memory.
    at_least = int(spark.sparkContext.getConf().get("spark.sql.shuffle.partitions") or 2)
    tasks = max(at_least, rows // _ROWS_PER_PARTITION)
    spark.conf.set("spark.sql.shuffle.partitions", str(tasks if rows > _FEW_ROWS else 1))
    spark.conf.set("spark.sql.codegen.wholeStage", str(large).lower())
    spark.conf.set("spark.sql.codegen.factoryMode", "FALLBACK" if large else "NO_CODEGEN")
    spark.conf.set("spark.sql.adaptive.enabled", str(large).lower())
    return tasks


def create_task_folder(spark: SparkSession) -> str | None:
    """Creates a folder that all tasks can reach. None if tasks run on other machines."""
    if not str(spark.sparkContext.master).startswith("local"):
        return None
    return tempfile.mkdtemp(prefix="lagoon-", dir=spark.sparkContext.getConf().get("spark.local.dir"))


def _silence_query_errors() -> None:
    """Keeps pyspark from printing the stack trace of a query error: the error that is raised names the problem."""
    if not os.environ.get("LAGOON_DEBUG"):
        for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
            PySparkLogger.getLogger(name).setLevel(logging.CRITICAL)


@contextlib.contextmanager
def _jvm_output_to(log: Path) -> Iterator[None]:
    """Sends what a JVM that starts in this context prints to a file: warnings that no user can act on, and why it fails."""
    if os.environ.get("LAGOON_DEBUG"):
        yield
        return
    sys.stdout.flush()
    sys.stderr.flush()
    terminal = {descriptor: os.dup(descriptor) for descriptor in (1, 2)}
    with log.open("ab") as file:
        for descriptor in terminal:
            os.dup2(file.fileno(), descriptor)
    try:
        yield
    finally:
        for descriptor, copy in terminal.items():
            os.dup2(copy, descriptor)
            os.close(copy)


@contextlib.contextmanager
def _own_ctrl_c() -> Iterator[None]:
    """Keeps this process's handler of Ctrl-C: that of Spark ends its jobs, and lets the threads that wait for them go on."""
    handler = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, handler)


def _cores(master: str) -> int:
    number = master.partition("[")[2].rstrip("]").partition(",")[0]
    return int(number) if number.isdigit() else os.cpu_count() or 2
