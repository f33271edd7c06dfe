"""Opens delivered files that may be compressed with gzip or zstd, recognised by their first bytes and not by their names."""

import io
import zlib
from collections.abc import Callable
from typing import Any, BinaryIO, cast

import zstandard

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
# How many compressed bytes are decompressed at a time. So few bound the memory: a kilobyte may become 32 megabytes.
_PIECE = 1 << 11
_BUFFER_SIZE = 1 << 17


def decompress(file: BinaryIO) -> BinaryIO:
    """Returns a stream of the file's content.

    The content of a truncated or damaged file ends where the damage begins, so that no reader loses what precedes it:
    `damage_of` says whether a stream ended so. Reading all content at once raises the error.
    """
    buffered = file if isinstance(file, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, file))
    head = buffered.peek(len(_ZSTD))[: len(_ZSTD)]
    if head.startswith(_GZIP):
        return io.BufferedReader(_Content(buffered, _begin_gzip_member), _BUFFER_SIZE)
    # One byte may be a text, but no text begins with two bytes of the magic number.
    if len(head) > 1 and _ZSTD.startswith(head):
        return io.BufferedReader(_Content(buffered, _begin_zstd_frame), _BUFFER_SIZE)
    return buffered


def damage_of(content: BinaryIO) -> Exception | None:
    """Returns the error that ended a stream of `decompress` early. Valid once the stream has been read to its end."""
    raw = content.raw if isinstance(content, io.BufferedReader) else None
    return raw.error if isinstance(raw, _Content) else None


def _begin_gzip_member() -> Any:
    return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)


def _begin_zstd_frame() -> Any:
    return zstandard.ZstdDecompressor().decompressobj()


class _Content(io.RawIOBase):
    """The content of a file of one or more frames (gzip calls them members), up to the first damage."""

    def __init__(self, file: io.BufferedReader, begin_frame: Callable[[], Any]) -> None:
        self._file = file
        self._begin_frame = begin_frame
        self._frame: Any = None
        self._unread = memoryview(b"")
        self.error: Exception | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._unread and self.error is None:
            try:
                self._unread = memoryview(self._next_content())
            except (EOFError, OSError, zlib.error, zstandard.ZstdError) as error:
                self.error = error
        size = min(len(buffer), len(self._unread))
        buffer[:size] = self._unread[:size]
        self._unread = self._unread[size:]
        return size

    def readall(self) -> bytes:
        content = super().readall()
        if self.error is not None:
            raise self.error
        return content

    def _next_content(self) -> bytes:
        """Returns nothing at the end of the file."""
        content = b""
        while not content:
            compressed = b""
            if self._frame is not None and self._frame.eof:
                compressed, self._frame = self._frame.unused_data, None
            compressed = compressed or self._file.read(_PIECE)
            if not compressed:
                if self._frame is not None:
                    raise EOFError("Compressed file ended before the end of its last frame was reached")
                break
            if self._frame is None:
                # Zeros may pad a file of gzip.
                compressed = compressed.lstrip(b"\0")
                if not compressed:
                    continue
                self._frame = self._begin_frame()
            content = self._frame.decompress(compressed)
        return content
