"""The value of a group record -> the JSON that kafka-dump-log prints as its `data`, by the program of the schema."""

from typing import Any

import numpy as np
import numpy.typing as npt

from kafka_telemetry.formats.compiled import as_long, compiled
from kafka_telemetry.formats.raw_memory import int8_at, int16_at, int32_at, int64_at
from kafka_telemetry.formats.segments.compiled_schema import (
    BYTES,
    EMBED,
    EMBED_END,
    END,
    INTEGER,
    LIST,
    LIST_END,
    PROTOCOL_TYPE,
    STRING,
    STRUCT,
    TAG_END,
    TAGS,
    UUID,
    Numbers,
    Octets,
)
from kafka_telemetry.formats.segments.json_text import (
    is_utf8,
    write_base64,
    write_copy,
    write_integer,
    write_string,
    write_uuid,
)
from kafka_telemetry.formats.segments.varints import is_padded, unsigned_varint_at

Longs = npt.NDArray[Any]

UNDERSTOOD = 0
# Understood, but the JSON doesn't give the bytes back: unknown tags, an unusual version inside, defaults written out.
INEXACT = 1
OUT_OF_ROOM = 2
NOT_UNDERSTOOD = 3
NOT_UTF8 = 4

_NULL = np.frombuffer(b"null", np.uint8)
_CONSUMER = np.frombuffer(b"consumer", np.uint8)
_OPEN_BRACKET, _CLOSE_BRACKET, _COMMA = 91, 93, 44
# A program nests no deeper than the schema does.
DEPTH, FRAME = 24, 8
# What an instruction may print beside its text and its string or bytes: a number, quotes, null, a uuid.
_ROOM = 32


@compiled
def _length_at(source: Octets, at: int, end: int, compact: int, bytes_wide: int) -> tuple[int, int]:
    """A length or count, -1 for null, and the place after it; a place of -1 where that can't be."""
    if compact != 0:
        value, at = unsigned_varint_at(source, at, end)
        return value - 1, at
    if at + bytes_wide > end:
        return as_long(-1), as_long(-1)
    length = int16_at(source, at) if bytes_wide == 2 else int32_at(source, at)
    if length < -1:
        return as_long(-1), as_long(-1)
    return length, as_long(at + bytes_wide)


@compiled
def _same(one: Octets, at: int, other: Octets, start: int, length: int) -> bool:
    for i in range(length):  # noqa: SIM110, a generator can't be compiled
        if one[at + i] != other[start + i]:
            return False
    return True


