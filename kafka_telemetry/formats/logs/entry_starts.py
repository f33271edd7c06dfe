"""Finds where the entries of a log begin: the first pass over each byte of a file, compiled.

It marks the line feeds among 256 bytes at once, which the compiler turns into vector instructions as long as the marks
are bytes too, and only looks closer where marks are set.
"""

from typing import NamedTuple

import numpy as np

from kafka_telemetry.columns import Flags, Integers
from kafka_telemetry.formats.compiled import compiled
from kafka_telemetry.formats.raw_memory import eight_bytes_at, lowest_lane
from kafka_telemetry.formats.text_bytes import Bytes

_UPPER = int.from_bytes(b"\xf0" * 8, "little", signed=True)
_CAPITAL = ord("A")


class LineStart(NamedTuple):
    """The first characters of a line, prepared for comparing eight of them at a time."""

    characters: Bytes
    eights: Integers
    """For each eight bytes a mask, the value expected behind it, and an addend after which a digit's upper half is still 3."""


def parse_line_start(line_start: str) -> LineStart:
    """9 stands for a digit, A for a capital letter, ? for any character, everything else for itself."""
    rows = []
    for at in range(0, len(line_start), 8):
        lanes = [
            {"9": (0xF0, 0x30, 6), "?": (0, 0, 0), "A": (0, 0, 0)}.get(character, (0xFF, ord(character), 0))
            for character in line_start[at : at + 8]
        ]
        rows.append([int.from_bytes(bytes(lane), "little") for lane in zip(*lanes, strict=True)])
    eights = np.array(rows, dtype=np.uint64).view(np.int64).reshape(-1, 3)
    return LineStart(np.frombuffer(line_start.encode(), np.uint8), eights)


def find_entry_starts(block: Bytes, size: int, first: LineStart, second: LineStart) -> tuple[Integers, Integers]:
    """Returns where lines begin that have one of the two starts, and how many lines end before each of them."""
    mask = np.empty(256, dtype=np.bool_)
    starts = np.empty(size // min(len(first.characters), len(second.characters)) + 2, dtype=np.int64)
    lines_before = np.empty_like(starts)
    count = _find_starts(block, size, *first, *second, mask, mask.view(np.int64), starts, lines_before)
    return starts[:count], lines_before[:count]


@compiled
def _has_line_start(block: Bytes, start: int, characters: Bytes, eights: Integers) -> bool:
    for number in range(len(eights)):
        found, mask = eight_bytes_at(block, start + number * 8), eights[number, 0]
        if found & mask != eights[number, 1]:
            return False
        # The upper half of a digit is 3, and still is when 6 is added to the digit.
        if (found + eights[number, 2]) & mask & _UPPER != eights[number, 1] & _UPPER:
            return False
    for place in range(len(characters)):
        if characters[place] == _CAPITAL and not 65 <= block[start + place] <= 90:
            return False
    return True


@compiled
def _find_starts(
    block: Bytes,
    size: int,
    first: Bytes,
    first_eights: Integers,
    second: Bytes,
    second_eights: Integers,
    mask: Flags,
    mask_eights: Integers,
    starts: Integers,
    lines_before: Integers,
) -> int:
    """Tests the first line of the block, then the byte behind each line feed. Returns the number of starts.

    For each 256 bytes: mark the line feeds, skip 32 bytes at a time that have none, and test a line at each mark.
    """
    count, ended = 0, 0
    if _has_line_start(block, 0, first, first_eights) or _has_line_start(block, 0, second, second_eights):
        starts[0], lines_before[0] = 0, 0
        count = 1
    for base in range(0, size, 256):
        step = block[base : base + 256]
        for place in range(256):
            mask[place] = step[place] == 10
        for eight in range(0, 32, 4):
            if mask_eights[eight] | mask_eights[eight + 1] | mask_eights[eight + 2] | mask_eights[eight + 3] == 0:
                continue
            for near in range(eight, eight + 4):
                left = mask_eights[near]
                while left != 0:
                    start = base + near * 8 + lowest_lane(left) + 1
                    left &= left - 1
                    if start < size:
                        ended += 1
                        if block[start] == second[0]:
                            is_start = _has_line_start(block, start, second, second_eights)
                        else:
                            is_start = _has_line_start(block, start, first, first_eights)
                        if is_start:
                            starts[count], lines_before[count] = start, ended
                            count += 1
    return count
