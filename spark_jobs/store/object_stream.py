"""An object as a binary stream: one request, so that it is one version of the object that is read from begin to end."""

import io
from typing import Any

from spark_jobs.errors import UserError
from spark_jobs.store.object_folder import open_store
from spark_jobs.store.store_access import StoreAccess
from spark_jobs.store.store_errors import store_errors

_BYTES_AT_ONCE = 4 << 20


class ObjectStream(io.RawIOBase):
    def __init__(self, uri: str, path: str, access: StoreAccess) -> None:
        import obstore
        from obstore.exceptions import NotFoundError

        self._uri, self._access = uri, access
        with store_errors(uri, access):
            try:
                found = obstore.get(open_store(uri, access), path)
            except (NotFoundError, FileNotFoundError) as error:
                raise UserError(f"the object {uri}/{path} is not there", "It was removed meanwhile") from error
        self._chunks = iter(found.stream(min_chunk_size=_BYTES_AT_ONCE))
        self._chunk = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._chunk:
            with store_errors(self._uri, self._access):
                self._chunk = memoryview(bytes(next(self._chunks, b"")))
        length = min(len(buffer), len(self._chunk))
        buffer[:length] = self._chunk[:length]
        self._chunk = self._chunk[length:]
        return length


def can_be_read(path: str) -> bool:
    """Whether a client of object stores accepts the name of an object."""
    return all(part not in ("", ".", "..") for part in path.split("/")) and not any(
        ord(each) < ord(" ") or each == "\x7f" for each in path
    )
