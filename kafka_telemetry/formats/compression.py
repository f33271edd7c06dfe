"""Files as they were packed for the way: .gz and .zst are told by their first bytes, not by their names."""

import gzip
import io
from typing import BinaryIO

import zstandard

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"


def unpacked(file: BinaryIO) -> BinaryIO:
    """The stream of the file's own content. A torn pack ends in an error of the library when it is read to its end."""
    buffered = file if isinstance(file, io.BufferedReader) else io.BufferedReader(file)  # type: ignore[type-var]
    head = buffered.peek(4)[:4]
    if head.startswith(_GZIP):
        return io.BufferedReader(gzip.GzipFile(fileobj=buffered))
    if head == _ZSTD:
        reader = zstandard.ZstdDecompressor().stream_reader(buffered, read_across_frames=True)
        return io.BufferedReader(reader)
    return buffered
