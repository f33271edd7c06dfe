"""A text of any length in blocks of whole pieces: lines, or JSON objects that nothing parts."""

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

import numpy as np

from kafka_telemetry.formats.dumps.line_patterns import Lines
from kafka_telemetry.formats.raw_memory import SLACK

_SIZE = 1 << 22
# A piece that is longer is cut: nothing that a tool prints of one record is.
_LONGEST = 1 << 26
_BOM = b"\xef\xbb\xbf"
_LINE_FEED, _RETURN = 10, 13
# A string can't hold it, for its quotes would be escaped.
_CONSOLE_OBJECT = re.compile(rb'\{"key":(?:\{"(?:type|version)":|null,|")')


class Block(NamedTuple):
    """`first` is the number of its first piece, counted from 1; the last piece of a file may not be `ended`."""

    first: int
    pieces: Lines
    ended: bool


def line_blocks(file: BinaryIO, size: int = _SIZE) -> Iterator[Block]:
    number = 1
    for data in _cut(file, size, lambda data: data.rfind(b"\n") + 1):
        block = _lines(number, data)
        number += len(block.pieces.starts)
        yield block


def object_blocks(file: BinaryIO, size: int = _SIZE) -> Iterator[Block]:
    """Each piece begins with the object of a record, only the first of a file may hold what stands before."""
    number = 1
    for data in _cut(file, size, _last_object):
        starts = [found.start() for found in _CONSOLE_OBJECT.finditer(data)]
        if not starts or starts[0]:
            # What stands before the first object has no number of its own.
            starts.insert(0, 0)
            number -= 1
        begins = np.array(starts, np.int64)
        yield Block(number, Lines(_padded(data), begins, np.append(begins[1:], len(data))), True)
        number += len(starts)


def _last_object(data: bytes) -> int:
    at = data.rfind(b'{"key":')
    while at > 0 and not _CONSOLE_OBJECT.match(data, at):
        at = data.rfind(b'{"key":', 0, at)
    return max(at, 0)


def _cut(file: BinaryIO, size: int, place: Callable[[bytes], int]) -> Iterator[bytes]:
    rest = b""
    begun = False
    while read := file.read(size):
        if not begun:
            begun = True
            read = read.removeprefix(_BOM)
        data = rest + read
        cut = place(data)
        if not cut and len(data) >= _LONGEST:
            cut = len(data)
        if cut:
            yield _valid(data[:cut])
        rest = data[cut:]
    if rest:
        yield _valid(rest)


def _valid(data: bytes) -> bytes:
    if data.isascii():
        return data
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode(errors="replace").encode()
    return data


def _padded(data: bytes) -> np.ndarray:
    return np.frombuffer(data + bytes(SLACK), np.uint8)


def _lines(number: int, data: bytes) -> Block:
    block = _padded(data)
    feeds = np.flatnonzero(block[: len(data)] == _LINE_FEED)
    starts = np.append(0, feeds + 1)
    ended = data.endswith(b"\n")
    ends = feeds if ended else np.append(feeds, len(data))
    starts = starts[: len(ends)]
    returns = (ends > starts) & (block[ends - 1] == _RETURN)
    return Block(number, Lines(block, starts, ends - returns), ended)
