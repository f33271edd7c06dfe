"""Lines that are known to the letter: numbers and texts between fixed words, read by a small compiled program.

A line that has anything else in it (an escape, a comma in a text that a comma ends) doesn't fit, and is left to readers
that look closer.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.formats.compiled import compiled
from kafka_telemetry.formats.raw_memory import SLACK, eight_bytes_at
from kafka_telemetry.formats.text_bytes import substrings_of_rows

Octets = npt.NDArray[np.uint8]
Longs = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Number(NamedTuple):
    name: str


class Text(NamedTuple):
    """Up to the first `stop`; to the end of the line if there is none. In quotes nothing may be escaped."""

    name: str
    stop: str = '"'


class Is(NamedTuple):
    """Nothing to read: which way was taken here."""

    name: str
    value: int


class Until(NamedTuple):
    """Whatever stands before `stop`."""

    stop: str


class Maybe(NamedTuple):
    """Begins with fixed words, which tell whether it is there."""

    pieces: "Pieces"


class Either(NamedTuple):
    """The first begins with fixed words, which tell whether it is this one."""

    first: "Pieces"
    second: "Pieces"


Pieces = Sequence[str | Number | Text | Is | Until | Maybe | Either]

_WORDS, _NUMBER, _TEXT, _IS, _UNTIL, _JUMP, _END = range(7)
_LINE_END = -1
_NOWHERE = -1
_LONGEST_NUMBER = 18


class Layout:
    def __init__(self, *pieces: str | Number | Text | Is | Until | Maybe | Either) -> None:
        self.numbers: dict[str, int] = {}
        self.texts: dict[str, int] = {}
        self._words = bytearray()
        self._code: list[list[int]] = []
        self._assemble(pieces)
        self._code.append([_END, 0, 0, 0])
        self.code = np.array(self._code, np.int64)
        self.words = np.frombuffer(bytes(self._words) + bytes(SLACK), np.uint8)

    def _assemble(self, pieces: Pieces) -> None:
        for piece in pieces:
            if isinstance(piece, str):
                encoded = piece.encode()
                self._code.append([_WORDS, len(self._words), len(encoded), _NOWHERE])
                self._words += encoded
            elif isinstance(piece, Number):
                self._code.append([_NUMBER, self.numbers.setdefault(piece.name, len(self.numbers)), 0, 0])
            elif isinstance(piece, Is):
                self._code.append([_IS, self.numbers.setdefault(piece.name, len(self.numbers)), piece.value, 0])
            elif isinstance(piece, Text):
                stop = ord(piece.stop) if piece.stop else _LINE_END
                self._code.append([_TEXT, self.texts.setdefault(piece.name, len(self.texts)), stop, 0])
            elif isinstance(piece, Until):
                self._code.append([_UNTIL, 0, ord(piece.stop), 0])
            else:
                branch = len(self._code)
                self._assemble(piece.pieces if isinstance(piece, Maybe) else piece.first)
                if isinstance(piece, Either):
                    leave = len(self._code)
                    self._code.append([_JUMP, 0, 0, 0])
                    self._code[branch][3] = len(self._code)
                    self._assemble(piece.second)
                    self._code[leave][3] = len(self._code)
                else:
                    self._code[branch][3] = len(self._code)


class Lines(NamedTuple):
    """Where lines stand in a block of UTF-8."""

    block: Octets
    starts: Longs
    ends: Longs

    def some(self, rows: npt.NDArray[np.integer] | Flags) -> "Lines":
        return Lines(self.block, self.starts[rows], self.ends[rows])

    def bytes_of(self, row: int) -> bytes:
        return self.block[self.starts[row] : self.ends[row]].tobytes()

    def text_of(self, row: int) -> str:
        return self.bytes_of(row).decode()


class Fitting(NamedTuple):
    """Of the lines that fit: which they are, and what they hold."""

    rows: npt.NDArray[np.int64]
    numbers: Mapping[str, pa.Array]
    texts: Mapping[str, pa.Array]

    def some(self, wanted: Flags) -> "Fitting":
        if wanted.all():
            return self
        kept = pa.array(wanted)
        return Fitting(
            self.rows[wanted],
            {name: column.filter(kept) for name, column in self.numbers.items()},
            {name: column.filter(kept) for name, column in self.texts.items()},
        )

    def number(self, name: str) -> pa.Array:
        return self.numbers[name] if name in self.numbers else pa.nulls(len(self.rows), pa.int64())

    def text(self, name: str) -> pa.Array:
        return self.texts[name] if name in self.texts else pa.nulls(len(self.rows), pa.string())


def without(lines: Longs, some: Longs) -> Longs:
    """Both in order, and the second all among the first."""
    left = np.ones(len(lines), np.bool_)
    left[np.searchsorted(lines, some)] = False
    rest: Longs = lines[left]
    return rest


def fitting(layout: Layout, lines: Lines) -> Fitting:
    count = len(lines.starts)
    fits = np.zeros(count, np.bool_)
    numbers = np.zeros((len(layout.numbers), count), np.int64)
    told = np.zeros((len(layout.numbers), count), np.bool_)
    begins = np.zeros((len(layout.texts), count), np.int64)
    ends = np.full((len(layout.texts), count), -1, np.int64)
    if count:
        _fit(lines.block, lines.starts, lines.ends, layout.code, layout.words, numbers, told, begins, ends, fits)
    rows = np.flatnonzero(fits)
    found = {name: pa.array(numbers[n, rows], mask=~told[n, rows]) for name, n in layout.numbers.items()}
    offsets = np.array([0, len(lines.block)], np.int32)
    whole = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(offsets), pa.py_buffer(lines.block)])
    texts = {name: _texts(whole, begins[n, rows], ends[n, rows]) for name, n in layout.texts.items()}
    return Fitting(rows, found, texts)


def _texts(whole: pa.StringArray, begins: Longs, ends: Longs) -> pa.StringArray:
    if not len(begins):
        return pa.array([], pa.string())
    absent = ends < 0
    out = substrings_of_rows(whole, np.zeros(len(begins), np.int64), begins, np.where(absent, begins, ends))
    return pc.if_else(pa.array(absent), None, out) if absent.any() else out


@compiled
def _fit(
    block: Octets,
    starts: Longs,
    line_ends: Longs,
    code: Longs,
    words: Octets,
    numbers: Longs,
    told: Flags,
    begins: Longs,
    ends: Longs,
    fits: Flags,
) -> None:
    for row in range(len(starts)):
        at = starts[row]
        end = line_ends[row]
        step = 0
        while True:
            operation = code[step, 0]
            column = code[step, 1]
            value = code[step, 2]

            if operation == _WORDS:
                same = at + value <= end
                done = 0
                while same and done + 8 <= value:
                    same = eight_bytes_at(block, at + done) == eight_bytes_at(words, column + done)
                    done += 8
                while same and done < value:
                    same = block[at + done] == words[column + done]
                    done += 1
                if same:
                    at += value
                    step += 1
                elif code[step, 3] != _NOWHERE:
                    step = code[step, 3]
                else:
                    break

            elif operation == _NUMBER:
                negative = at < end and block[at] == 45
                at += 1 if negative else 0
                first = at
                number = 0
                while at < end and at - first <= _LONGEST_NUMBER and 48 <= block[at] <= 57:
                    number = number * 10 + (block[at] - 48)
                    at += 1
                if at == first or at - first > _LONGEST_NUMBER:
                    break
                numbers[column, row] = -number if negative else number
                told[column, row] = True
                step += 1

            elif operation == _TEXT:
                begins[column, row] = at
                escaped = False
                while at < end and block[at] != value and not escaped:
                    escaped = value == 34 and block[at] == 92
                    at += 1
                if escaped or (at == end and value != _LINE_END):
                    break
                ends[column, row] = at
                step += 1

            elif operation == _IS:
                numbers[column, row] = value
                told[column, row] = True
                step += 1

            elif operation == _UNTIL:
                while at < end and block[at] != value:
                    at += 1
                step += 1

            elif operation == _JUMP:
                step = code[step, 3]

            else:
                fits[row] = at == end
                break
