"""The log file of commands that write a lake: every line of progress, warning and error with its time."""

import contextlib
import datetime as dt
import importlib.metadata
import os
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from spark_jobs.errors import UserError
from spark_jobs.lake.lake_folder import lake_folder
from spark_jobs.lake.location import local_path
from spark_jobs.settings import Settings
from spark_jobs.visible_text import visible

# The log before is kept under the name with `.1`.
_LARGEST = 10 << 20


@dataclass
class RunLog:
    """Without a file it keeps nothing."""

    file: TextIO | None = None

    def write(self, text: str) -> None:
        """Adds a line. A log that can't be written, because the disk is full, stops no run."""
        if self.file is None:
            return
        try:
            self.file.write(f"{dt.datetime.now(dt.UTC):%Y-%m-%dT%H:%M:%SZ} {os.getpid()} {visible(text)}\n")
            self.file.flush()
        except OSError:
            self.file = None


def log_path(settings: Settings) -> Path | None:
    """The file that is set, else `logs/lagoon.log` in the lake; none in an object store, where no file can grow."""
    chosen = settings.text("lagoon.log_file")
    if chosen:
        return Path(chosen)
    folder = local_path(settings.lake)
    return None if folder is None else folder / "logs" / "lagoon.log"


@contextmanager
def open_log(settings: Settings, words: Sequence[str]) -> Iterator[RunLog]:
    """The log of one call of `lagoon` with these words. An error that ends it is logged, with its stack trace unless a
    user can act on it."""
    path, started = log_path(settings), dt.datetime.now(dt.UTC)
    # Closed below.
    log = RunLog(tempfile.TemporaryFile("w+", encoding="utf-8") if path is None else _open_file(path))  # noqa: SIM115
    log.write(f"lagoon {importlib.metadata.version('lagoon')}: {' '.join(words)}")
    try:
        yield log
    except UserError as error:
        log.write(f"lagoon: {error}")
        raise
    except BaseException:
        for line in traceback.format_exc().splitlines():
            log.write(line)
        raise
    finally:
        log.write("ended")
        if log.file is not None:
            if path is None:
                _store(settings, log.file, f"logs/{started:%Y%m%dT%H%M%SZ}-{os.getpid()}.log")
            log.file.close()


def _store(settings: Settings, file: TextIO, path: str) -> None:
    """One object for each call. A store that does not answer is what the call has failed of already."""
    file.seek(0)
    with contextlib.suppress(UserError):
        lake_folder(settings).write(path, file.read().encode())


def _open_file(path: Path) -> TextIO | None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > _LARGEST:
            path.replace(path.with_name(f"{path.name}.1"))
        # Names of groups, clients and hosts are for the owner of the lake.
        return os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "a", encoding="utf-8")
    except OSError:
        return None
