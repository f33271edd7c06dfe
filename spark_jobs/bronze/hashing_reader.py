"""A binary stream that computes the SHA-256 of what is read through it."""

import hashlib
import io
from typing import Any

# Of 64 hexadecimal digits. Stored in bronze.files.
_DIGITS = 16


class HashingReader(io.RawIOBase):
    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._hash = hashlib.sha256()
        # The storage failed, and not what is in the file.
        self.failure: Exception | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._stream.read(len(buffer))
        except Exception as error:
            self.failure = error
            raise
        self._hash.update(data)
        buffer[: len(data)] = data
        return len(data)

    def hash_of_all(self) -> str:
        """Reads the stream to its end and returns the hash of the whole content."""
        while data := self._stream.read(1 << 20):
            self._hash.update(data)
        return self._hash.hexdigest()[:_DIGITS]
