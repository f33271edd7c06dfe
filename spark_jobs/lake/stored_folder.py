"""A folder with objects in a store, which this process may change as long as it has the lease."""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from spark_jobs.lake.file_folder import REQUESTS_AT_ONCE, FoundFile
from spark_jobs.lake.write_lock import without_lock
from spark_jobs.store.delta_options import delta_options
from spark_jobs.store.object_folder import ObjectFolder
from spark_jobs.store.store_errors import store_errors

# Between two looks at the lease.
_DELETED_AT_ONCE = 1000


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

    def has_versions(self, path: str) -> bool:
        return self.objects.has_versions(path)

    def address(self, path: str) -> str:
        return f"{self.uri}/{path}"
