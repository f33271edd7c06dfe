"""The passes over every byte of a log file, compiled: where entries begin, which hold a word that matters, and cutting.

Both passes mark 256 bytes at once, which the compiler turns into vector instructions as long as the marks are bytes
too, and go byte by byte only where eight marks together are not zero. A block is padded, so that looking ahead never
leaves it.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from spark_jobs.wire.compiled import compiled
from spark_jobs.wire.raw_memory import eight_at

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Offsets = npt.NDArray[np.signedinteger[Any]]
Eights = npt.NDArray[np.int64]

PADDING = bytes(512)

_UPPER = int.from_bytes(b"\xf0" * 8, "little", signed=True)
_LANES = 0x0001020304050607


# One of these words stands somewhere in every line that could matter; its rarest letters are looked for first, and
# `_find_words` must know the same ones.
_WORDS = {
    "oordinator": "oor",
    "Consumer clientId=": "Cons",
    "Consumer instanceId=": "Cons",
    "ConsumerConfig values": "Cons",
    "Setting offset for": "Sett",
    "GroupMetadata": "pMe",
    "OffsetMetadata": "tMe",
    "ClassicGroup": "cG",
    "StickyAssignor": "yA",
    "#consumer-": "#",
}
_CAPITAL = ord("A")


class Shape(NamedTuple):
    """What the first characters of a line are, eight of them at a time."""

    letters: Bytes
    eights: Places
    """Of each eight a mask, what is left behind it, and what a digit is still one after the addition of."""


def head_shape(shape: str) -> Shape:
    """9 is a digit, A a capital, ? anything, all else itself."""
    rows = []
    for at in range(0, len(shape), 8):
        lanes = [
            {"9": (0xF0, 0x30, 6), "?": (0, 0, 0), "A": (0, 0, 0)}.get(one, (0xFF, ord(one), 0))
            for one in shape[at : at + 8]
        ]
        rows.append([int.from_bytes(bytes(lane), "little") for lane in zip(*lanes, strict=True)])
    return Shape(np.frombuffer(shape.encode(), np.uint8), np.array(rows, dtype=np.uint64).view(np.int64).reshape(-1, 3))


_TABLE = np.array([list(word.ljust(32, "\0").encode()) for word in _WORDS], dtype=np.uint8)
_SIZES = np.array([(len(word), word.index(rare)) for word, rare in _WORDS.items()], dtype=np.int64)


def entry_heads(block: Bytes, size: int, first: Shape, second: Shape) -> tuple[Places, Places]:
    """Where lines begin that have one of the two shapes, and how many line ends there are before each."""
    mask = np.empty(256, dtype=np.bool_)
    starts = np.empty(size // min(len(first.letters), len(second.letters)) + 2, dtype=np.int64)
    lines = np.empty_like(starts)
    count = _find_heads(block, size, *first, *second, mask, mask.view(np.int64), starts, lines)
    return starts[:count], lines[:count]


def with_a_word(block: Bytes, size: int, starts: Places) -> Flags:
    """Which of the entries that start there hold a word that matters, or are librdkafka's."""
    out = np.zeros(len(starts), dtype=np.bool_)
    mask = np.empty(256, dtype=np.bool_)
    if len(starts):
        _find_words(block, size, starts, mask, mask.view(np.int64), _TABLE, _SIZES, out)
    return out


def cut(texts: pa.StringArray, starts: Places, ends: Places) -> pa.StringArray:
    """Of each text the bytes from start to end, counted from its own first; null where it is null."""
    out = cut_from(texts, np.arange(len(texts)), starts, ends)
    return pc.if_else(texts.is_null(), None, out) if texts.null_count else out


def cut_from(texts: pa.StringArray, rows: Places, starts: Offsets, ends: Offsets) -> pa.StringArray:
    """The same of some of the texts, none of them null."""
    _, offsets, data = texts.buffers()
    first = np.frombuffer(offsets, np.int32, len(texts) + 1, texts.offset * 4)[rows].astype(np.int64)
    out_offsets = np.zeros(len(rows) + 1, dtype=np.int32)
    np.cumsum(np.maximum(ends - starts, 0), out=out_offsets[1:])
    out = np.empty(int(out_offsets[-1]), dtype=np.uint8)
    if len(out):
        _copy(np.frombuffer(data, np.uint8), first + starts, out_offsets, out)
    return pa.Array.from_buffers(pa.string(), len(rows), [None, pa.py_buffer(out_offsets), pa.py_buffer(out)])


def line_ends(texts: pa.StringArray) -> Places:
    """Of each text the length of its first line."""
    texts = texts if texts.offset == 0 else pa.concat_arrays([texts])
    offsets = np.frombuffer(texts.buffers()[1], np.int32, len(texts) + 1)
    out = np.diff(offsets).astype(np.int64)
    if offsets[-1] > offsets[0]:
        _first_lines(np.frombuffer(texts.buffers()[2], np.uint8), offsets, out)
    return out


