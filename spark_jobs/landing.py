"""The files in landing: `<source>/cluster=<name>/date=<day>/…/<file>`."""

import datetime as dt
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

import pyarrow.fs as fs

from spark_jobs.errors import UserError
from spark_jobs.lake.location import absolute_uri, is_possible_cluster
from spark_jobs.landing_files import SkippedFile, find_local_files, printable
from spark_jobs.settings import SOURCES
from spark_jobs.store.arrow_filesystem import arrow_filesystem
from spark_jobs.store.object_stream import ObjectStream, can_be_read
from spark_jobs.store.store_access import DEFAULT_ACCESS, StoreAccess, in_store
from spark_jobs.store.store_errors import store_errors

LAYOUT = "<source>/cluster=<name>/date=<YYYY-MM-DD>/…"
# Years of days of delivery. The days around them have to exist too.
_YEARS = range(1971, 9000)
OUTSIDE_OF_LAYOUT = f"which is not in {LAYOUT}"
_LAYOUT = re.compile(r"(?P<source>[^/]+)/cluster=(?P<cluster>[^/]+)/date=(?P<date>[^/]+)/(?P<rest>.+)", re.DOTALL)


class NothingLandedError(UserError):
    """There are no files in landing."""


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
    # Files outside of the layout, links and whatever can't be read: the user is warned of them.
    skipped: tuple[SkippedFile, ...]


def list_landing(landing: str, *, follow_links: bool = False, access: StoreAccess = DEFAULT_ACCESS) -> Landing:
    """Lists all files but hidden ones (`.…`, `_…`)."""
    with store_errors(landing, access):
        return _list_landing(landing, follow_links, access)


def _list_landing(landing: str, follow_links: bool, access: StoreAccess) -> Landing:
    root_fs, root = open_filesystem(landing, access)
    if root_fs.get_file_info(root).type != fs.FileType.Directory:
        # In a store a folder is there as long as it has an object.
        error = NothingLandedError if in_store(landing) else UserError
        raise error(f"the landing folder {landing} does not exist", "Name it with --landing or LAGOON_LANDING")
    files, skipped = [], []
    for source in SOURCES:
        if isinstance(root_fs, fs.LocalFileSystem):
            found = find_local_files(root, source, follow_links=follow_links)
            skipped += found.skipped
            infos = root_fs.get_file_info([f"{root}/{path}" for path in found.paths])
        else:
            infos = root_fs.get_file_info(fs.FileSelector(f"{root}/{source}", allow_not_found=True, recursive=True))
        for info in infos:
            path = info.path.removeprefix(root).lstrip("/")
            if info.type != fs.FileType.File or PurePosixPath(path).name.startswith((".", "_")):
                continue
            file = _landed_file(path, info)
            if file is None:
                skipped.append(SkippedFile(path, OUTSIDE_OF_LAYOUT))
            elif not is_possible_cluster(file.cluster):
                skipped.append(SkippedFile(path, "whose cluster has too long a name for a folder of the lake"))
            elif in_store(landing) and not can_be_read(path):
                skipped.append(SkippedFile(path, "whose name has a control character or an empty part"))
            else:
                files.append(file)
    if not files:
        skipped = skipped or [SkippedFile(path, OUTSIDE_OF_LAYOUT) for path in _first_file(root_fs, root)]
        raise NothingLandedError(
            _nothing_to_read(landing, skipped), f"Deliver files as {LAYOUT}, source one of {', '.join(SOURCES)}"
        )
    return Landing(landing, tuple(sorted(files)), tuple(sorted(skipped)))


def _first_file(root_fs: fs.FileSystem, root: str) -> list[str]:
    """The first file outside of the folders of sources, if there is any."""
    if isinstance(root_fs, fs.LocalFileSystem):
        for folder, folders, names in os.walk(root):
            folders[:] = _visible(folders)
            if visible := _visible(names):
                return [printable(str((Path(folder) / visible[0]).relative_to(root)))]
        return []
    infos = root_fs.get_file_info(fs.FileSelector(root))
    return _visible(info.path.removeprefix(root).lstrip("/") for info in infos)[:1]


def _visible(names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if not name.startswith((".", "_")))


def _nothing_to_read(landing: str, skipped: Sequence[SkippedFile]) -> str:
    if not skipped:
        return f"there are no files in {landing}"
    first = min(skipped)
    return f"there are no files to read in {landing}: {len(skipped)} skipped, the first is {first.path}, {first.reason}"


def open_file(landing: str, path: str, access: StoreAccess = DEFAULT_ACCESS) -> BinaryIO:
    if in_store(landing):
        return cast(BinaryIO, ObjectStream(landing.rstrip("/"), path, access))
    root_fs, root = open_filesystem(landing, access)
    try:
        file: BinaryIO = root_fs.open_input_stream(f"{root}/{path}", compression=None)
    except FileNotFoundError as error:
        raise FileNotFoundError(f"the landed file {root}/{path} is not there") from error
    return file


def open_filesystem(uri: str, access: StoreAccess = DEFAULT_ACCESS) -> tuple[fs.FileSystem, str]:
    """The file system of a URI, and the path in it."""
    return arrow_filesystem(absolute_uri(uri), access)


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
        day = dt.date.fromisoformat(text)
    except ValueError:
        return None
    return day if day.year in _YEARS else None
