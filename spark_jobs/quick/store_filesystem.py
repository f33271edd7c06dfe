"""The files of a lake in an object store, as DuckDB reads them: ranges, by requests of this process. So the keys never reach
the database."""

import datetime as dt
import functools
from typing import Any

import fsspec
import obstore

from spark_jobs.quick.delta_tables import FILES_OF_STORE
from spark_jobs.store.object_folder import open_store
from spark_jobs.store.store_access import StoreAccess
from spark_jobs.store.store_errors import store_errors

# A file that is not larger is read at once: a request takes longer than its bytes.
_SMALL = 1 << 20


class StoreFileSystem(fsspec.AbstractFileSystem):
    protocol = FILES_OF_STORE
    # Of the same arguments fsspec would keep one for the life of the process.
    cachable = False

    def __init__(self, lake: str, access: StoreAccess) -> None:
        super().__init__()
        # The bucket and the folder of the lake, with which the names of its files begin.
        self._lake, self._access = lake, access
        self._root = f"{lake.partition('://')[2]}/"
        self._size = functools.cache(self._size_in_store)

    def open(self, path: str, mode: str = "rb", **_options: Any) -> "StoredFile":
        if mode != "rb":
            raise PermissionError(f"{path} can only be read")
        return StoredFile(self, self._below_lake(path), self._size(self._below_lake(path)))

    def info(self, path: str, **_options: Any) -> dict[str, Any]:
        return {"name": path, "size": self._size(self._below_lake(path)), "type": "file"}

    def glob(self, path: str, **_options: Any) -> list[str]:
        """Every name is that of a file, whatever characters it has."""
        return [path]

    def exists(self, path: str, **_options: Any) -> bool:
        return path.startswith(f"{FILES_OF_STORE}://{self._root}")

    def isdir(self, path: str) -> bool:  # noqa: ARG002
        return False

    def modified(self, path: str) -> dt.datetime:  # noqa: ARG002
        """Files of a table never change."""
        return dt.datetime.fromtimestamp(0, dt.UTC)

    def read_range(self, path: str, start: int, end: int) -> bytes:
        with store_errors(self._lake, self._access):
            return bytes(obstore.get_range(open_store(self._lake, self._access), path, start=start, end=end))

    def _size_in_store(self, path: str) -> int:
        with store_errors(self._lake, self._access):
            return int(obstore.head(open_store(self._lake, self._access), path)["size"])

    def _below_lake(self, path: str) -> str:
        name = path.removeprefix(f"{FILES_OF_STORE}://")
        if not name.startswith(self._root):
            raise PermissionError(f"{path} is not a file of the lake")
        return name.removeprefix(self._root)


class StoredFile:
    """One file, with a place at which is read next."""

    closed = False

    def __init__(self, files: StoreFileSystem, path: str, size: int) -> None:
        self._files, self._path, self.size = files, path, size
        self._place = 0
        self._whole: bytes | None = None

    def seek(self, place: int, whence: int = 0) -> int:
        self._place = (0, self._place, self.size)[whence] + place
        return self._place

    def tell(self) -> int:
        return self._place

    def read(self, length: int = -1) -> bytes:
        end = self.size if length < 0 else min(self._place + length, self.size)
        if end <= self._place:
            return b""
        if self._whole is None and self.size <= _SMALL:
            self._whole = self._files.read_range(self._path, 0, self.size)
        start, self._place = self._place, end
        return self._whole[start:end] if self._whole is not None else self._files.read_range(self._path, start, end)

    def flush(self) -> None:
        """There is nothing to write."""

    def close(self) -> None:
        self._whole = None
