"""The jars that Spark needs beside those of pyspark: downloaded once by Spark's resolver, and checked by SHA-256."""

import fcntl
import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from spark_jobs.errors import UserError

# In a checkout its top folder, else beside the installed packages.
FOLDER = Path(__file__).resolve().parents[2] / ".jars"
# Dependencies that Spark ships already, or that only catalogs of other products need.
_EXCLUDED = (
    "org.apache.hadoop:hadoop-client*,org.apache.hadoop:hadoop-common,org.apache.parquet:*,io.unitycatalog:*,io.delta:delta-kernel-*,com.fasterxml.jackson.*:*,"
    "org.apache.logging.log4j:*,org.slf4j:*,org.scala-lang*:*,org.roaringbitmap:*,org.xerial.snappy:*,org.lz4:*,"
    "com.github.luben:*,org.antlr:*,software.amazon.awssdk:bundle,software.amazon.s3.analyticsaccelerator:*,io.netty:*,"
    "org.wildfly.openssl:*,commons-codec:*,commons-logging:*,org.apache.httpcomponents:*"
)


def pinned_versions(*, s3a: bool = False) -> dict[str, str]:
    """The SHA-256 of every jar that a session needs, by its coordinates; with `s3a` one whose lake is in an S3 store."""
    lists = ("jars.txt", "s3a_jars.txt") if s3a else ("jars.txt",)
    lines = [line for name in lists for line in Path(__file__).with_name(name).read_text("utf-8").splitlines()]
    return dict(line.split() for line in lines if line and not line.startswith("#"))


def pinned_jars(*, s3a: bool = False) -> list[Path]:
    """The files of all jars. Raises UserError if one is missing or not the pinned one."""
    paths = []
    for coordinates, sha256 in pinned_versions(s3a=s3a).items():
        path = jar_path(coordinates)
        if not path.is_file():
            raise UserError(
                f"the jar {coordinates} is missing", "Run `make setup` (or `lagoon doctor --fix`) once with network"
            )
        if hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
            raise UserError(
                f"the jar {path.name} is not the pinned one", f"Delete {path} and run `lagoon doctor --fix`"
            )
        paths.append(path)
    return paths


def jar_path(coordinates: str) -> Path:
    group, artifact, version = coordinates.split(":")
    return FOLDER / "jars" / f"{group}_{artifact}-{version}.jar"


def fetch_jars(
    coordinates: Sequence[str] | None = None, *, folder: Path = FOLDER, excluded: str = _EXCLUDED, s3a: bool = False
) -> None:
    """Downloads these jars, by default the pinned ones, into `folder`/jars."""
    from spark_jobs.spark.java import java_home

    found = importlib.util.find_spec("pyspark")
    assert found is not None
    assert found.origin is not None
    spark_home = Path(found.origin).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"the jars can't be stored in {folder}: {error.strerror}",
            "Run `lagoon doctor --fix` once as a user who may write there",
        ) from error
    # Two processes that fetch at once would write the same files.
    with (folder / ".lock").open("w") as lock, tempfile.TemporaryDirectory() as scratch:
        fcntl.flock(lock, fcntl.LOCK_EX)
        empty_script = Path(scratch) / "empty.py"
        empty_script.write_text("")
        command = [
            str(spark_home / "bin" / "spark-submit"),
            *("--packages", ",".join(coordinates or pinned_versions(s3a=s3a))),
            *("--conf", f"spark.jars.ivy={folder}"),
            *("--conf", f"spark.jars.excludes={excluded}"),
            str(empty_script),
        ]
        env = os.environ | {
            "SPARK_HOME": str(spark_home),
            "PYSPARK_PYTHON": sys.executable,
            "JAVA_HOME": str(java_home()),
        }
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        reasons = [
            line.strip() for line in done.stderr.splitlines() if "unresolved" in line.lower() or "not found" in line
        ]
        raise UserError(
            f"the jars could not be downloaded ({reasons[0] if reasons else 'no repository answered'})",
            "Check the network and the proxy settings, then run `lagoon doctor --fix`",
        )
