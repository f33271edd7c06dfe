"""The quick way to take a line of a common layout apart: character by character, compiled.

It finds what the layout's pattern would find, or leaves the entry to the pattern.
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

Numbers = npt.NDArray[np.int64]


class Piece(IntEnum):
    """What a head is made of, beside fixed characters; up to LOGGER it is a part that is kept."""

    TIME = 0
    CLOCK = 1
    LEVEL = 2
    THREAD = 3  # up to the first bracket
    LOGGER = 4
    BLANKS = 5  # one or more
    LINE_NUMBER = 6  # behind a logger, if there


Head = Sequence[Piece | str]
_PART = {Piece.TIME: "time", Piece.CLOCK: "time", Piece.LEVEL: "level", Piece.THREAD: "thread", Piece.LOGGER: "logger"}
_FIXED = 16  # and from here on a character itself
_SLOTS = Piece.LOGGER + 1


class Opened(NamedTuple):
    parts: dict[str, pa.StringArray]
    """Of the entries that fit."""
    fits: Flags


def opened(entries: pa.StringArray, head: Head, *, closed: bool) -> Opened:
    """`closed`: the logger stands in brackets at the end of the first line."""
    entries = entries if entries.offset == 0 else pa.concat_arrays([entries])
    program = [code for piece in head for code in _codes(piece)]
    slots = np.zeros((len(entries), _SLOTS, 2), dtype=np.int64)
    message = np.zeros((len(entries), 4), dtype=np.int64)
    fits = np.zeros(len(entries), dtype=np.bool_)
    _, offsets, data = entries.buffers()
    if not len(entries) or data is None:
        return Opened({}, fits)
    data, offsets = np.frombuffer(data, np.uint8), np.frombuffer(offsets, np.int32, len(entries) + 1)
    _open(data, offsets, np.array(program, dtype=np.int64), closed, slots, message, fits)
    rows = np.flatnonzero(fits)
    kept = {piece for piece in head if isinstance(piece, Piece) and piece in _PART} | (
        {Piece.LOGGER} if closed else set()
    )
    parts = {
        _PART[piece]: substrings_of_rows(entries, rows, slots[rows, piece, 0], slots[rows, piece, 1]) for piece in kept
    }
    return Opened(parts | {"message": _messages(data, offsets, rows, message[rows])}, fits)


def _codes(piece: Piece | str) -> list[int]:
    return [int(piece)] if isinstance(piece, Piece) else [_FIXED + ord(one) for one in piece]


def _messages(data: Bytes, offsets: npt.NDArray[np.int32], rows: Integers, message: Numbers) -> pa.StringArray:
    """What stands between head and closing, and what follows the first line."""
    sizes = np.maximum(message[:, 1] - message[:, 0], 0) + message[:, 3] - message[:, 2]
    out_offsets = np.zeros(len(rows) + 1, dtype=np.int32)
    np.cumsum(sizes, out=out_offsets[1:])
    out = np.empty(int(out_offsets[-1]), dtype=np.uint8)
    _copy_both(data, offsets[rows].astype(np.int64), message, out_offsets, out)
    return pa.Array.from_buffers(pa.string(), len(rows), [None, pa.py_buffer(out_offsets), pa.py_buffer(out)])


@compiled
def _is_digit(found: int) -> bool:
    return 48 <= found <= 57


@compiled
def _is_word(found: int) -> bool:
    """Of a logger's name."""
    letter = 65 <= found <= 90 or 97 <= found <= 122
    return letter or _is_digit(found) or found == 95 or found == 46 or found == 36 or found == 45


@compiled
def _clock(data: Bytes, at: int, end: int) -> int:
    """Behind 99:99:99, or -1."""
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
def _day_and_clock(data: Bytes, at: int, end: int) -> int:
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
    at = _clock(data, at + 11, end)
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
def _behind(data: Bytes, at: int, end: int, piece: int) -> int:
    """Where a piece that begins there ends, or -1."""
    start = at
    if piece >= _FIXED:
        return at + 1 if at < end and data[at] == piece - _FIXED else -1
    if piece == Piece.TIME:
        return _day_and_clock(data, at, end)
    if piece == Piece.CLOCK:
        at = _clock(data, at, end)
        if at >= 0 and at < end and (data[at] == 46 or data[at] == 44):
            start = at + 1
            at = start
            while at < end and at < start + 9 and _is_digit(data[at]):
                at += 1
            return at if at > start else -1
        return at
    if piece == Piece.LEVEL:
        while at < end and 65 <= data[at] <= 90:
            at += 1
    elif piece == Piece.THREAD:
        while at < end and data[at] != 93 and data[at] != 10:
            at += 1
        return at
    elif piece == Piece.LOGGER:
        while at < end and _is_word(data[at]):
            at += 1
    elif piece == Piece.BLANKS:
        while at < end and data[at] == 32:
            at += 1
    elif piece == Piece.LINE_NUMBER:
        if at < end and data[at] == 58:
            at += 1
            while at < end and _is_digit(data[at]):
                at += 1
            return at if at > start + 1 else -1
        return at
    return at if at > start else -1


@compiled
def _open(
    data: Bytes,
    offsets: npt.NDArray[np.int32],
    program: Numbers,
    closed: bool,
    slots: npt.NDArray[np.int64],
    message: npt.NDArray[np.int64],
    fits: Flags,
) -> None:
    for row in range(len(fits)):
        start, end = offsets[row], offsets[row + 1]
        at = as_long(start)
        for step in range(len(program)):
            behind = _behind(data, at, end, program[step])
            if behind < 0:
                at = -1
                break
            if program[step] <= Piece.LOGGER:
                slots[row, program[step], 0], slots[row, program[step], 1] = at - start, behind - start
            at = behind
        if at < 0:
            continue
        message[row, 0], message[row, 1], message[row, 2], message[row, 3] = at - start, end - start, 0, 0
        if closed:
            line = as_long(start)
            while line < end and data[line] != 10:
                line += 1
            stop = line
            while stop > start and (data[stop - 1] == 32 or data[stop - 1] == 9 or data[stop - 1] == 13):
                stop -= 1
            if stop - start < 4 or data[stop - 1] != 41:
                continue
            name = stop - 1
            while name > start and _is_word(data[name - 1]):
                name -= 1
            # A blank, the bracket, a name of at least one character.
            if name - start < 2 or name == stop - 1 or data[name - 1] != 40:
                continue
            blank = data[name - 2]
            if (blank != 32 and not 9 <= blank <= 13) or blank == 11:
                continue
            slots[row, Piece.LOGGER, 0], slots[row, Piece.LOGGER, 1] = name - start, stop - 1 - start
            message[row, 1], message[row, 2], message[row, 3] = name - 2 - start, line - start, end - start
        fits[row] = True


@compiled
def _copy_both(data: Bytes, starts: Integers, message: Numbers, offsets: npt.NDArray[np.int32], out: Bytes) -> None:
    for row in range(len(starts)):
        place = offsets[row]
        for at in range(message[row, 0], message[row, 1]):
            out[place] = data[starts[row] + at]
            place += 1
        for at in range(message[row, 2], message[row, 3]):
            out[place] = data[starts[row] + at]
            place += 1
