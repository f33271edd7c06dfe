"""Splits lines of the common layouts into time, level, thread, logger and message, character by character, compiled.

It applies to layouts that name their prefix elements. The readable twin is `line_prefix.split_by_pattern`: this finds what
the layout's first pattern would find, or leaves the entry to the pattern.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafka_telemetry.columns import Flags, Integers
from kafka_telemetry.formats.compiled import as_long, compiled
from kafka_telemetry.formats.text_bytes import Bytes, substrings_of_rows


class PrefixElement(IntEnum):
    """The elements of a line prefix, beside fixed characters. Up to LOGGER they are captured."""

    TIME = 0
    CLOCK = 1
    LEVEL = 2
    THREAD = 3  # up to the first bracket
    LOGGER = 4
    SPACES = 5  # one or more
    LINE_NUMBER = 6  # behind a logger, optional


PrefixElements = Sequence[PrefixElement | str]
_PARTS = {
    PrefixElement.TIME: "time",
    PrefixElement.CLOCK: "time",
    PrefixElement.LEVEL: "level",
    PrefixElement.THREAD: "thread",
    PrefixElement.LOGGER: "logger",
}
# Codes from here on are fixed characters.
_FIRST_CHARACTER = 16
_CAPTURED_ELEMENTS = PrefixElement.LOGGER + 1


class LineParts(NamedTuple):
    """Time, level, thread, logger, client and message, as far as the layout has them, of the entries that match it."""

    parts: dict[str, pa.StringArray]
    matched: Flags


def split_fast(entries: pa.StringArray, prefix: PrefixElements, *, logger_at_end: bool) -> LineParts:
    """`logger_at_end`: the logger follows the message in parentheses, at the end of the first line."""
    entries = entries if entries.offset == 0 else pa.concat_arrays([entries])
    codes = np.array([code for element in prefix for code in _codes(element)], dtype=np.int64)
    captured = np.zeros((len(entries), _CAPTURED_ELEMENTS, 2), dtype=np.int64)
    # The begin and end of the message on its first line, and those of the lines that follow it.
    message = np.zeros((len(entries), 4), dtype=np.int64)
    matched = np.zeros(len(entries), dtype=np.bool_)
    _, offsets, data = entries.buffers()
    if not len(entries) or data is None:
        return LineParts({}, matched)
    data, offsets = np.frombuffer(data, np.uint8), np.frombuffer(offsets, np.int32, len(entries) + 1)
    _split(data, offsets, codes, logger_at_end, captured, message, matched)
    rows = np.flatnonzero(matched)
    elements = {element for element in prefix if isinstance(element, PrefixElement) and element in _PARTS}
    if logger_at_end:
        elements.add(PrefixElement.LOGGER)
    parts = {
        _PARTS[element]: substrings_of_rows(entries, rows, captured[rows, element, 0], captured[rows, element, 1])
        for element in elements
    }
    return LineParts(parts | {"message": _messages(data, offsets, rows, message[rows])}, matched)


def _codes(element: PrefixElement | str) -> list[int]:
    if isinstance(element, PrefixElement):
        return [int(element)]
    return [_FIRST_CHARACTER + ord(character) for character in element]


def _messages(data: Bytes, offsets: npt.NDArray[np.int32], rows: Integers, message: Integers) -> pa.StringArray:
    """Joins the message on the first line, without a logger at its end, and the lines that follow it."""
    sizes = np.maximum(message[:, 1] - message[:, 0], 0) + message[:, 3] - message[:, 2]
    out_offsets = np.zeros(len(rows) + 1, dtype=np.int32)
    np.cumsum(sizes, out=out_offsets[1:])
    out = np.empty(int(out_offsets[-1]), dtype=np.uint8)
    _copy_both_parts(data, offsets[rows].astype(np.int64), message, out_offsets, out)
    return pa.Array.from_buffers(pa.string(), len(rows), [None, pa.py_buffer(out_offsets), pa.py_buffer(out)])


@compiled
def _is_digit(found: int) -> bool:
    return 48 <= found <= 57


@compiled
def _is_logger_character(found: int) -> bool:
    letter = 65 <= found <= 90 or 97 <= found <= 122
    return letter or _is_digit(found) or found == 95 or found == 46 or found == 36 or found == 45


@compiled
def _end_of_clock(data: Bytes, at: int, end: int) -> int:
    """Where a time as 99:99:99 ends, or -1."""
    if at + 8 > end:
        return -1
    for place in range(8):
        if place == 2 or place == 5:
            if data[at + place] != 58:
                return -1
        elif not _is_digit(data[at + place]):
            return -1
    return at + 8


@compiled
def _end_of_time(data: Bytes, at: int, end: int) -> int:
    if at + 19 > end:
        return -1
    for place in range(10):
        if place == 4 or place == 7:
            if data[at + place] != 45:
                return -1
        elif not _is_digit(data[at + place]):
            return -1
    if data[at + 10] != 84 and data[at + 10] != 32:
        return -1
    at = _end_of_clock(data, at + 11, end)
    if at < 0:
        return -1
    while at < end and (_is_digit(data[at]) or data[at] == 46 or data[at] == 44):
        at += 1
    if at < end and data[at] == 90:
        return at + 1
    if at < end and (data[at] == 43 or data[at] == 45):
        colon = 1 if at + 3 < end and data[at + 3] == 58 else 0
        if at + 5 + colon > end:
            return -1
        for place in (1, 2, 3 + colon, 4 + colon):
            if not _is_digit(data[at + place]):
                return -1
        return at + 5 + colon
    return at


@compiled
def _end_of_element(data: Bytes, at: int, end: int, element: int) -> int:
    """Where an element that begins at this byte ends, or -1."""
    start = at
    if element >= _FIRST_CHARACTER:
        return at + 1 if at < end and data[at] == element - _FIRST_CHARACTER else -1
    if element == PrefixElement.TIME:
        return _end_of_time(data, at, end)
    if element == PrefixElement.CLOCK:
        at = _end_of_clock(data, at, end)
        if at >= 0 and at < end and (data[at] == 46 or data[at] == 44):
            start = at + 1
            at = start
            while at < end and at < start + 9 and _is_digit(data[at]):
                at += 1
            return at if at > start else -1
        return at
    if element == PrefixElement.LEVEL:
        while at < end and 65 <= data[at] <= 90:
            at += 1
    elif element == PrefixElement.THREAD:
        while at < end and data[at] != 93 and data[at] != 10:
            at += 1
        return at
    elif element == PrefixElement.LOGGER:
        while at < end and _is_logger_character(data[at]):
            at += 1
    elif element == PrefixElement.SPACES:
        while at < end and data[at] == 32:
            at += 1
    elif element == PrefixElement.LINE_NUMBER:
        if at < end and data[at] == 58:
            at += 1
            while at < end and _is_digit(data[at]):
                at += 1
            return at if at > start + 1 else -1
        return at
    return at if at > start else -1


@compiled
def _split(
    data: Bytes,
    offsets: npt.NDArray[np.int32],
    codes: Integers,
    logger_at_end: bool,
    captured: Integers,
    message: Integers,
    matched: Flags,
) -> None:
    """For each entry:

    1. walk through the elements of the prefix and note where each captured one begins and ends;
    2. the message is what follows, to the end of the entry;
    3. with `logger_at_end`, go back from the end of the first line over white space and `(logger)`: the message ends in
       front of it, and goes on with the lines that follow.
    """
    for row in range(len(matched)):
        start, end = offsets[row], offsets[row + 1]
        at = as_long(start)
        for step in range(len(codes)):
            behind = _end_of_element(data, at, end, codes[step])
            if behind < 0:
                at = -1
                break
            if codes[step] <= PrefixElement.LOGGER:
                captured[row, codes[step], 0], captured[row, codes[step], 1] = at - start, behind - start
            at = behind
        if at < 0:
            continue
        message[row, 0], message[row, 1], message[row, 2], message[row, 3] = at - start, end - start, 0, 0
        if logger_at_end:
            line = as_long(start)
            while line < end and data[line] != 10:
                line += 1
            stop = line
            while stop > start and (data[stop - 1] == 32 or data[stop - 1] == 9 or data[stop - 1] == 13):
                stop -= 1
            if stop - start < 4 or data[stop - 1] != 41:
                continue
            name = stop - 1
            while name > start and _is_logger_character(data[name - 1]):
                name -= 1
            # A space, the parenthesis, a name of at least one character.
            if name - start < 2 or name == stop - 1 or data[name - 1] != 40:
                continue
            blank = data[name - 2]
            if (blank != 32 and not 9 <= blank <= 13) or blank == 11:
                continue
            captured[row, PrefixElement.LOGGER, 0], captured[row, PrefixElement.LOGGER, 1] = (
                name - start,
                stop - 1 - start,
            )
            message[row, 1], message[row, 2], message[row, 3] = name - 2 - start, line - start, end - start
        matched[row] = True


@compiled
def _copy_both_parts(
    data: Bytes, starts: Integers, message: Integers, offsets: npt.NDArray[np.int32], out: Bytes
) -> None:
    for row in range(len(starts)):
        place = offsets[row]
        for at in range(message[row, 0], message[row, 1]):
            out[place] = data[starts[row] + at]
            place += 1
        for at in range(message[row, 2], message[row, 3]):
            out[place] = data[starts[row] + at]
            place += 1
