"""The files of a lake besides its tables: reports, Data Docs, logs and dbt's own files."""

import contextlib
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from expectations.data_docs import write_index
from spark_jobs.dashboard.day_file import day_file_path
from spark_jobs.errors import UserError
from spark_jobs.lake.layers import LAYERS
from spark_jobs.landing import Landing, list_landing, open_file
from spark_jobs.report.lake_reader import LakeReader
from spark_jobs.report.print_report import write_day_file
from spark_jobs.run_log import log_path
from spark_jobs.settings import Settings
from spark_jobs.upkeep.erased_value import ErasedValue

_BLOCK = 1 << 20


def files_with(settings: Settings, lake: Path, value: ErasedValue) -> list[Path]:
    """The files that contain the value: all below the lake but those of tables, and the log."""
    found = [path for path in _other_files(lake) if value.is_in(_text(path))]
    log = log_path(settings)
    if log is not None and log not in found and log.is_file() and value.is_in(_text(log)):
        found.append(log)
    return found


def erase_from_files(settings: Settings, lake: Path, files: Sequence[Path], value: ErasedValue) -> None:
    """Logs lose lines; of Data Docs the whole day goes; other files are deleted."""
    log, docs = log_path(settings), lake / "data_docs"
    for path in files:
        if path == log or path.parent == lake / "logs":
            lines = _text(path).splitlines(keepends=True)
            path.write_text("".join(line for line in lines if not value.is_in(line)), "utf-8", "surrogateescape")
        elif docs in path.parents and len(path.relative_to(docs).parts) > 2:
            shutil.rmtree(docs.joinpath(*path.relative_to(docs).parts[:2]), ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    if docs.is_dir():
        write_index(docs)


def write_reports_again(settings: Settings, lake: Path, files: Sequence[Path]) -> None:
    """The HTML reports among the deleted files, from the tables as they are now."""
    deleted = {path for path in files if path.parent == lake / "reports"}
    if not deleted:
        return
    # Without a day of gold there is no report.
    with contextlib.suppress(UserError):
        rows = LakeReader(settings).rows("select distinct cluster, day from gold.coverage")
        for row in rows:
            if lake / day_file_path(row.cluster, row.day) in deleted:
                write_day_file(settings, row.cluster, row.day)


def landed_files_with(settings: Settings, value: ErasedValue, read_from: set[str]) -> list[str]:
    """Files in landing that contain the bytes of the value, or from which rows with it were read."""
    try:
        landing: Landing = list_landing(settings.landing, follow_links=settings.follow_links, access=settings.store)
    except UserError:
        return []
    return [file.path for file in landing.files if file.path in read_from or _holds(settings, file.path, value)]


def _holds(settings: Settings, path: str, value: ErasedValue) -> bool:
    from kafka_telemetry.formats.compression import decompress

    needle, tail = value.text.encode(), b""
    with contextlib.suppress(OSError, EOFError, ValueError), open_file(settings.landing, path, settings.store) as file:
        stream = decompress(file)
        while block := stream.read(_BLOCK):
            if needle in tail + block:
                return True
            tail = block[-len(needle) :]
    return needle in path.encode()


def _other_files(lake: Path) -> Iterator[Path]:
    for top in sorted(lake.iterdir()):
        if top.name not in (*LAYERS, ".lock"):
            yield from (path for path in ([top] if top.is_file() else sorted(top.rglob("*"))) if path.is_file())


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "surrogateescape")
