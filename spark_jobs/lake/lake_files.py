"""Files of a lake that are no tables: reports, pages, logs and markers, in its folder or in its object store."""

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from spark_jobs.lake.location import local_path
from spark_jobs.settings import Settings
from spark_jobs.store.object_folder import ObjectFolder


class LakeFiles(Protocol):
    """`path` is relative to the lake."""

    def read(self, path: str) -> bytes | None: ...

    def write(self, path: str, content: bytes) -> None:
        """Replaces the file as a whole: readers see the old content or the new one."""

    def modified_at(self, path: str) -> dt.datetime | None: ...

    def address(self, path: str) -> str:
        """The file, as a person names it."""


def lake_files(settings: Settings) -> LakeFiles:
    folder = local_path(settings.lake)
    if folder is None:
        return StoredLakeFiles(ObjectFolder(settings.lake, settings.store))
    return LocalLakeFiles(folder)


@dataclass(frozen=True)
class LocalLakeFiles:
    folder: Path

    def read(self, path: str) -> bytes | None:
        file = self.folder / path
        return file.read_bytes() if file.is_file() else None

    def write(self, path: str, content: bytes) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_name(f"{file.name}.unfinished")
        unfinished.write_bytes(content)
        unfinished.replace(file)

    def modified_at(self, path: str) -> dt.datetime | None:
        file = self.folder / path
        return dt.datetime.fromtimestamp(file.stat().st_mtime, dt.UTC) if file.is_file() else None

    def address(self, path: str) -> str:
        return str(self.folder / path)


@dataclass(frozen=True)
class StoredLakeFiles:
    folder: ObjectFolder

    def read(self, path: str) -> bytes | None:
        found = self.folder.read(path)
        return found.content if found else None

    def write(self, path: str, content: bytes) -> None:
        self.folder.write(path, content)

    def modified_at(self, path: str) -> dt.datetime | None:
        return self.folder.modified_at(path)

    def address(self, path: str) -> str:
        return f"{self.folder.uri}/{path}"
