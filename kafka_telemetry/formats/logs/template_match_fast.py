"""The quick way to hold a message against many wordings: fixed words are looked for from left to right, compiled.

It finds what the patterns of the wordings would find, or says that it is not sure and leaves the message to them: where
a field would have to end later than at the first place it can, and where an id of a member does not look like one.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafka_telemetry.formats.compiled import compiled
from kafka_telemetry.formats.logs.message_template import FieldKind, Template
from kafka_telemetry.formats.text_bytes import Bytes

Numbers = npt.NDArray[np.int32]
NOT_SURE, NO_WORDING = -2, -1
_MOST_FIELDS = 12


class Program(NamedTuple):
    """Of each wording the first of its pieces; of each piece its words, and the kind of the field before them. The
    wordings that begin with a character follow one another in `wordings`."""

    character: Numbers
    wordings: Numbers
    first: Numbers
    word_at: Numbers
    word_size: Numbers
    kind: Numbers
    words: Bytes


def program(templates: Sequence[tuple[int, Template]]) -> Program:
    first, at, size, kind = [0], [0], [0], [0]
    words = b"\0"
    for _, template in templates:
        for place, (field, text) in enumerate(template.pieces):
            encoded = text.encode()
            at.append(len(words))
            size.append(len(encoded))
            kind.append(template.kind_of(field) if place else FieldKind.NONE)
            words += encoded
        first.append(len(at))
    first[0] = 1
    characters = [template.pieces[0][1].encode()[0] for _, template in templates]
    begins = np.searchsorted(np.sort(characters), np.arange(257))
    wordings = np.argsort(characters, kind="stable")
    return Program(
        character=np.array(begins, dtype=np.int32),
        wordings=np.array(wordings, dtype=np.int32),
        first=np.array(first, dtype=np.int32),
        word_at=np.array(at, dtype=np.int32),
        word_size=np.array(size, dtype=np.int32),
        kind=np.array(kind, dtype=np.int32),
        words=np.frombuffer(words, np.uint8),
    )


def run(program: Program, texts: pa.StringArray) -> tuple[Numbers, Numbers, Numbers]:
    """Of each text the wording it obeys, and where its fields begin and end."""
    texts = texts if texts.offset == 0 else pa.concat_arrays([texts])
    found = np.full(len(texts), NO_WORDING, dtype=np.int32)
    begins, ends = (np.zeros((len(texts), _MOST_FIELDS), dtype=np.int32) for _ in range(2))
    _, offsets, data = texts.buffers()
    if len(texts) and data is not None and data.size:
        _run(
            *program,
            np.frombuffer(data, np.uint8),
            np.frombuffer(offsets, np.int32, len(texts) + 1),
            found,
            begins,
            ends,
        )
    return found, begins, ends


@compiled
def _same(data: Bytes, at: int, words: Bytes, word: int, size: int) -> bool:
    for place in range(size):  # noqa: SIM110  compiled: a generator would not be
        if data[at + place] != words[word + place]:
            return False
    return True


@compiled
def _is_hex(found: int) -> bool:
    return 48 <= found <= 57 or 97 <= found <= 102 or 65 <= found <= 70


@compiled
def _is_member(data: Bytes, begin: int, end: int) -> bool:
    """Ends in a blank-less UUID behind a dash, or is one in 22 characters."""
    if end - begin == 22:
        for at in range(begin, end):
            found = data[at]
            letter = 48 <= found <= 57 or 65 <= found <= 90 or 97 <= found <= 122
            if not letter and found != 45 and found != 95:
                return False
        return True
    if end - begin < 37 or data[end - 37] != 45:
        return False
    for place in range(36):
        found = data[end - 36 + place]
        if place == 8 or place == 13 or place == 18 or place == 23:
            if found != 45:
                return False
        elif not _is_hex(found):
            return False
    return True


@compiled
def _is_kind(data: Bytes, begin: int, end: int, kind: int) -> bool:
    if kind == FieldKind.TEXT:
        return True
    if kind == FieldKind.MEMBER:
        return _is_member(data, begin, end)
    if begin == end:
        return False
    if kind == FieldKind.NUMBER:  # at most ten digits
        start = begin + 1 if data[begin] == 45 else begin
        if start == end or end - start > 10:
            return False
        for at in range(start, end):  # noqa: SIM110
            if data[at] < 48 or data[at] > 57:
                return False
        return True
    if kind == FieldKind.STATE:
        for at in range(begin, end):
            found = data[at]
            if not (65 <= found <= 90 or 97 <= found <= 122 or found == 95 or found == 45):
                return False
        return True
    return False


@compiled
def _run(
    character: Numbers,
    wordings: Numbers,
    first: Numbers,
    word_at: Numbers,
    word_size: Numbers,
    kind: Numbers,
    words: Bytes,
    data: Bytes,
    offsets: Numbers,
    found: Numbers,
    begins: Numbers,
    ends: Numbers,
) -> None:
    for row in range(len(found)):
        start, end = offsets[row], offsets[row + 1]
        if start == end:
            continue
        for place in range(character[data[start]], character[data[start] + 1]):
            wording = wordings[place]
            piece, last = first[wording], first[wording + 1] - 1
            lead, tail = word_size[piece], word_size[last]
            if end - start < lead or not _same(data, start, words, word_at[piece], lead):
                continue
            if piece == last:
                if end - start == lead:
                    found[row] = wording
                    break
                continue
            if end - start < lead + tail or not _same(data, end - tail, words, word_at[last], tail):
                continue
            at, state = start + lead, wording
            for number in range(piece + 1, last + 1):
                size = word_size[number]
                stop = at
                if number == last:
                    stop = end - tail
                else:
                    letter = words[word_at[number]]
                    while stop + size <= end and (
                        data[stop] != letter or not _same(data, stop, words, word_at[number], size)
                    ):
                        stop += 1
                # Each field ends as early as it can: words that do not follow now would not follow a longer one.
                if stop < at or stop + size > end:
                    state = NO_WORDING
                    break
                if not _is_kind(data, at, stop, kind[number]):
                    state = NOT_SURE
                    break
                begins[row, number - piece - 1], ends[row, number - piece - 1] = at - start, stop - start
                at = stop + size
            if state != NO_WORDING:
                found[row] = state
                break
