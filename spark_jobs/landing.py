"""The files in landing: `<source>/cluster=<name>/date=<day>/…/<file>`."""

import datetime as dt
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import pyarrow.fs as fs

from spark_jobs.errors import UserError
from spark_jobs.settings import SOURCES

_LAYOUT = re.compile(r"(?P<source>[^/]+)/cluster=(?P<cluster>[^/]+)/date=(?P<date>[^/]+)/(?P<rest>.+)")


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
    uri: str
    files: tuple[LandedFile, ...]
    # Paths of files outside of the layout. Nothing reads them, so the user is warned.
    misplaced: tuple[str, ...]


def list_landing(landing: str) -> Landing:
    """Lists all files but hidden ones (`.…`, `_…`)."""
    root_fs, root = open_filesystem(landing)
    if root_fs.get_file_info(root).type != fs.FileType.Directory:
        raise UserError(f"the landing folder {landing} does not exist", "Name it with --landing or LAGOON_LANDING")
    files, misplaced = [], []
    for source in SOURCES:
        selector = fs.FileSelector(f"{root}/{source}", allow_not_found=True, recursive=True)
        for info in root_fs.get_file_info(selector):
            path = info.path.removeprefix(root).lstrip("/")
            if info.type != fs.FileType.File or PurePosixPath(path).name.startswith((".", "_")):
                continue
            file = _landed_file(path, info)
            files.append(file) if file else misplaced.append(path)
    if not files:
        raise UserError(
            f"there are no files in {landing}",
            f"Deliver files as <source>/cluster=<name>/date=<YYYY-MM-DD>/…, source one of {', '.join(SOURCES)}",
        )
    return Landing(landing, tuple(sorted(files)), tuple(sorted(misplaced)))


def open_file(landing: str, path: str) -> BinaryIO:
    root_fs, root = open_filesystem(landing)
    file: BinaryIO = root_fs.open_input_stream(f"{root}/{path}", compression=None)
    return file


def open_filesystem(uri: str) -> tuple[fs.FileSystem, str]:
    """The file system of a URI, and the path in it."""
    if "://" in uri:
        filesystem, path = fs.FileSystem.from_uri(uri.replace("s3a://", "s3://", 1))
        return filesystem, path.rstrip("/")
    return fs.LocalFileSystem(), str(Path(uri).absolute())


def _landed_file(path: str, info: fs.FileInfo) -> LandedFile | None:
    match = _LAYOUT.fullmatch(path)
    day = _day(match["date"]) if match else None
    if match is None or day is None:
        return None
    modified = info.mtime if info.mtime is not None else dt.datetime.fromtimestamp(0, dt.UTC)
    return LandedFile(day, match["source"], match["cluster"], path, info.size, modified)


def _below_date(path: str) -> PurePosixPath:
    match = _LAYOUT.fullmatch(path)
    return PurePosixPath(match["rest"] if match else path)


def _day(text: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        return None
