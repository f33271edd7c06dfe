"""Cuts a text of any size into blocks of complete lines, or of complete JSON objects without separators."""

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from kafka_telemetry.columns import Flags, Integers
from kafka_telemetry.formats.raw_memory import SLACK
from kafka_telemetry.formats.text_bytes import Bytes

_BLOCK_SIZE = 1 << 22
# A longer line or object is cut: no tool prints one for a record.
_LONGEST_SPAN = 1 << 26
_BOM = b"\xef\xbb\xbf"
_LINE_FEED, _CARRIAGE_RETURN = 10, 13
# It can't occur inside a string, where its quotes would be escaped.
_OBJECT_START = re.compile(rb'\{"key":(?:\{"(?:type|version)":|null,|")')


class TextSpans(NamedTuple):
    """Lines or JSON objects, by their positions in UTF-8 bytes."""

    data: Bytes
    starts: Integers
    ends: Integers

    def select(self, rows: npt.NDArray[np.integer] | Flags) -> "TextSpans":
        return TextSpans(self.data, self.starts[rows], self.ends[rows])

    def bytes_at(self, row: int) -> bytes:
        return self.data[self.starts[row] : self.ends[row]].tobytes()

    def text_at(self, row: int) -> str:
        return self.bytes_at(row).decode()


class TextBlock(NamedTuple):
    # Number of the first span in the file, counted from 1.
    first_number: int
    spans: TextSpans
    # Whether the last line ends with a line feed.
    is_complete: bool


def line_blocks(file: BinaryIO, size: int = _BLOCK_SIZE) -> Iterator[TextBlock]:
    number = 1
    for data in _cut(file, size, lambda data: data.rfind(b"\n") + 1):
        block = _split_lines(number, data)
        number += len(block.spans.starts)
        yield block


def object_blocks(file: BinaryIO, size: int = _BLOCK_SIZE) -> Iterator[TextBlock]:
    """Each span begins with a record's object, except that the first may contain what precedes all objects."""
    number = 1
    for data in _cut(file, size, _last_object):
        starts = [match.start() for match in _OBJECT_START.finditer(data)]
        if not starts or starts[0]:
            # What precedes the first object isn't counted.
            starts.insert(0, 0)
            number -= 1
        begins = np.array(starts, np.int64)
        yield TextBlock(number, TextSpans(_padded(data), begins, np.append(begins[1:], len(data))), True)
        number += len(starts)


def _last_object(data: bytes) -> int:
    at = data.rfind(b'{"key":')
    while at > 0 and not _OBJECT_START.match(data, at):
        at = data.rfind(b'{"key":', 0, at)
    return max(at, 0)


def _cut(file: BinaryIO, size: int, find_cut: Callable[[bytes], int]) -> Iterator[bytes]:
    rest = b""
    is_first = True
    while read := file.read(size):
        if is_first:
            is_first = False
            read = read.removeprefix(_BOM)
        data = rest + read
        cut = find_cut(data)
        if not cut and len(data) >= _LONGEST_SPAN:
            cut = len(data)
        if cut:
            yield _valid_utf8(data[:cut])
        rest = data[cut:]
    if rest:
        yield _valid_utf8(rest)


def _valid_utf8(data: bytes) -> bytes:
    if data.isascii():
        return data
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode(errors="replace").encode()
    return data


def _padded(data: bytes) -> Bytes:
    return np.frombuffer(data + bytes(SLACK), np.uint8)


def _split_lines(number: int, data: bytes) -> TextBlock:
    block = _padded(data)
    feeds = np.flatnonzero(block[: len(data)] == _LINE_FEED)
    starts = np.append(0, feeds + 1)
    is_complete = data.endswith(b"\n")
    ends = feeds if is_complete else np.append(feeds, len(data))
    starts = starts[: len(ends)]
    returns = (ends > starts) & (block[ends - 1] == _CARRIAGE_RETURN)
    return TextBlock(number, TextSpans(block, starts, ends - returns), is_complete)
