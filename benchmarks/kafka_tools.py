"""Kafka's command-line tools, fetched by Spark's resolver into the ignored `.jars` folder."""

from pathlib import Path

import pyspark

from spark_jobs.spark.jars import fetch_jars
from spark_jobs.spark.java import java_home

_JARS = Path(__file__).resolve().parent.parent / ".jars"
KAFKA_VERSION = "4.3.1"
_NOTHING = "no.such.group:*"
_TOOLS = "org.apache.kafka.tools"


def kafka_classpath(version: str = KAFKA_VERSION) -> str:
    folder = _JARS / f"kafka-{version}"
    resolved = folder / "resolved"
    if not resolved.exists():
        packages = [f"org.apache.kafka:kafka_2.13:{version}", f"org.apache.kafka:kafka-tools:{version}"]
        fetch_jars(packages, folder=folder, excluded=_NOTHING)
        resolved.touch()
    # Spark's resolver leaves out jars that Spark has itself.
    return ":".join([f"{folder / 'jars'}/*", *map(str, (Path(pyspark.__file__).parent / "jars").glob("scala-*.jar"))])


def java_command() -> str:
    return str(java_home() / "bin" / "java")


def dump_log_command(*segments: Path, version: str = KAFKA_VERSION) -> list[str]:
    options = ["--offsets-decoder", "--print-data-log", "--files", ",".join(map(str, segments))]
    return tool_command("DumpLogSegments", *options, version=version)


def tool_command(name: str, *options: str, version: str = KAFKA_VERSION) -> list[str]:
    """One of Kafka's command-line tools, by its class."""
    return [java_command(), "-Xmx512m", "-cp", kafka_classpath(version), f"{_TOOLS}.{name}", *options]
