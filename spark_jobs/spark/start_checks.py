"""Checks the settings with which Spark starts, and says why a start failed."""

import contextlib
import re
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import NoReturn

from spark_jobs.errors import UsageError, UserError
from spark_jobs.settings import Settings

_MASTER = re.compile(
    r"local|local\[(\*|[1-9]\d{0,4})(,[1-9]\d*)?\]|local-cluster\[\d+,\d+,\d+\]|yarn|k8s://\S+|spark://[^\s,:]+:\d+(,[^\s,:]+:\d+)*"
)
_SIZE = re.compile(r"(\d{1,12})([kmgt]?)b?", re.IGNORECASE)
_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
# Spark refuses a heap below 450 MiB; Delta and dbt in the same process need a little more.
_LEAST_MEMORY = 512 << 20
_SECONDS_TO_CONNECT = 5
_SECONDS_TO_START = 180
_JAVA_REFUSES = re.compile(
    r"Invalid (?:maximum|initial) heap size.*|Could not reserve enough space.*|Too small (?:maximum|initial) heap.*"
    r"|.*insufficient memory for the Java Runtime.*|.*specified size exceeds the maximum.*|Initial heap size set to a larger.*"
)


def check_start_settings(settings: Settings) -> None:
    """Raises UserError if Spark can't start with them."""
    _check_master(settings.text("spark.master"))
    for name, memory in (
        ("spark.driver_memory", settings.text("spark.driver_memory")),
        ('"spark.driver.memory" of spark.config', settings.spark_config.get("spark.driver.memory")),
    ):
        if memory is not None:
            _check_memory(name, memory)


def _check_master(master: str) -> None:
    if not _MASTER.fullmatch(master):
        raise UsageError(
            f"spark.master is {master!r}, which is no Spark master",
            "Give local[*], local[<number of cores>], spark://<host>:<port> or k8s://https://<host>",
        )
    if not master.startswith("spark://"):
        return
    reasons = []
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        try:
            with socket.create_connection((host, int(port)), _SECONDS_TO_CONNECT):
                return
        except (OSError, OverflowError) as error:
            reasons.append(str(getattr(error, "strerror", None) or error))
    raise UserError(
        f"the Spark master {master} can't be reached ({reasons[0]})",
        "Start it, or correct spark.master (local[*] needs none)",
    )


def _check_memory(name: str, memory: str) -> None:
    size = _SIZE.fullmatch(memory.strip())
    if size is None:
        raise UsageError(f"{name} is {memory!r}, which is no size", "Give a size such as 2g or 1500m")
    # Spark takes a number without a unit for MiB.
    if int(size[1]) << _UNITS[size[2].lower() or "m"] < _LEAST_MEMORY:
        raise UsageError(f"{name} is {memory}, which is too small for Spark", "Give at least 512m; 2g is the default")


@contextlib.contextmanager
def explained_start(settings: Settings, log: Path) -> Iterator[None]:
    """Raises UserError if Spark does not start. `log` is what the JVM prints."""
    with _no_longer_than(_SECONDS_TO_START, settings):
        try:
            yield
        except UserError:
            raise
        except Exception as error:
            raise _start_failure(settings, log, error) from error


@contextlib.contextmanager
def _no_longer_than(seconds: int, settings: Settings) -> Iterator[None]:
    """pyspark waits for ever for a Java that neither answers nor ends."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def raise_error(_number: int, _frame: FrameType | None) -> NoReturn:
        raise UserError(
            f"Spark did not start within {seconds} seconds",
            f"Try `lagoon doctor`, and whether Java works (JAVA_HOME, spark.java_home {settings.text('spark.java_home')!r})",
        )

    before = signal.signal(signal.SIGALRM, raise_error)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _start_failure(settings: Settings, log: Path, error: Exception) -> UserError:
    printed = log.read_text("utf-8", "replace") if log.is_file() else ""
    if refused := _JAVA_REFUSES.search(printed):
        memory = settings.spark_config.get("spark.driver.memory", settings.text("spark.driver_memory"))
        return UsageError(
            f"Java can't start with spark.driver_memory = {memory} ({refused[0].strip()})", "Give less, such as 2g"
        )
    if re.search(r"No space left on device|Disk quota exceeded", printed + str(error)):
        return UserError(
            f"the disk of {log.parent} is full, and Spark needs it", "Free some space, or point TMPDIR elsewhere"
        )
    lines = [line.strip() for line in (*printed.splitlines(), *str(error).splitlines())]
    reasons = [line for line in lines if re.search(r"(Exception|Error)\b.*: |^Error|Unrecognized", line)]
    reason = re.sub(r"^(Exception in thread \S+ |Caused by: |: )", "", reasons[0]) if reasons else type(error).__name__
    return UserError(
        f"Spark can't start: {reason[:300]}", "Correct [spark] and [spark.config], or see more with --debug"
    )
