"""Which Java runs Spark, and whether it can."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from spark_jobs.complaint import Complaint

OLDEST, TOO_NEW = 17, 25
_CURE = "Install a JDK 17 or 21 (Debian: apt install openjdk-17-jre-headless) or point JAVA_HOME at one"


def java_home() -> Path:
    """The home of a Java that runs Spark; else a complaint."""
    home = _configured()
    version = _version(home / "bin" / "java")
    if version < OLDEST:
        raise Complaint(f"Java {version} in {home} is too old for Spark", _CURE)
    if version >= TOO_NEW:
        raise Complaint(f"Java {version} in {home} is too new for Spark", _CURE)
    return home


def describe() -> str:
    home = java_home()
    return f"Java {_version(home / 'bin' / 'java')} in {home}"


def _configured() -> Path:
    named = os.environ.get("LAGOON_SPARK_JAVA_HOME") or os.environ.get("JAVA_HOME")
    if named:
        if not (Path(named) / "bin" / "java").is_file():
            raise Complaint(f"there is no bin/java in JAVA_HOME ({named})", _CURE)
        return Path(named)
    found = shutil.which("java")
    if found is None:
        raise Complaint("Java is missing", _CURE)
    return Path(found).resolve().parent.parent


def _version(java: Path) -> int:
    try:
        told = subprocess.run([str(java), "-version"], capture_output=True, text=True, check=False).stderr
    except OSError as error:
        raise Complaint(f"{java} can't be run ({error.strerror})", _CURE) from error
    match = re.search(r'version "(?:1\.)?(\d+)', told)
    if match is None:
        raise Complaint(f"{java} does not tell its version", _CURE)
    return int(match.group(1))
