"""Checks what a machine needs to run Lagoon. Each check returns one line, or raises UserError with the remedy."""

import os
import shutil
import socket
from collections.abc import Callable

from rich.console import Console

from spark_jobs import landing
from spark_jobs.errors import UserError
from spark_jobs.lake.lake_version import require_known_version
from spark_jobs.lake.location import local_path
from spark_jobs.printing import print_line
from spark_jobs.progress import counted
from spark_jobs.settings import Settings
from spark_jobs.spark import jars, java
from spark_jobs.spark.start_checks import check_start_settings
from spark_jobs.store.object_folder import ObjectFolder
from spark_jobs.store.store_access import is_s3

_SPACE_NEEDED = 1 << 30
# An object without content that stays in a lake.
_PROBE = ".probe"


def examine(settings: Settings, *, fix: bool) -> bool:
    """Prints the result of each check. Returns whether all passed. `fix` downloads what is missing."""
    console = Console()
    passed = True
    for name, check, download in _CHECKS:
        try:
            try:
                state = check(settings)
            except UserError:
                if not (fix and download):
                    raise
                download(settings)
                state = f"{check(settings)} (just downloaded)"
        except UserError as error:
            passed = False
            print_line(console, str(error), margin=(("✗", "red"), f" {name}"), indent=11)
        else:
            print_line(console, state, margin=(("✓", "green"), f" {name}"), indent=11)
    return passed


def require_prerequisites(settings: Settings) -> None:
    """Raises UserError for the first prerequisite of a writing command that is missing. Jars are fetched, which happens once
    where Lagoon was installed without `make setup`."""
    check_start_settings(settings)
    _java(settings)
    if not all(jars.jar_path(each).is_file() for each in jars.pinned_versions(s3a=is_s3(settings.lake))):
        _fetch_jars(settings)
    for check in (_jars, _lake, _disk, _ports):
        check(settings)


def _java(settings: Settings) -> str:
    return java.describe(settings.text("spark.java_home"))


def _spark(settings: Settings) -> str:
    check_start_settings(settings)
    return f"{settings.text('spark.master')} with {settings.text('spark.driver_memory')} of memory"


def _jars(settings: Settings) -> str:
    return f"{len(jars.pinned_jars(s3a=is_s3(settings.lake)))} jars, all of the pinned versions"


def _fetch_jars(settings: Settings) -> None:
    jars.fetch_jars(s3a=is_s3(settings.lake))


def _disk(settings: Settings) -> str:
    folder = local_path(settings.lake)
    if folder is None:
        return "the lake is in an object store"
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    if free < _SPACE_NEEDED:
        raise UserError(f"the disk of the lake has {free >> 20} MiB left", "Free 1 GiB or choose another --lake")
    return f"{free >> 30} GiB free"


def _lake(settings: Settings) -> str:
    folder = local_path(settings.lake)
    if folder is None:
        require_known_version(settings.lake, settings.store)
        found = ObjectFolder(settings.lake, settings.store)
        found.write(_PROBE, b"")
        return f"{settings.lake} can be written"
    require_known_version(settings.lake)
    existing = folder
    while not existing.exists():
        existing = existing.parent
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        raise UserError(
            f"the lake {folder} can't be written", "Correct the folder's permissions or choose another --lake"
        )
    return f"{folder} {'can be written' if folder.exists() else 'can be created'}"


def _landing(settings: Settings) -> str:
    landed = landing.list_landing(settings.landing, follow_links=settings.follow_links, access=settings.store)
    days = sorted({file.delivered_on for file in landed.files})
    if landed.skipped:
        first = landed.skipped[0]
        raise UserError(
            f"{counted(len(landed.skipped), 'file')} in landing can't be read, the first is {first.path}, {first.reason}",
            f"Files belong into {landing.LAYOUT}",
        )
    return f"{counted(len(landed.files), 'file')} of {counted(len(days), 'day')}, {days[0]} to {days[-1]}"


def _ports(settings: Settings) -> str:
    """Spark uses free ports of the loopback address unless the settings name one."""
    named = {key: int(port) for key, port in settings.spark_config.items() if key.endswith(".port") and port.isdigit()}
    for key, port in {"loopback": 0, **named}.items():
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError as error:
                raise UserError(
                    f"port {port} ({key}) is taken ({error.strerror})", "Choose another in [spark.config]"
                ) from error
    return f"{len(named)} named ports are free" if named else "Spark chooses free ones"


_CHECKS: tuple[tuple[str, Callable[[Settings], str], Callable[[Settings], None] | None], ...] = (
    ("Java", _java, lambda _: java.fetch_java()),
    ("Spark", _spark, None),
    ("jars", _jars, _fetch_jars),
    ("disk", _disk, None),
    ("lake", _lake, None),
    ("landing", _landing, None),
    ("ports", _ports, None),
)