@compiled
def write_value(
    code: Numbers,
    tags: Numbers,
    texts: Octets,
    embedded: Numbers,
    first: int,
    source: Octets,
    at: int,
    end: int,
    out: Octets,
    to: int,
    room: int,
    frames: Longs,
) -> tuple[int, int, int]:
    """Status, the place after what was read, the place after what was written."""
    pc = first
    depth = 0
    speaks_consumer_protocol = False
    exact = True
    while True:
        failed = 0
        operation = code[pc, 0]
        if to + code[pc, 2] + _ROOM > room:
            return OUT_OF_ROOM, at, to
        to = write_copy(texts, code[pc, 1], code[pc, 2], out, to)
        option = code[pc, 3]

        if operation == INTEGER:
            if at + option > end:
                failed = NOT_UNDERSTOOD
            else:
                if option == 4:
                    value = int32_at(source, at)
                elif option == 8:
                    value = int64_at(source, at)
                elif option == 2:
                    value = int16_at(source, at)
                    if code[pc, 4] != 0:
                        value &= 0xFFFF
                else:
                    value = int8_at(source, at)
                at += option
                to = write_integer(value, out, to)
                pc += 1

        elif operation in (STRING, PROTOCOL_TYPE, BYTES):
            length, start = _length_at(source, at, end, option, 4 if operation == BYTES else 2)
            nullable = operation != PROTOCOL_TYPE and code[pc, 4] != 0
            exact &= option == 0 or not is_padded(source, at, start)
            if start < 0 or start + length > end or (length < 0 and not nullable):
                failed = NOT_UNDERSTOOD
            elif length < 0:
                at = start
                to = write_copy(_NULL, 0, 4, out, to)
                pc += 1
            elif to + 6 * length + _ROOM > room:
                return OUT_OF_ROOM, at, to
            elif operation == BYTES:
                at = start + length
                to = write_base64(source, start, length, out, to)
                pc += 1
            elif not is_utf8(source, start, start + length):
                failed = NOT_UTF8
            else:
                if operation == PROTOCOL_TYPE:
                    speaks_consumer_protocol = length == 8 and _same(source, start, _CONSUMER, 0, 8)
                at = start + length
                to = write_string(source, start, length, out, to)
                pc += 1

        elif operation == UUID:
            if at + 16 > end:
                failed = NOT_UNDERSTOOD
            else:
                out[to] = 34
                to = write_uuid(source, at, out, to + 1)
                out[to] = 34
                to += 1
                at += 16
                pc += 1

        elif operation == LIST:
            length, start = _length_at(source, at, end, option & 1, 4)
            exact &= option & 1 == 0 or not is_padded(source, at, start)
            # Every item takes at least a byte.
            if start < 0 or length > end - start or (length < 0 and option & 2 == 0):
                failed = NOT_UNDERSTOOD
            elif length < 0:
                at = start
                to = write_copy(_NULL, 0, 4, out, to)
                pc = as_long(code[pc, 4])
            else:
                at = start
                out[to] = _OPEN_BRACKET
                to += 1
                if length == 0:
                    out[to] = _CLOSE_BRACKET
                    to += 1
                    pc = as_long(code[pc, 4])
                else:
                    frames[depth, 0] = LIST
                    frames[depth, 1] = length
                    depth += 1
                    pc += 1

        elif operation == LIST_END:
            frames[depth - 1, 1] -= 1
            if frames[depth - 1, 1] > 0:
                out[to] = _COMMA
                to += 1
                pc = as_long(code[pc, 4])
            else:
                out[to] = _CLOSE_BRACKET
                to += 1
                depth -= 1
                pc += 1

        elif operation in (TAGS, TAG_END):
            if operation == TAGS:
                count, start = unsigned_varint_at(source, at, end)
                exact &= not is_padded(source, at, start)
                if start < 0 or count > end - start:
                    failed = NOT_UNDERSTOOD
                else:
                    at = start
                    frames[depth, 0] = TAGS
                    frames[depth, 1] = count
                    frames[depth, 2] = -1
                    frames[depth, 3] = pc
                    depth += 1
            else:
                row = frames[depth - 1, 4]
                length = at - frames[depth - 1, 5]
                if at != frames[depth - 1, 6]:
                    failed = NOT_UNDERSTOOD
                elif length == tags[row, 3] and _same(source, frames[depth - 1, 5], texts, tags[row, 2], length):
                    to = frames[depth - 1, 7]
                    exact = False
            if failed == 0:
                frame = depth - 1
                section = frames[frame, 3]
                entered = False
                while frames[frame, 1] > 0 and not entered and failed == 0:
                    frames[frame, 1] -= 1
                    tag, after_tag = unsigned_varint_at(source, at, end)
                    size, start = unsigned_varint_at(source, after_tag, end) if after_tag >= 0 else (0, after_tag)
                    exact &= not (is_padded(source, at, after_tag) or is_padded(source, after_tag, start))
                    if start < 0 or size > end - start or tag <= frames[frame, 2]:
                        failed = NOT_UNDERSTOOD
                    else:
                        frames[frame, 2] = tag
                        at = start + size
                        for row in range(code[section, 3], code[section, 3] + code[section, 4]):
                            if tags[row, 0] == tag:
                                entered = True
                                at = start
                                frames[frame, 4] = row
                                frames[frame, 5] = start
                                frames[frame, 6] = start + size
                                frames[frame, 7] = to
                                pc = as_long(tags[row, 1])
                        if not entered:
                            exact = False
                if failed == 0 and not entered:
                    pc = as_long(code[section, 5])
                    depth -= 1

        elif operation == STRUCT:
            if at >= end:
                failed = NOT_UNDERSTOOD
            else:
                marker = int8_at(source, at)
                at += 1
                absent = marker == 0 if option != 0 else marker == -1
                if absent:
                    to = write_copy(_NULL, 0, 4, out, to)
                    pc = as_long(code[pc, 4])
                elif marker == 1:
                    pc += 1
                else:
                    failed = NOT_UNDERSTOOD

        elif operation == EMBED:
            length, start = _length_at(source, at, end, option, 4)
            exact &= option == 0 or not is_padded(source, at, start)
            if start < 0 or length < 0 or start + length > end:
                failed = NOT_UNDERSTOOD
            elif to + 6 * length + _ROOM > room:
                return OUT_OF_ROOM, at, to
            else:
                frames[depth, 0] = EMBED
                frames[depth, 1] = to
                frames[depth, 2] = start
                frames[depth, 3] = start + length
                frames[depth, 4] = end
                frames[depth, 5] = pc + 1
                depth += 1
                at = start + 2
                end = start + length
                version = int16_at(source, start) if length >= 2 else -1
                if not speaks_consumer_protocol or version < 0:
                    failed = NOT_UNDERSTOOD
                else:
                    newest = embedded.shape[1] - 1
                    is_assignment = code[pc, 4]
                    # The JSON has no version: fields tell a subscription's, an assignment's is taken for the newest.
                    if version > newest or (is_assignment != 0 and version < newest):
                        frames[depth - 1, 6] = 1
                    else:
                        frames[depth - 1, 6] = 0
                    pc = as_long(embedded[is_assignment, min(version, newest)])

        elif operation == EMBED_END:
            depth -= 1
            if at != end or frames[depth, 6] != 0:
                exact = False
            at = end
            end = frames[depth, 4]
            pc = frames[depth, 5]

        elif operation == END:
            return UNDERSTOOD if exact else INEXACT, at, to

        else:
            pc += 1

        if failed != 0:
            # What doesn't parse inside stays as its bytes.
            while depth > 0 and frames[depth - 1, 0] != EMBED:
                depth -= 1
            if depth == 0:
                return failed, at, to
            depth -= 1
            start = frames[depth, 2]
            at = frames[depth, 3]
            to = write_base64(source, start, at - start, out, frames[depth, 1])
            end = frames[depth, 4]
            pc = frames[depth, 5]


@compiled
def write_fitting_value(
    code: Numbers,
    tags: Numbers,
    texts: Octets,
    embedded: Numbers,
    layouts: Numbers,
    source: Octets,
    at: int,
    end: int,
    out: Octets,
    to: int,
    room: int,
    frames: Longs,
) -> tuple[int, int, int]:
    """By the layout that fits exactly; else, in a last turn, by the first that leaves bytes over."""
    best = as_long(-1)
    worst = as_long(NOT_UNDERSTOOD)
    for turn in range(layouts.shape[0] + 1):
        layout = as_long(turn if turn < layouts.shape[0] else best)
        if layout < 0 or layouts[layout] < 0:
            continue
        first = as_long(layouts[layout])
        status, read_to, wrote_to = write_value(
            code, tags, texts, embedded, first, source, at, end, out, to, room, frames
        )
        if status == OUT_OF_ROOM or (status <= INEXACT and (read_to == end or turn == layouts.shape[0])):
            return status, read_to, wrote_to
        if status <= INEXACT and best < 0:
            best = layout
        if status == NOT_UTF8:
            worst = status
    return worst, as_long(at), as_long(to)
