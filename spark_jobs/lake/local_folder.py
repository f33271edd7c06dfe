"""A folder with files on this machine."""

import contextlib
import datetime as dt
import os
import shutil
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from spark_jobs.lake.file_folder import FoundFile


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

    def has_versions(self, path: str) -> bool:  # noqa: ARG002
        return False

    def address(self, path: str) -> str:
        return str(self.folder / path)


def _time(status: os.stat_result) -> dt.datetime:
    return dt.datetime.fromtimestamp(status.st_mtime, dt.UTC)
