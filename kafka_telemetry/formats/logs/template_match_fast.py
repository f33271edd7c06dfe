"""Matches messages against many templates at once, in compiled code. The readable twin is `template_match`.

It applies to templates whose `can_match_fast` is True. It finds what their patterns find, or returns NOT_SURE and leaves
the message to the patterns: if a field rejects a value but might accept a longer one, and if a member id does not look
like one that a coordinator generated.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafka_telemetry.formats.compiled import compiled
from kafka_telemetry.formats.logs.message_template import FieldKind, MessageTemplate
from kafka_telemetry.formats.text_bytes import Bytes

Int32s = npt.NDArray[np.int32]
NOT_SURE, NO_MATCH = -2, -1
_MAX_FIELDS = 12


class CompiledTemplates(NamedTuple):
    """Templates as arrays. Each template is a run of pieces; a piece is a field and the fixed text that follows it.

    The first piece of a template has no field: it holds the leading text.
    """

    first_of_character: Int32s
    """For each first byte of a message the start of its templates in `by_character`."""
    by_character: Int32s
    """Numbers of the templates, ordered by the first byte of their leading text."""
    first_piece: Int32s
    text_start: Int32s
    text_size: Int32s
    field_kind: Int32s
    text: Bytes


class FastMatches(NamedTuple):
    template: Int32s
    """The number of each message's template, NO_MATCH or NOT_SURE."""
    begins: Int32s
    """Where the fields begin, in bytes from the start of the message: a row per message, a column per field."""
    ends: Int32s


def compile_templates(templates: Sequence[MessageTemplate]) -> CompiledTemplates:
    first_piece, text_start, text_size, field_kind = [0], list[int](), list[int](), list[int]()
    text = b""
    for template in templates:
        for number, (field, following) in enumerate(template.fields_with_text):
            encoded = following.encode()
            text_start.append(len(text))
            text_size.append(len(encoded))
            field_kind.append(template.field_kind(field) if number else FieldKind.NONE)
            text += encoded
        first_piece.append(len(text_start))
    characters = [template.leading_text.encode()[0] for template in templates]
    return CompiledTemplates(
        first_of_character=np.searchsorted(np.sort(characters), np.arange(257)).astype(np.int32),
        by_character=np.argsort(characters, kind="stable").astype(np.int32),
        first_piece=np.array(first_piece, dtype=np.int32),
        text_start=np.array(text_start, dtype=np.int32),
        text_size=np.array(text_size, dtype=np.int32),
        field_kind=np.array(field_kind, dtype=np.int32),
        text=np.array(list(text), dtype=np.uint8),
    )


def match_fast(templates: CompiledTemplates, messages: pa.StringArray) -> FastMatches:
    messages = messages if messages.offset == 0 else pa.concat_arrays([messages])
    out = FastMatches(
        np.full(len(messages), NO_MATCH, dtype=np.int32),
        np.zeros((len(messages), _MAX_FIELDS), dtype=np.int32),
        np.zeros((len(messages), _MAX_FIELDS), dtype=np.int32),
    )
    _, offsets, data = messages.buffers()
    if len(messages) and data is not None and data.size:
        _match(*templates, np.frombuffer(data, np.uint8), np.frombuffer(offsets, np.int32, len(messages) + 1), *out)
    return out


@compiled
def _is_same(data: Bytes, at: int, text: Bytes, start: int, size: int) -> bool:
    for place in range(size):  # noqa: SIM110  compiled: a generator would not be
        if data[at + place] != text[start + place]:
            return False
    return True


@compiled
def _is_hex(found: int) -> bool:
    return 48 <= found <= 57 or 97 <= found <= 102 or 65 <= found <= 70


@compiled
def _is_member(data: Bytes, begin: int, end: int) -> bool:
    """Ends in a dash and a UUID, or is a UUID in 22 characters."""
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
def _is_of_kind(data: Bytes, begin: int, end: int, kind: int) -> bool:
    if kind == FieldKind.TEXT:
        return True
    if kind == FieldKind.MEMBER:
        return _is_member(data, begin, end)
    if kind == FieldKind.NO_COMMA:
        for at in range(begin, end):  # noqa: SIM110
            if data[at] == 44:
                return False
        return True
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
def _match(
    first_of_character: Int32s,
    by_character: Int32s,
    first_piece: Int32s,
    text_start: Int32s,
    text_size: Int32s,
    field_kind: Int32s,
    text: Bytes,
    data: Bytes,
    offsets: Int32s,
    matched: Int32s,
    begins: Int32s,
    ends: Int32s,
) -> None:
    """For each message, for each template that begins with its first byte:

    1. compare the leading text, then the trailing text;
    2. for each field, search the text that follows it, from left to right;
    3. check the value against the kind of the field, and note where it begins and ends.

    The first template that gets through is the message's own.
    """
    for row in range(len(matched)):
        start, end = offsets[row], offsets[row + 1]
        if start == end:
            continue
        for place in range(first_of_character[data[start]], first_of_character[data[start] + 1]):
            template = by_character[place]
            first, last = first_piece[template], first_piece[template + 1] - 1
            leading, trailing = text_size[first], text_size[last]
            if end - start < leading or not _is_same(data, start, text, text_start[first], leading):
                continue
            if first == last:
                if end - start == leading:
                    matched[row] = template
                    break
                continue
            if end - start < leading + trailing or not _is_same(data, end - trailing, text, text_start[last], trailing):
                continue
            at, result = start + leading, template
            for piece in range(first + 1, last + 1):
                size = text_size[piece]
                stop = at
                if piece == last:
                    stop = end - trailing
                else:
                    character = text[text_start[piece]]
                    while stop + size <= end and (
                        data[stop] != character or not _is_same(data, stop, text, text_start[piece], size)
                    ):
                        stop += 1
                # Each field ends as early as it can: text that does not follow now would not follow a longer value.
                if stop < at or stop + size > end:
                    result = NO_MATCH
                    break
                if not _is_of_kind(data, at, stop, field_kind[piece]):
                    result = NOT_SURE
                    break
                begins[row, piece - first - 1], ends[row, piece - first - 1] = at - start, stop - start
                at = stop + size
            if result != NO_MATCH:
                matched[row] = result
                break
