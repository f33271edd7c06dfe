"""Kafka's command-line tools, fetched by Spark's resolver into the ignored `.jars` folder."""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pyspark

_JARS = Path(__file__).resolve().parent.parent / ".jars"
KAFKA_VERSION = "4.3.1"
_DUMP_LOG = "org.apache.kafka.tools.DumpLogSegments"


def kafka_classpath(version: str = KAFKA_VERSION) -> str:
    folder = _JARS / f"kafka-{version}"
    resolved = folder / "resolved"
    if not resolved.exists():
        _resolve(folder, version)
        resolved.touch()
    # Spark's resolver leaves out jars that Spark has itself.
    return ":".join([f"{folder / 'jars'}/*", *map(str, (Path(pyspark.__file__).parent / "jars").glob("scala-*.jar"))])


def dump_log_command(*segments: Path, version: str = KAFKA_VERSION) -> list[str]:
    options = ["--offsets-decoder", "--print-data-log", "--files", ",".join(map(str, segments))]
    return ["java", "-Xmx512m", "-cp", kafka_classpath(version), _DUMP_LOG, *options]


def _resolve(folder: Path, version: str) -> None:
    packages = f"org.apache.kafka:kafka_2.13:{version},org.apache.kafka:kafka-tools:{version}"
    with TemporaryDirectory() as scratch:
        # Spark resolves packages only for an application, so it gets an empty one.
        application = Path(scratch) / "empty.py"
        application.touch()
        submit = Path(sys.executable).parent / "spark-submit"
        subprocess.run(
            [str(submit), "--packages", packages, "--conf", f"spark.jars.ivy={folder}", str(application)], check=True
        )
