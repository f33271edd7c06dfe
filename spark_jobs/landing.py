"""What lies in landing: `<source>/cluster=<name>/date=<day>/…/<file>`."""

import datetime as dt
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import pyarrow.fs as fs

from spark_jobs.errors import UserError
from spark_jobs.settings import SOURCES

_PLACE = re.compile(r"(?P<source>[^/]+)/cluster=(?P<cluster>[^/]+)/date=(?P<date>[^/]+)/(?P<rest>.+)")


@dataclass(frozen=True, order=True)
class LandedFile:
    delivered_on: dt.date
    source: str
    cluster: str
    path: str
    size: int
    modified_at: dt.datetime

    @property
    def origin(self) -> str | None:
        folders = _below_date(self.path).parts[:-1]
        return folders[0] if folders else None


@dataclass(frozen=True)
class Landing:
    """`misplaced` are files that lie outside of the layout: nothing reads them, so somebody must be told."""

    uri: str
    files: tuple[LandedFile, ...]
    misplaced: tuple[str, ...]


def survey(landing: str) -> Landing:
    """Lists what lies there; hidden files (`.…`, `_…`) are nobody's telemetry."""
    root_fs, root = filesystem(landing)
    if root_fs.get_file_info(root).type != fs.FileType.Directory:
        raise UserError(f"the landing folder {landing} does not exist", "Name it with --landing or LAGOON_LANDING")
    files, misplaced = [], []
    for source in SOURCES:
        selector = fs.FileSelector(f"{root}/{source}", allow_not_found=True, recursive=True)
        for info in root_fs.get_file_info(selector):
            path = info.path.removeprefix(root).lstrip("/")
            if info.type != fs.FileType.File or PurePosixPath(path).name.startswith((".", "_")):
                continue
            file = _landed(path, info)
            files.append(file) if file else misplaced.append(path)
    if not files:
        raise UserError(
            f"there is nothing in {landing}",
            f"Deliver files as <source>/cluster=<name>/date=<YYYY-MM-DD>/…, source one of {', '.join(SOURCES)}",
        )
    return Landing(landing, tuple(sorted(files)), tuple(sorted(misplaced)))


def open_file(landing: str, path: str) -> BinaryIO:
    root_fs, root = filesystem(landing)
    opened: BinaryIO = root_fs.open_input_stream(f"{root}/{path}", compression=None)
    return opened


def filesystem(uri: str) -> tuple[fs.FileSystem, str]:
    if "://" in uri:
        found, path = fs.FileSystem.from_uri(uri.replace("s3a://", "s3://", 1))
        return found, path.rstrip("/")
    return fs.LocalFileSystem(), str(Path(uri).absolute())


def _landed(path: str, info: fs.FileInfo) -> LandedFile | None:
    match = _PLACE.fullmatch(path)
    day = _day(match["date"]) if match else None
    if match is None or day is None:
        return None
    modified = info.mtime if info.mtime is not None else dt.datetime.fromtimestamp(0, dt.UTC)
    return LandedFile(day, match["source"], match["cluster"], path, info.size, modified)


def _below_date(path: str) -> PurePosixPath:
    match = _PLACE.fullmatch(path)
    return PurePosixPath(match["rest"] if match else path)


def _day(text: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        return None
