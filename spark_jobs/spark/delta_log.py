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


def compile_log_store(spark: SparkSession, classes: Path) -> None:
    """Compiles the log store by the compiler that Spark ships, since a Java runtime has none. `classes` is a folder on the
    driver's class path."""
    jvm: Any = spark._jvm
    compiler = jvm.org.codehaus.janino.CompilerFactory().newCompiler()
    class_path = str(jvm.java.lang.System.getProperty("java.class.path")).split(":")
    spark_home = jvm.java.lang.Class.forName("org.apache.spark.SparkContext").getProtectionDomain()
    compiler.setClassPath(_java_files(spark, [*class_path, str(spark_home.getCodeSource().getLocation().getPath())]))
    compiler.setDestinationDirectory(jvm.java.io.File(str(classes)), False)
    compiler.compile(_java_files(spark, [str(SOURCE)]))


def fence_commits(spark: SparkSession, lease: Lease) -> None:
    """Lets the JVM commit to the lake while the lease holds, and not a moment longer: also if this process was stopped for
    a while, and goes on with what it was doing when another one has taken over."""
    system: Any = spark._jvm.java.lang.System  # type: ignore[union-attr]

    def hold_until(seconds_left: float) -> None:
        system.setProperty(_LEASE_UNTIL, str(system.nanoTime() + int(seconds_left * 1e9)))

    lease.watch(hold_until)


def _java_files(spark: SparkSession, paths: list[str]) -> Any:
    context: Any = spark.sparkContext
    array = context._gateway.new_array(spark._jvm.java.io.File, len(paths))  # type: ignore[union-attr]
    for number, path in enumerate(paths):
        array[number] = spark._jvm.java.io.File(path)  # type: ignore[union-attr]
    return array
