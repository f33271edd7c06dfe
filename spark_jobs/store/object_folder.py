"""A folder of an object store: whole small objects, read, listed, and put on the condition that nobody else did."""

import contextlib
import datetime as dt
import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from spark_jobs.store.store_access import StoreAccess, is_s3
from spark_jobs.store.store_errors import store_errors, store_problem

if TYPE_CHECKING:
    from obstore.store import ObjectStore

# A request that was sent on a connection that the store has closed, or to a store that restarts, is sent again.
_RETRIES = {"max_retries": 8, "retry_timeout": dt.timedelta(seconds=60)}
_TIMEOUTS = {
    "connect_timeout": dt.timedelta(seconds=10),
    # Between two parts of an answer; the whole answer may be a large file.
    "read_timeout": dt.timedelta(seconds=60),
    "timeout": dt.timedelta(hours=12),
}


class StoredObject(NamedTuple):
    content: bytes
    version: str
    modified_at: dt.datetime


@dataclass(frozen=True)
class ObjectFolder:
    uri: str
    access: StoreAccess

    @property
    def store(self) -> "ObjectStore":
        return open_store(self.uri, self.access)

    def read(self, path: str) -> StoredObject | None:
        import obstore
        from obstore.exceptions import NotFoundError

        with self._errors():
            try:
                found = obstore.get(self.store, path)
                return StoredObject(bytes(found.bytes()), str(found.meta["e_tag"]), found.meta["last_modified"])
            except (NotFoundError, FileNotFoundError) as error:
                self._require_missing(error)
                return None

    def write(self, path: str, content: bytes) -> None:
        import obstore

        with self._errors():
            obstore.put(self.store, path, content)

    def write_if(self, path: str, content: bytes, version: str | None) -> str | None:
        """Writes if the object still has this version, or, without one, does not exist. Returns the version that was
        written, or None if another process was faster."""
        import obstore
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        mode: Any = "create" if version is None else {"e_tag": version}
        with self._errors():
            try:
                return str(obstore.put(self.store, path, content, mode=mode, use_multipart=False)["e_tag"])
            except (AlreadyExistsError, PreconditionError, FileExistsError):
                # A request whose answer was lost is sent again, and then refused because of itself.
                found = self.read(path)
                return found.version if found is not None and found.content == content else None

    def modified_at(self, path: str) -> dt.datetime | None:
        import obstore
        from obstore.exceptions import NotFoundError

        with self._errors():
            try:
                return obstore.head(self.store, path)["last_modified"]
            except (NotFoundError, FileNotFoundError) as error:
                self._require_missing(error)
                return None

    def has_versions(self, path: str) -> bool:
        """Whether the bucket kept the versions of its objects when this one was written. Known of S3 only."""
        import obstore
        from obstore.exceptions import NotFoundError

        with self._errors():
            try:
                return is_s3(self.uri) and obstore.head(self.store, path)["version"] not in (None, "null")
            except (NotFoundError, FileNotFoundError) as error:
                self._require_missing(error)
                return False

    def folders(self, path: str) -> list[str]:
        """The names of the folders in a folder."""
        import obstore

        with self._errors():
            found = obstore.list_with_delimiter(self.store, path)["common_prefixes"]
        return sorted(str(each).rstrip("/").rpartition("/")[2] for each in found)

    def paths(self, path: str) -> list[str]:
        """The objects in a folder and in those below it."""
        import obstore

        with self._errors():
            return [each["path"] for chunk in obstore.list(self.store, path) for each in chunk]

    def delete(self, paths: Sequence[str]) -> None:
        import obstore

        if paths:
            with self._errors():
                obstore.delete(self.store, list(paths))

    def has_any(self, path: str = "") -> bool:
        """Whether there is an object in a folder, or in one below it."""
        import obstore

        with self._errors():
            return any(chunk for chunk in obstore.list(self.store, path or None, chunk_size=1))

    def _require_missing(self, error: Exception) -> None:
        """Raises the error again unless it is the object that is missing: a bucket or a user may be, too."""
        if store_problem(str(error), self.uri, self.access) is not None:
            raise error

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        with store_errors(self.uri, self.access):
            yield


@functools.lru_cache(16)
def open_store(uri: str, access: StoreAccess) -> "ObjectStore":
    from obstore.store import S3Store, from_url

    client: Any = {"allow_http": not access.is_encrypted, **_TIMEOUTS}
    retries: Any = _RETRIES
    if not is_s3(uri):
        return from_url(uri, client_options=client, retry_config=retries)
    config: Any = access.s3_options()
    return S3Store.from_url(uri, config=config, client_options=client, retry_config=retries)
