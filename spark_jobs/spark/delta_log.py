"""The log of Delta in an S3 store: commits that the store refuses if another process has made one of that number."""

from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from spark_jobs.store.lease import Lease

SOURCE = Path(__file__).with_name("ConditionalLogStore.java")
_CLASS = "lagoon.ConditionalLogStore"
# A property of the JVM: see the source.
_LEASE_UNTIL = "lagoon.lease.until"

LOG_STORE_CONFIG = {
    "spark.delta.logStore.s3a.impl": _CLASS,
    "spark.delta.logStore.s3.impl": _CLASS,
}


def compile_log_store(gateway: Any, classes: Path) -> None:
    """Compiles the log store by the compiler that Spark ships, since a Java runtime has none. `classes` is a folder on the
    class path of the JVM behind the gateway."""
    compiler = gateway.jvm.org.codehaus.janino.CompilerFactory().newCompiler()
    class_path = str(gateway.jvm.java.lang.System.getProperty("java.class.path")).split(":")
    compiler.setClassPath(_java_files(gateway, class_path))
    compiler.setDestinationDirectory(gateway.jvm.java.io.File(str(classes)), False)
    compiler.compile(_java_files(gateway, [str(SOURCE)]))


def fence_commits(spark: SparkSession, lease: Lease) -> None:
    """Lets the JVM commit to the lake while the lease holds, and not a moment longer: also if this process was stopped for
    a while, and goes on with what it was doing when another one has taken over."""
    jvm: Any = spark._jvm
    system = jvm.java.lang.System

    def hold_until(seconds_left: float) -> None:
        system.setProperty(_LEASE_UNTIL, str(system.nanoTime() + int(seconds_left * 1e9)))

    lease.watch(hold_until)


def _java_files(gateway: Any, paths: list[str]) -> Any:
    array = gateway.new_array(gateway.jvm.java.io.File, len(paths))
    for number, path in enumerate(paths):
        array[number] = gateway.jvm.java.io.File(path)
    return array
