"""Decompresses the records of a batch into a buffer of the caller, never beyond its end."""

import threading
import zlib

import cramjam
import zstandard

_GZIP, _SNAPPY, _LZ4, _ZSTD = 1, 2, 3, 4

_XERIAL_MAGIC = b"\x82SNAPPY\x00"
_XERIAL_HEADER_SIZE = 16
_LZ4_MAGIC = b"\x04\x22\x4d\x18"
_LZ4_BLOCK_SIZES = {4: 1 << 16, 5: 1 << 18, 6: 1 << 20, 7: 1 << 22}
_LZ4_VERSION = 1
_WITH_GZIP_HEADER = 31
_LARGEST_WINDOW = 1 << 27


class _ThreadContext(threading.local):
    """A decompressor per thread: creating one costs more than decompressing a small batch."""

    def __init__(self) -> None:
        self.zstd = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)


_CONTEXT = _ThreadContext()


class CorruptDataError(Exception):
    """The compressed bytes are not what their codec writes."""


class BufferTooSmallError(Exception):
    """The decompressed bytes don't fit into the buffer."""


def decompress_records(codec: int, compressed: memoryview, out: memoryview) -> int:
    """Returns how many bytes of `out` were filled."""
    try:
        if codec == _GZIP:
            return _gzip(compressed, out)
        if codec == _SNAPPY:
            return _snappy(compressed, out)
        if codec == _LZ4:
            return _lz4(compressed, out)
        if codec == _ZSTD:
            return _zstd(compressed, out)
    except (zlib.error, cramjam.DecompressionError, zstandard.ZstdError) as error:
        raise CorruptDataError(str(error)) from error
    raise CorruptDataError(f"codec {codec}")


def _gzip(compressed: memoryview, out: memoryview) -> int:
    filled = 0
    rest: bytes | memoryview = compressed
    while rest:
        member = zlib.decompressobj(_WITH_GZIP_HEADER)
        room = len(out) - filled
        data = member.decompress(rest, room + 1)
        if len(data) > room:
            raise BufferTooSmallError
        if not member.eof:
            raise CorruptDataError("a gzip member without an end")
        out[filled : filled + len(data)] = data
        filled += len(data)
        rest = member.unused_data
    return filled


def _snappy(compressed: memoryview, out: memoryview) -> int:
    if compressed[:8] != _XERIAL_MAGIC:
        return _snappy_block(compressed, out)
    filled = at = 0
    while at < len(compressed):
        # Several streams may follow each other, each with its own header.
        if compressed[at : at + 8] == _XERIAL_MAGIC:
            at += _XERIAL_HEADER_SIZE
            continue
        size = int.from_bytes(compressed[at : at + 4], "big", signed=True)
        at += 4
        if size < 0 or size > len(compressed) - at:
            raise CorruptDataError("a snappy chunk that reaches over the end")
        filled += _snappy_block(compressed[at : at + size], out[filled:])
        at += size
    return filled


def _snappy_block(compressed: memoryview, out: memoryview) -> int:
    if not compressed:
        raise CorruptDataError("an empty snappy block")
    size = int(cramjam.snappy.decompress_raw_len(compressed))
    if size > len(out):
        raise BufferTooSmallError
    return int(cramjam.snappy.decompress_raw_into(compressed, out[:size])) if size else 0


def _lz4(compressed: memoryview, out: memoryview) -> int:
    """Parses the frames itself: old producers wrote a wrong header checksum, so that byte is skipped."""
    filled = at = 0
    while at < len(compressed):
        if compressed[at : at + 4] != _LZ4_MAGIC or at + 7 > len(compressed):
            raise CorruptDataError("no lz4 frame")
        flags, descriptor = compressed[at + 4], compressed[at + 5]
        block_size = _LZ4_BLOCK_SIZES.get(descriptor >> 4 & 7)
        independent, block_checksum = flags >> 5 & 1, flags >> 4 & 1
        if flags >> 6 != _LZ4_VERSION or block_size is None or not independent or flags & 1:
            raise CorruptDataError("an lz4 frame of a kind that Kafka doesn't read")
        at += 7 + (8 if flags >> 3 & 1 else 0)
        while True:
            size = int.from_bytes(compressed[at : at + 4], "little")
            if at + 4 > len(compressed):
                raise CorruptDataError("an lz4 frame without an end")
            at += 4
            if size == 0:
                break
            stored, size = size >> 31, size & 0x7FFFFFFF
            if size > len(compressed) - at or size > block_size:
                raise CorruptDataError("an lz4 block that reaches over its end")
            filled += _lz4_block(compressed[at : at + size], out[filled:], block_size, bool(stored))
            at += size + 4 * block_checksum
        at += 4 * (flags >> 2 & 1)
    return filled


def _lz4_block(compressed: memoryview, out: memoryview, block_size: int, stored: bool) -> int:
    if stored:
        if len(compressed) > len(out):
            raise BufferTooSmallError
        out[: len(compressed)] = compressed
        return len(compressed)
    if len(out) < block_size:
        # The library can't distinguish a block that doesn't fit from a corrupt one, so it gets room for a full block.
        block = bytearray(block_size)
        size = int(cramjam.lz4.decompress_block_into(compressed, block))
        if size > len(out):
            raise BufferTooSmallError
        out[:size] = block[:size]
        return size
    return int(cramjam.lz4.decompress_block_into(compressed, out[:block_size]))


def _zstd(compressed: memoryview, out: memoryview) -> int:
    with _CONTEXT.zstd.stream_reader(compressed, read_across_frames=True) as reader:
        filled = 0
        while filled < len(out):
            size = reader.readinto(out[filled:])
            if size == 0:
                return filled
            filled += size
        if reader.read(1):
            raise BufferTooSmallError
        return filled
