"""A folder with files, on this machine or in an object store: whole files, read, listed, written and deleted in the same way."""

import contextlib
import datetime as dt
import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, Protocol

from spark_jobs.lake.location import absolute_uri, local_path
from spark_jobs.lake.write_lock import without_lock
from spark_jobs.settings import Settings
from spark_jobs.store.delta_options import delta_options
from spark_jobs.store.object_folder import ObjectFolder
from spark_jobs.store.store_access import DEFAULT_ACCESS, StoreAccess
from spark_jobs.store.store_errors import store_errors

# Between two looks at the lease.
_DELETED_AT_ONCE = 1000
# A store takes its time for each answer, and gives many at once.
REQUESTS_AT_ONCE = 8


class FoundFile(NamedTuple):
    path: str
    size: int
    # By the clock of the store, if it is in one.
    modified_at: dt.datetime


class FileFolder(Protocol):
    """Every `path` is relative to the folder."""

    @property
    def uri(self) -> str: ...

    @property
    def delta_options(self) -> dict[str, str]:
        """How the deltalake package reaches it."""

    def below(self, path: str) -> "FileFolder":
        """A folder in it."""

    def read(self, path: str) -> bytes | None: ...

    def read_each(self, paths: Sequence[str]) -> Iterator[bytes | None]:
        """Some of them at once, if that is faster."""

    def write(self, path: str, content: bytes) -> None:
        """Replaces the file as a whole: readers see the old content or the new one."""

    def create(self, path: str, content: bytes) -> bool:
        """Writes the file as a whole, unless there is one: of several processes one does. Returns whether it did."""

    def delete(self, paths: Iterable[str]) -> None:
        """Deletes files, as far as they are there."""

    def modified_at(self, path: str) -> dt.datetime | None: ...

    def files(self, path: str = "") -> list[FoundFile]:
        """All files in a folder and in those below it, in the order of their paths. None if there is no such folder."""

    def folders(self, path: str) -> list[str]:
        """The names of the folders in a folder."""

    def address(self, path: str) -> str:
        """The file, as a person names it."""


def file_folder(
    uri: str, access: StoreAccess = DEFAULT_ACCESS, require_lock: Callable[[], None] = without_lock
) -> FileFolder:
    folder = local_path(uri)
    if folder is None:
        return StoredFolder(ObjectFolder(absolute_uri(uri), access), require_lock)
    return LocalFolder(folder)


def lake_folder(settings: Settings, require_lock: Callable[[], None] = without_lock) -> FileFolder:
    return file_folder(settings.lake, settings.store, require_lock)


@dataclass(frozen=True)
class LocalFolder:
    folder: Path

    @property
    def uri(self) -> str:
        return str(self.folder.absolute())

    @property
    def delta_options(self) -> dict[str, str]:
        return {}

    def below(self, path: str) -> "LocalFolder":
        return LocalFolder(self.folder / path)

    def read(self, path: str) -> bytes | None:
        file = self.folder / path
        return file.read_bytes() if file.is_file() else None

    def read_each(self, paths: Sequence[str]) -> Iterator[bytes | None]:
        return map(self.read, paths)

    def write(self, path: str, content: bytes) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_name(f"{file.name}.unfinished")
        unfinished.touch()
        if file.is_file():
            shutil.copymode(file, unfinished)
        unfinished.write_bytes(content)
        unfinished.replace(file)

    def create(self, path: str, content: bytes) -> bool:
        file = self.folder / path
        unfinished = file.with_name(f".{file.name}.{uuid.uuid4()}.tmp")
        with unfinished.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        try:
            os.link(unfinished, file)
        except FileExistsError:
            return False
        finally:
            unfinished.unlink()
        return True

    def delete(self, paths: Iterable[str]) -> None:
        """Folders that are empty then go, too."""
        folders = set()
        for path in paths:
            file = self.folder / path
            file.unlink(missing_ok=True)
            folders.add(file.parent)
        for folder in sorted(folders, key=lambda each: -len(each.parts)):
            while folder != self.folder and folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()
                folder = folder.parent

    def modified_at(self, path: str) -> dt.datetime | None:
        file = self.folder / path
        return _time(file.stat()) if file.is_file() else None

    def files(self, path: str = "") -> list[FoundFile]:
        found = []
        for folder, _, names in os.walk(self.folder / path):
            for file in (Path(folder) / name for name in names):
                # A dry run holds no lock: a run may delete files meanwhile.
                with contextlib.suppress(FileNotFoundError):
                    if file.is_file():
                        status = file.stat()
                        found.append(FoundFile(file.relative_to(self.folder).as_posix(), status.st_size, _time(status)))
        return sorted(found)

    def folders(self, path: str) -> list[str]:
        top = self.folder / path
        return sorted(each.name for each in top.iterdir() if each.is_dir()) if top.is_dir() else []

    def address(self, path: str) -> str:
        return str(self.folder / path)


def _time(status: os.stat_result) -> dt.datetime:
    return dt.datetime.fromtimestamp(status.st_mtime, dt.UTC)


@dataclass(frozen=True)
class StoredFolder:
    objects: ObjectFolder
    # Raises UserError if this process has lost the lease under which it changes the folder.
    require_lock: Callable[[], None] = field(default=without_lock, compare=False)

    @property
    def uri(self) -> str:
        return self.objects.uri

    @property
    def delta_options(self) -> dict[str, str]:
        return delta_options(self.uri, self.objects.access)

    def below(self, path: str) -> "StoredFolder":
        return replace(self, objects=replace(self.objects, uri=f"{self.uri}/{path}"))

    def read(self, path: str) -> bytes | None:
        found = self.objects.read(path)
        return found.content if found else None

    def read_each(self, paths: Sequence[str]) -> Iterator[bytes | None]:
        with ThreadPoolExecutor(REQUESTS_AT_ONCE) as pool:
            # Not all of them: they are in memory until somebody takes them.
            for start in range(0, len(paths), REQUESTS_AT_ONCE):
                yield from pool.map(self.read, paths[start : start + REQUESTS_AT_ONCE])

    def write(self, path: str, content: bytes) -> None:
        self.require_lock()
        self.objects.write(path, content)

    def create(self, path: str, content: bytes) -> bool:
        self.require_lock()
        return self.objects.write_if(path, content, None) is not None

    def delete(self, paths: Iterable[str]) -> None:
        gone = list(paths)
        for start in range(0, len(gone), _DELETED_AT_ONCE):
            self.require_lock()
            self.objects.delete(gone[start : start + _DELETED_AT_ONCE])

    def modified_at(self, path: str) -> dt.datetime | None:
        return self.objects.modified_at(path)

    def files(self, path: str = "") -> list[FoundFile]:
        """By Arrow: obstore lists the markers of empty folders as if they were objects of the same name."""
        import pyarrow.fs as fs

        from spark_jobs.store.arrow_filesystem import arrow_filesystem

        filesystem, root = arrow_filesystem(self.uri, self.objects.access)
        with store_errors(self.uri, self.objects.access):
            top = f"{root}/{path}".rstrip("/")
            infos = filesystem.get_file_info(fs.FileSelector(top, allow_not_found=True, recursive=True))
        return sorted(
            FoundFile(info.path.removeprefix(f"{root}/"), info.size, info.mtime)
            for info in infos
            if info.type == fs.FileType.File
        )

    def folders(self, path: str) -> list[str]:
        return self.objects.folders(path)

    def address(self, path: str) -> str:
        return f"{self.uri}/{path}"
