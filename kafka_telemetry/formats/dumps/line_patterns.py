"""Patterns of lines: numbers and texts between fixed words, matched against many lines by a small compiled program.

A line that has anything else in it, such as an escape or a comma inside a text that ends at a comma, doesn't match. It is
left to the readers that parse one by one.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Flags, Integers
from kafka_telemetry.formats.compiled import compiled
from kafka_telemetry.formats.dumps.text_blocks import TextSpans
from kafka_telemetry.formats.raw_memory import SLACK, eight_bytes_at
from kafka_telemetry.formats.text_bytes import Bytes, substrings_of_rows


class NumberField(NamedTuple):
    name: str


class TextField(NamedTuple):
    """A text up to the first `stop`, or to the end of the line if `stop` is empty. In quotes nothing may be escaped."""

    name: str
    stop: str = '"'


class Constant(NamedTuple):
    """Reads nothing and sets a number: it records which way of a choice a line took."""

    name: str
    value: int


class SkipTo(NamedTuple):
    """Skips what precedes `stop`."""

    stop: str


class OptionalPart(NamedTuple):
    """Begins with fixed words, by which it is recognised."""

    parts: "Parts"


class Choice(NamedTuple):
    """The first alternative begins with fixed words, by which it is recognised."""

    first: "Parts"
    second: "Parts"


Parts = Sequence[str | NumberField | TextField | Constant | SkipTo | OptionalPart | Choice]

_WORDS, _NUMBER, _TEXT, _CONSTANT, _SKIP_TO, _JUMP, _END = range(7)
_LINE_END = -1
_NO_JUMP = -1
_MOST_DIGITS = 18


class LinePattern:
    """A pattern as a program: rows of an operation, a column or position, a value, and an instruction to jump to."""

    def __init__(self, *parts: str | NumberField | TextField | Constant | SkipTo | OptionalPart | Choice) -> None:
        self.numbers: dict[str, int] = {}
        self.texts: dict[str, int] = {}
        self._words = bytearray()
        self._code: list[list[int]] = []
        self._assemble(parts)
        self._code.append([_END, 0, 0, 0])
        self.code = np.array(self._code, np.int64)
        self.words = np.frombuffer(bytes(self._words) + bytes(SLACK), np.uint8)

    def _assemble(self, parts: Parts) -> None:
        for part in parts:
            if isinstance(part, str):
                encoded = part.encode()
                self._code.append([_WORDS, len(self._words), len(encoded), _NO_JUMP])
                self._words += encoded
            elif isinstance(part, NumberField):
                self._code.append([_NUMBER, self.numbers.setdefault(part.name, len(self.numbers)), 0, 0])
            elif isinstance(part, Constant):
                self._code.append([_CONSTANT, self.numbers.setdefault(part.name, len(self.numbers)), part.value, 0])
            elif isinstance(part, TextField):
                stop = ord(part.stop) if part.stop else _LINE_END
                self._code.append([_TEXT, self.texts.setdefault(part.name, len(self.texts)), stop, 0])
            elif isinstance(part, SkipTo):
                self._code.append([_SKIP_TO, 0, ord(part.stop), 0])
            else:
                branch = len(self._code)
                self._assemble(part.parts if isinstance(part, OptionalPart) else part.first)
                if isinstance(part, Choice):
                    leave = len(self._code)
                    self._code.append([_JUMP, 0, 0, 0])
                    self._code[branch][3] = len(self._code)
                    self._assemble(part.second)
                    self._code[leave][3] = len(self._code)
                else:
                    self._code[branch][3] = len(self._code)


class MatchedLines(NamedTuple):
    """The lines that match a pattern, by their index, and the values of its fields."""

    lines: Integers
    numbers: Mapping[str, pa.Array]
    texts: Mapping[str, pa.Array]

    def select(self, mask: Flags) -> "MatchedLines":
        if mask.all():
            return self
        selected = pa.array(mask)
        return MatchedLines(
            self.lines[mask],
            {name: column.filter(selected) for name, column in self.numbers.items()},
            {name: column.filter(selected) for name, column in self.texts.items()},
        )

    def number(self, name: str) -> pa.Array:
        return self.numbers[name] if name in self.numbers else pa.nulls(len(self.lines), pa.int64())

    def text(self, name: str) -> pa.Array:
        return self.texts[name] if name in self.texts else pa.nulls(len(self.lines), pa.string())


def exclude(lines: Integers, excluded: Integers) -> Integers:
    """Returns the other lines. Both arrays are sorted, and all excluded lines are among the lines."""
    is_left = np.ones(len(lines), np.bool_)
    is_left[np.searchsorted(lines, excluded)] = False
    left: Integers = lines[is_left]
    return left


def match_lines(pattern: LinePattern, lines: TextSpans) -> MatchedLines:
    count = len(lines.starts)
    matches = np.zeros(count, np.bool_)
    numbers = np.zeros((len(pattern.numbers), count), np.int64)
    is_set = np.zeros((len(pattern.numbers), count), np.bool_)
    begins = np.zeros((len(pattern.texts), count), np.int64)
    ends = np.full((len(pattern.texts), count), -1, np.int64)
    if count:
        code, words = pattern.code, pattern.words
        _match(lines.data, lines.starts, lines.ends, code, words, numbers, is_set, begins, ends, matches)
    rows = np.flatnonzero(matches)
    number_columns = {name: pa.array(numbers[n, rows], mask=~is_set[n, rows]) for name, n in pattern.numbers.items()}
    offsets = np.array([0, len(lines.data)], np.int32)
    whole = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(offsets), pa.py_buffer(lines.data)])
    text_columns = {name: _texts(whole, begins[n, rows], ends[n, rows]) for name, n in pattern.texts.items()}
    return MatchedLines(rows, number_columns, text_columns)


def _texts(whole: pa.StringArray, begins: Integers, ends: Integers) -> pa.StringArray:
    if not len(begins):
        return pa.array([], pa.string())
    absent = ends < 0
    out = substrings_of_rows(whole, np.zeros(len(begins), np.int64), begins, np.where(absent, begins, ends))
    return pc.if_else(pa.array(absent), None, out) if absent.any() else out


@compiled
def _match(
    data: Bytes,
    starts: Integers,
    line_ends: Integers,
    code: Integers,
    words: Bytes,
    numbers: Integers,
    is_set: Flags,
    begins: Integers,
    ends: Integers,
    matches: Flags,
) -> None:
    """Executes the program on each line, one instruction a turn, until it ends or something doesn't match.

    Only fixed words that begin an alternative or an optional part may fail: they jump. A line matches if the program
    ends where the line does.
    """
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
                    same = eight_bytes_at(data, at + done) == eight_bytes_at(words, column + done)
                    done += 8
                while same and done < value:
                    same = data[at + done] == words[column + done]
                    done += 1
                if same:
                    at += value
                    step += 1
                elif code[step, 3] != _NO_JUMP:
                    step = code[step, 3]
                else:
                    break

            elif operation == _NUMBER:
                negative = at < end and data[at] == 45
                at += 1 if negative else 0
                first = at
                number = 0
                while at < end and at - first <= _MOST_DIGITS and 48 <= data[at] <= 57:
                    number = number * 10 + (data[at] - 48)
                    at += 1
                if at == first or at - first > _MOST_DIGITS:
                    break
                numbers[column, row] = -number if negative else number
                is_set[column, row] = True
                step += 1

            elif operation == _TEXT:
                begins[column, row] = at
                escaped = False
                while at < end and data[at] != value and not escaped:
                    escaped = value == 34 and data[at] == 92
                    at += 1
                if escaped or (at == end and value != _LINE_END):
                    break
                ends[column, row] = at
                step += 1

            elif operation == _CONSTANT:
                numbers[column, row] = value
                is_set[column, row] = True
                step += 1

            elif operation == _SKIP_TO:
                while at < end and data[at] != value:
                    at += 1
                step += 1

            elif operation == _JUMP:
                step = code[step, 3]

            else:
                matches[row] = at == end
                break
