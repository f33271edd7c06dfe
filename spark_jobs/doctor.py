"""What this machine lacks: each check is one line, with the cure. Commands refuse with the same lines."""

import os
import shutil
import socket
from collections.abc import Callable

from rich.console import Console
from rich.text import Text

from spark_jobs import landing
from spark_jobs.errors import UserError
from spark_jobs.lake.location import local_path
from spark_jobs.settings import Settings
from spark_jobs.spark import jars, java

_ROOM_NEEDED = 1 << 30


def examine(settings: Settings, *, fix: bool) -> bool:
    """Prints the state of each thing; whether all is well."""
    console = Console()
    well = True
    for name, check, cure in _CHECKS:
        try:
            try:
                told = check(settings)
            except UserError:
                if not (fix and cure):
                    raise
                cure()
                told = f"{check(settings)} (just fetched)"
        except UserError as error:
            well = False
            console.print(Text.assemble(("✗", "red"), f" {name:8} {error}"), highlight=False, soft_wrap=True)
        else:
            console.print(Text.assemble(("✓", "green"), f" {name:8} {told}"), highlight=False, soft_wrap=True)
    return well


def refuse(settings: Settings) -> None:
    """What every command needs before it writes; raises UserError for the first thing that is missing."""
    for check in (_java, _jars, _lake, _disk, _ports):
        check(settings)


def _java(settings: Settings) -> str:
    return java.describe(settings.text("spark.java_home"))


def _jars(_settings: Settings) -> str:
    return f"{len(jars.present())} jars, each the pinned one"


def _disk(settings: Settings) -> str:
    folder = local_path(settings.lake)
    if folder is None:
        return "the lake is in an object store"
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    if free < _ROOM_NEEDED:
        raise UserError(f"the disk of the lake has {free >> 20} MiB left", "Free 1 GiB or choose another --lake")
    return f"{free >> 30} GiB free"


def _lake(settings: Settings) -> str:
    folder = local_path(settings.lake)
    if folder is None:
        return settings.lake
    existing = folder
    while not existing.exists():
        existing = existing.parent
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        raise UserError(f"the lake {folder} can't be written", "Correct the folder's rights or choose another --lake")
    return f"{folder} {'can be written' if folder.exists() else 'can be made'}"


def _landing(settings: Settings) -> str:
    found = landing.survey(settings.landing)
    days = sorted({file.delivered_on for file in found.files})
    if found.misplaced:
        raise UserError(
            f"{len(found.misplaced)} files of landing lie outside of its layout, the first is {found.misplaced[0]}",
            "Move them to <source>/cluster=<name>/date=<YYYY-MM-DD>/",
        )
    return f"{len(found.files):,} files of {len(days)} days, {days[0]} to {days[-1]}"


def _ports(settings: Settings) -> str:
    """Spark takes free ports of the loopback address unless the settings name one."""
    named = {key: int(port) for key, port in settings.spark_config.items() if key.endswith(".port") and port.isdigit()}
    for key, port in {"loopback": 0, **named}.items():
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError as error:
                raise UserError(
                    f"port {port} ({key}) is taken ({error.strerror})", "Choose another in [spark.config]"
                ) from error
    return f"{len(named)} named ports are free" if named else "Spark takes free ones"


_CHECKS: tuple[tuple[str, Callable[[Settings], str], Callable[[], None] | None], ...] = (
    ("Java", _java, java.fetch),
    ("jars", _jars, jars.fetch),
    ("disk", _disk, None),
    ("lake", _lake, None),
    ("landing", _landing, None),
    ("ports", _ports, None),
)
