"""The records of a batch, unpacked into a buffer that is never outgrown."""

import threading
import zlib

import cramjam
import zstandard

_GZIP, _SNAPPY, _LZ4, _ZSTD = 1, 2, 3, 4

_XERIAL = b"\x82SNAPPY\x00"
_XERIAL_HEADER = 16
_LZ4_MAGIC = b"\x04\x22\x4d\x18"
_LZ4_BLOCK_SIZES = {4: 1 << 16, 5: 1 << 18, 6: 1 << 20, 7: 1 << 22}
_LZ4_VERSION = 1
_WITH_GZIP_HEADER = 31
_LARGEST_WINDOW = 1 << 27


class _Context(threading.local):
    """Making one costs more than unpacking a small batch."""

    def __init__(self) -> None:
        self.zstd = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)


_CONTEXT = _Context()


class BrokenError(Exception):
    """The packed bytes aren't what their codec writes."""


class NoRoomError(Exception):
    """The unpacked bytes don't fit."""


def unpack(codec: int, packed: memoryview, out: memoryview) -> int:
    """How many bytes of `out` were filled."""
    try:
        if codec == _GZIP:
            return _gzip(packed, out)
        if codec == _SNAPPY:
            return _snappy(packed, out)
        if codec == _LZ4:
            return _lz4(packed, out)
        if codec == _ZSTD:
            return _zstd(packed, out)
    except (zlib.error, cramjam.DecompressionError, zstandard.ZstdError) as error:
        raise BrokenError(str(error)) from error
    raise BrokenError(f"codec {codec}")


def _gzip(packed: memoryview, out: memoryview) -> int:
    filled = 0
    rest: bytes | memoryview = packed
    while rest:
        member = zlib.decompressobj(_WITH_GZIP_HEADER)
        room = len(out) - filled
        data = member.decompress(rest, room + 1)
        if len(data) > room:
            raise NoRoomError
        if not member.eof:
            raise BrokenError("a gzip member without an end")
        out[filled : filled + len(data)] = data
        filled += len(data)
        rest = member.unused_data
    return filled


def _snappy(packed: memoryview, out: memoryview) -> int:
    if packed[:8] != _XERIAL:
        return _snappy_block(packed, out)
    filled = at = 0
    while at < len(packed):
        # Streams may stand one after another, each with its header.
        if packed[at : at + 8] == _XERIAL:
            at += _XERIAL_HEADER
            continue
        size = int.from_bytes(packed[at : at + 4], "big", signed=True)
        at += 4
        if size < 0 or size > len(packed) - at:
            raise BrokenError("a snappy chunk that reaches over the end")
        filled += _snappy_block(packed[at : at + size], out[filled:])
        at += size
    return filled


def _snappy_block(packed: memoryview, out: memoryview) -> int:
    if not packed:
        raise BrokenError("an empty snappy block")
    size = int(cramjam.snappy.decompress_raw_len(packed))
    if size > len(out):
        raise NoRoomError
    return int(cramjam.snappy.decompress_raw_into(packed, out[:size])) if size else 0


def _lz4(packed: memoryview, out: memoryview) -> int:
    """Frames by hand: old producers wrote a wrong header checksum, so that byte is skipped."""
    filled = at = 0
    while at < len(packed):
        if packed[at : at + 4] != _LZ4_MAGIC or at + 7 > len(packed):
            raise BrokenError("no lz4 frame")
        flags, descriptor = packed[at + 4], packed[at + 5]
        block_size = _LZ4_BLOCK_SIZES.get(descriptor >> 4 & 7)
        independent, block_checksum = flags >> 5 & 1, flags >> 4 & 1
        if flags >> 6 != _LZ4_VERSION or block_size is None or not independent or flags & 1:
            raise BrokenError("an lz4 frame of a kind that Kafka doesn't read")
        at += 7 + (8 if flags >> 3 & 1 else 0)
        while True:
            size = int.from_bytes(packed[at : at + 4], "little")
            if at + 4 > len(packed):
                raise BrokenError("an lz4 frame without an end")
            at += 4
            if size == 0:
                break
            stored, size = size >> 31, size & 0x7FFFFFFF
            if size > len(packed) - at or size > block_size:
                raise BrokenError("an lz4 block that reaches over its end")
            filled += _lz4_block(packed[at : at + size], out[filled:], block_size, bool(stored))
            at += size + 4 * block_checksum
        at += 4 * (flags >> 2 & 1)
    return filled


def _lz4_block(packed: memoryview, out: memoryview, block_size: int, stored: bool) -> int:
    if stored:
        if len(packed) > len(out):
            raise NoRoomError
        out[: len(packed)] = packed
        return len(packed)
    if len(out) < block_size:
        # The library can't tell a block that is too large from a broken one: it gets the room a whole block may take.
        block = bytearray(block_size)
        size = int(cramjam.lz4.decompress_block_into(packed, block))
        if size > len(out):
            raise NoRoomError
        out[:size] = block[:size]
        return size
    return int(cramjam.lz4.decompress_block_into(packed, out[:block_size]))


def _zstd(packed: memoryview, out: memoryview) -> int:
    with _CONTEXT.zstd.stream_reader(packed, read_across_frames=True) as reader:
        filled = 0
        while filled < len(out):
            size = reader.readinto(out[filled:])
            if size == 0:
                return filled
            filled += size
        if reader.read(1):
            raise NoRoomError
        return filled
