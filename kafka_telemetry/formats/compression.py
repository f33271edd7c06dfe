"""Opens delivered files that may be compressed with gzip or zstd, recognised by their first bytes and not by their names."""

import gzip
import io
from typing import BinaryIO, cast

import zstandard

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"


def decompress(file: BinaryIO) -> BinaryIO:
    """Returns a stream of the file's content. Reading a truncated file to its end raises the error of its library."""
    buffered = file if isinstance(file, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, file))
    head = buffered.peek(4)[:4]
    if head.startswith(_GZIP):
        return io.BufferedReader(gzip.GzipFile(fileobj=buffered))
    if head == _ZSTD:
        reader = zstandard.ZstdDecompressor().stream_reader(buffered, read_across_frames=True)
        return io.BufferedReader(reader)
    return buffered
