"""Writes what was collected into landing: files that grow on this machine, whole objects in an object store."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import ClassVar, Protocol

from spark_jobs.collect.collect_state import CollectedPartition
from spark_jobs.errors import UserError
from spark_jobs.lake.location import local_path
from spark_jobs.store.object_folder import ObjectFolder
from spark_jobs.store.store_access import StoreAccess

# Of a file that grows. A larger one is read by one task of Spark while others wait.
LARGEST_FILE = 256 << 20
# Below landing, beside the folders of its sources, and so never read.
STATE_FOLDER = ".collect"


class LandingTarget(Protocol):
    @property
    def can_grow(self) -> bool:
        """Whether files grow. A new one then has to be in the state before it is written."""

    def read(self, path: str) -> bytes | None: ...

    def replace(self, path: str, content: bytes) -> None:
        """Writes a whole file. No reader ever sees a part of it."""

    def growing_file(self, last: CollectedPartition | None, folder: str, size: int) -> CollectedPartition | None:
        """The file to which so many bytes can be appended, if it is in the folder."""

    def new_file(self, folder: str, base_offset: int, time: str) -> str:
        """A name that nothing has yet."""

    def write(self, path: str, at: int, content: bytes) -> None:
        """Writes at the end of what is known of the file; whatever follows was written by a process that was killed."""


@dataclass(frozen=True)
class LocalTarget:
    root: Path
    cluster: str
    can_grow: ClassVar[bool] = True

    def read(self, path: str) -> bytes | None:
        try:
            return (self.root / path).read_bytes()
        except FileNotFoundError:
            return None

    def replace(self, path: str, content: bytes) -> None:
        place = self.root / path
        # Outside of what is listed, and always the same: what a kill leaves is overwritten.
        partial = self.root / STATE_FOLDER / f"cluster={self.cluster}.partial"
        for folder in (place.parent, partial.parent):
            folder.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(place)

    def growing_file(self, last: CollectedPartition | None, folder: str, size: int) -> CollectedPartition | None:
        if last is None or str(PurePosixPath(last.file).parent) != folder or last.size + size > LARGEST_FILE:
            return None
        place = self.root / last.file
        # Nothing of it was written yet, or somebody has cut or removed it.
        exists = place.stat().st_size >= last.size if place.is_file() else last.size == 0
        return last if exists else None

    def new_file(self, folder: str, base_offset: int, time: str) -> str:
        del time
        names = (f"{base_offset:020}{f'-{number}' if number else ''}.log" for number in range(1 << 20))
        return next(f"{folder}/{name}" for name in names if not (self.root / folder / name).exists())

    def write(self, path: str, at: int, content: bytes) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
        with place.open("r+b") as file:
            file.truncate(at)
            file.seek(at)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())


@dataclass(frozen=True)
class StoredTarget:
    folder: ObjectFolder
    can_grow: ClassVar[bool] = False

    def read(self, path: str) -> bytes | None:
        found = self.folder.read(path)
        return found.content if found is not None else None

    def replace(self, path: str, content: bytes) -> None:
        self.folder.write(path, content)

    def growing_file(self, last: CollectedPartition | None, folder: str, size: int) -> CollectedPartition | None:
        del last, folder, size
        return None

    def new_file(self, folder: str, base_offset: int, time: str) -> str:
        return f"{folder}/{base_offset:020}-{time}.log"

    def write(self, path: str, at: int, content: bytes) -> None:
        if at:
            raise ValueError(f"{path} is an object, and can't grow")
        self.folder.write(path, content)


def landing_target(landing: str, cluster: str, access: StoreAccess) -> LandingTarget:
    folder = local_path(landing)
    return StoredTarget(ObjectFolder(landing, access)) if folder is None else LocalTarget(folder, cluster)


@contextlib.contextmanager
def only_collector(landing: str, cluster: str) -> Iterator[None]:
    """Lets one process at a time collect a cluster into a landing folder of this machine. It ends with the process. In an
    object store two processes write the same records twice, which is harmless."""
    folder = local_path(landing)
    if folder is None:
        yield
        return
    try:
        (folder / STATE_FOLDER).mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / STATE_FOLDER / f"cluster={cluster}.lock", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise UserError(
            f"the landing folder {folder} can't be written ({error.strerror})",
            "Correct the folder's permissions or choose another --landing",
        ) from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                f"another process collects {cluster} into {folder}",
                "Wait until it ends, or stop it, then run this again",
            ) from None
        yield
    finally:
        os.close(handle)