@compiled
def _is_head(block: Bytes, start: int, letters: Bytes, eights: Places) -> bool:
    for number in range(len(eights)):
        found, kept = eight_at(block, start + number * 8), eights[number, 0]
        if found & kept != eights[number, 1]:
            return False
        # A digit's upper half is a 3, and still is one when 6 are added.
        if (found + eights[number, 2]) & kept & _UPPER != eights[number, 1] & _UPPER:
            return False
    for place in range(len(letters)):
        if letters[place] == _CAPITAL and not 65 <= block[start + place] <= 90:
            return False
    return True


@compiled
def _lane(lowest: int) -> int:
    """Which byte of eight has the one bit that is set."""
    return (lowest * _LANES) >> 56


@compiled
def _find_heads(
    block: Bytes,
    size: int,
    first: Bytes,
    first_eights: Places,
    second: Bytes,
    second_eights: Places,
    mask: Flags,
    eights: Eights,
    starts: Places,
    lines: Places,
) -> int:
    count, ended = 0, 0
    if _is_head(block, 0, first, first_eights) or _is_head(block, 0, second, second_eights):
        starts[0], lines[0] = 0, 0
        count = 1
    for base in range(0, size, 256):
        step = block[base : base + 256]
        for place in range(256):
            mask[place] = step[place] == 10
        for eight in range(0, 32, 4):
            if eights[eight] | eights[eight + 1] | eights[eight + 2] | eights[eight + 3] == 0:
                continue
            for near in range(eight, eight + 4):
                left = eights[near]
                while left != 0:
                    start = base + near * 8 + _lane(left & -left) + 1
                    left &= left - 1
                    if start < size:
                        ended += 1
                        if block[start] == second[0]:
                            is_head = _is_head(block, start, second, second_eights)
                        else:
                            is_head = _is_head(block, start, first, first_eights)
                        if is_head:
                            starts[count], lines[count] = start, ended
                            count += 1
    return count


@compiled
def _find_words(
    block: Bytes, size: int, starts: Places, mask: Flags, eights: Eights, table: Bytes, sizes: Places, out: Flags
) -> None:
    for number in range(len(starts)):
        if block[starts[number]] == 37 and block[starts[number] + 2] == 124:  # %4|
            out[number] = True
    entry, last = 0, len(starts) - 1
    for base in range(starts[0] // 256 * 256, size, 256):
        step = block[base : base + 260]
        for place in range(256):
            one, two, three, four = step[place], step[place + 1], step[place + 2], step[place + 3]
            mask[place] = (
                ((one == 111) & (two == 111) & (three == 114))  # oor
                | ((one == 67) & (two == 111) & (three == 110) & (four == 115))  # Cons
                | ((one == 83) & (two == 101) & (three == 116) & (four == 116))  # Sett
                | (((one == 112) | (one == 116)) & (two == 77) & (three == 101))  # pMe, tMe
                | ((one == 99) & (two == 71))  # cG
                | ((one == 121) & (two == 65))  # yA
                | (one == 35)  # #
            )
        some = 0
        for eight in range(32):
            some |= eights[eight]
        if some == 0:
            continue
        for eight in range(32):
            left = eights[eight]
            while left != 0:
                at = base + eight * 8 + _lane(left & -left)
                left &= left - 1
                if at < size and _stands_in(block, at, table, sizes):
                    while entry < last and starts[entry + 1] <= at:
                        entry += 1
                    out[entry] = out[entry] or at >= starts[entry]


@compiled
def _stands_in(block: Bytes, at: int, table: Bytes, sizes: Places) -> bool:
    """Whether one of the words has its rare letters there."""
    for word in range(len(sizes)):
        start = at - sizes[word, 1]
        same = 0
        while start >= 0 and same < sizes[word, 0] and block[start + same] == table[word, same]:
            same += 1
        if same == sizes[word, 0]:
            return True
    return False


@compiled
def _copy(data: Bytes, starts: Places, offsets: npt.NDArray[np.int32], out: Bytes) -> None:
    for row in range(len(starts)):
        length = offsets[row + 1] - offsets[row]
        source = data[starts[row] : starts[row] + length]
        target = out[offsets[row] : offsets[row] + length]
        for place in range(length):
            target[place] = source[place]


@compiled
def _first_lines(data: Bytes, offsets: npt.NDArray[np.int32], out: Places) -> None:
    for row in range(len(out)):
        for at in range(offsets[row], offsets[row + 1]):
            if data[at] == 10:
                out[row] = at - offsets[row]
                break
