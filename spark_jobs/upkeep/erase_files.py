"""The files of a lake besides its tables: reports, Data Docs, logs and dbt's own files."""

import contextlib
from collections.abc import Sequence
from typing import NamedTuple

from expectations.data_docs import index_page
from spark_jobs.dashboard.day_file import day_file_path
from spark_jobs.errors import UserError
from spark_jobs.lake.file_folder import FileFolder
from spark_jobs.lake.layers import LAYERS
from spark_jobs.lake.local_folder import LocalFolder
from spark_jobs.lake.write_lock import LOCK
from spark_jobs.landing import NothingLandedError, list_landing, open_file
from spark_jobs.report.lake_reader import LakeReader
from spark_jobs.report.print_report import write_day_file
from spark_jobs.run_log import log_path
from spark_jobs.settings import Settings
from spark_jobs.store.store_access import in_store
from spark_jobs.upkeep.erased_value import ErasedValue

_BLOCK = 1 << 20
_DOCS, _REPORTS, _LOGS = "data_docs/", "reports/", "logs/"
# In a store they have the name of the machine that writes, which may be a client's, too.
_LOCKS = (LOCK, ".alerts.lock")


class OtherFile(NamedTuple):
    """A file that is no part of a table."""

    folder: FileFolder
    path: str
    # A log loses lines; any other file is deleted.
    is_log: bool = False

    def read(self) -> bytes | None:
        return self.folder.read(self.path)


def files_with(settings: Settings, lake: FileFolder, value: ErasedValue) -> list[OtherFile]:
    """The files that contain the value: all of the lake but those of tables, and the log."""
    paths = [path for path, _, _ in lake.files() if path.split("/")[0] not in LAYERS and not path.startswith(_LOCKS)]
    log = log_path(settings)
    addresses = [lake.address(path) for path in paths]
    found = [
        OtherFile(lake, path, path.startswith(_LOGS) or address == str(log))
        for path, address, content in zip(paths, addresses, lake.read_each(paths), strict=True)
        if value.is_in(_text(content))
    ]
    if log is not None and str(log) not in addresses:
        outside = OtherFile(LocalFolder(log.parent), log.name, is_log=True)
        found += [outside] if value.is_in(_text(outside.read())) else []
    return found


def erase_from_files(lake: FileFolder, files: Sequence[OtherFile], value: ErasedValue) -> None:
    """Of Data Docs the whole day goes."""
    for file in files:
        if file.is_log:
            lines = _text(file.read()).splitlines(keepends=True)
            kept = "".join(line for line in lines if not value.is_in(line))
            file.folder.write(file.path, kept.encode("utf-8", "surrogateescape"))
        elif file.path.startswith(_DOCS) and file.path.count("/") > 2:
            site = "/".join(file.path.split("/")[:3])
            lake.delete(page.path for page in lake.files(site))
        else:
            file.folder.delete([file.path])
    days = lake.folders(_DOCS)
    if days or lake.modified_at(f"{_DOCS}index.html"):
        sites = [(day, site) for day in days for site in lake.folders(f"{_DOCS}{day}") if "cluster=" in site]
        lake.write(f"{_DOCS}index.html", index_page(sites).encode())


def write_reports_again(settings: Settings, files: Sequence[OtherFile]) -> None:
    """The HTML reports among the deleted files, from the tables as they are now."""
    deleted = {file.path for file in files if file.path.startswith(_REPORTS)}
    if not deleted:
        return
    # Without a day of gold there is no report.
    with contextlib.suppress(UserError):
        rows = LakeReader(settings).rows("select distinct cluster, day from gold.coverage")
        for row in rows:
            if day_file_path(row.cluster, row.day) in deleted:
                write_day_file(settings, row.cluster, row.day)


def landed_files_with(settings: Settings, value: ErasedValue, read_from: set[str]) -> list[str]:
    """Files in landing that contain the bytes of the value, or from which rows with it were read."""
    try:
        landing = list_landing(settings.landing, follow_links=settings.follow_links, access=settings.store)
    except UserError as error:
        if in_store(settings.landing) and not isinstance(error, NothingLandedError):
            raise  # There may be files, and they were not searched.
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


def _text(content: bytes | None) -> str:
    return (content or b"").decode("utf-8", "surrogateescape")
