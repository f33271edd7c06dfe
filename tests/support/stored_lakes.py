"""Lakes that were written in a folder, and are copied into an object store with the times of their files."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from spark_jobs.lake.file_folder import FileFolder
from spark_jobs.lake.lake_folder import file_folder
from spark_jobs.settings import load

from .lake_bytes import files_containing
from .object_store import ObjectStore
from .stored_landing import upload


def copy_into_store(store: ObjectStore, folder: Path, name: str) -> str:
    """Returns the URI. The store takes the times of its objects from the files in which it keeps them."""
    uri = upload(store, folder, name)
    for file in folder.rglob("*"):
        if file.is_file():
            at = file.stat().st_mtime
            os.utime(store.path(name) / file.relative_to(folder), (at, at))
    return uri


def stored_folder(store: ObjectStore, uri: str) -> FileFolder:
    return file_folder(uri, load(environment=store.environment()).store)


def objects_containing(folder: FileFolder, text: str, scratch: Path) -> list[str]:
    """The objects of a folder with the text in their name or in any byte, in Parquet pages too."""
    shutil.rmtree(scratch, ignore_errors=True)
    paths = [file.path for file in folder.files()]
    assert paths
    for path, content in zip(paths, folder.read_each(paths), strict=True):
        assert content is not None
        (scratch / path).parent.mkdir(parents=True, exist_ok=True)
        (scratch / path).write_bytes(content)
    return files_containing(scratch, text)


class KilledError(Exception):
    pass


def killed_at(change: int) -> Callable[[], None]:
    """Is called before each change of the store, and ends the work at one of them."""
    changes: Iterator[int] = iter(range(change))

    def require_lock() -> None:
        if next(changes, None) is None:
            raise KilledError

    return require_lock
