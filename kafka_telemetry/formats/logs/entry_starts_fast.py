"""Where the entries of a log begin: the first pass over every byte of it, compiled.

It marks 256 bytes at once, which the compiler turns into vector instructions as long as the marks are bytes too, and
looks closer only where marks are set.
"""

from typing import NamedTuple

import numpy as np

from kafka_telemetry.columns import Flags, Integers
from kafka_telemetry.formats.compiled import compiled
from kafka_telemetry.formats.raw_memory import eight_bytes_at, lowest_lane
from kafka_telemetry.formats.text_bytes import Bytes

_UPPER = int.from_bytes(b"\xf0" * 8, "little", signed=True)
_CAPITAL = ord("A")


class Shape(NamedTuple):
    """What the first characters of a line are, eight of them at a time."""

    letters: Bytes
    eights: Integers
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


def entry_heads(block: Bytes, size: int, first: Shape, second: Shape) -> tuple[Integers, Integers]:
    """Where lines begin that have one of the two shapes, and how many line ends there are before each."""
    mask = np.empty(256, dtype=np.bool_)
    starts = np.empty(size // min(len(first.letters), len(second.letters)) + 2, dtype=np.int64)
    lines = np.empty_like(starts)
    count = _find_heads(block, size, *first, *second, mask, mask.view(np.int64), starts, lines)
    return starts[:count], lines[:count]


@compiled
def _is_head(block: Bytes, start: int, letters: Bytes, eights: Integers) -> bool:
    for number in range(len(eights)):
        found, kept = eight_bytes_at(block, start + number * 8), eights[number, 0]
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
def _find_heads(
    block: Bytes,
    size: int,
    first: Bytes,
    first_eights: Integers,
    second: Bytes,
    second_eights: Integers,
    mask: Flags,
    eights: Integers,
    starts: Integers,
    lines: Integers,
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
                    start = base + near * 8 + lowest_lane(left) + 1
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
