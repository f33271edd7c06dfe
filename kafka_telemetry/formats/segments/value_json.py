"""Decodes the value of any record by its schema into the JSON that kafka-dump-log prints as its `data`.

Group records go this way. Offset commits, which most records are, go through `commit_value_fast` into columns of their
own. This decoder understands them too; a test compares the two.
"""

import numpy as np

from kafka_telemetry.formats.compiled import Int32Array, Int64Array, UInt8Array, as_long, compiled
from kafka_telemetry.formats.raw_memory import int8_at, int16_at
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
    SchemaProgram,
)
from kafka_telemetry.formats.segments.json_text import copy_bytes, write_base64
from kafka_telemetry.formats.segments.tagged_fields import (
    OPERATION,
    begin_tagged_fields,
    end_tagged_field,
    next_tagged_field,
)
from kafka_telemetry.formats.segments.value_fields import (
    INEXACT,
    NOT_UNDERSTOOD,
    NOT_UTF8,
    OUT_OF_ROOM,
    ROOM,
    UNDERSTOOD,
    are_equal,
    length_at,
    write_integer_field,
    write_null,
    write_text_field,
    write_uuid_field,
)
from kafka_telemetry.formats.segments.varints import is_padded

_CONSUMER = np.frombuffer(b"consumer", np.uint8)
_OPEN_BRACKET, _CLOSE_BRACKET, _COMMA = 91, 93, 44

# The stack of lists, tagged fields and embedded messages that are open. A program nests no deeper than the schema.
STACK_DEPTH, STACK_WIDTH = 24, 8
# A row of the stack for a list: how many items are left.
_ITEMS_LEFT = 1
# And for an embedded message: where its JSON begins, its bytes, the end of the bytes around it, the instruction after
# it, and whether the JSON leaves its version open.
_JSON_START, _START, _STOP, _OUTER_END, _NEXT, _VERSION_LOST = range(1, 7)


@compiled
def write_value(
    program: SchemaProgram,
    first: int,
    source: UInt8Array,
    at: int,
    end: int,
    out: UInt8Array,
    to: int,
    room: int,
    stack: Int64Array,
) -> tuple[int, int, int]:
    """Returns the status, the position after what was read and the position after what was written.

    Each turn of the loop executes one instruction:
    1. Write the instruction's text.
    2. Execute the operation: read a field, or the start or end of a list, of tagged fields, of a nullable struct or
       of an embedded message.
    3. If that failed inside an embedded message, write the whole message as base64 and go on after it.
    """
    code = program.code
    pc = first
    depth = 0
    speaks_consumer_protocol = False
    exact = True
    while True:
        status = as_long(UNDERSTOOD)
        operation = code[pc, 0]
        if to + code[pc, 2] + ROOM > room:
            return as_long(OUT_OF_ROOM), as_long(at), as_long(to)
        to = copy_bytes(program.texts, code[pc, 1], code[pc, 2], out, to)
        option = code[pc, 3]

        if operation == INTEGER:
            status, at, to = write_integer_field(source, at, end, option, code[pc, 4], out, to)
            pc += 1

        elif operation in (STRING, PROTOCOL_TYPE, BYTES):
            length, start = length_at(source, at, end, option, 4 if operation == BYTES else 2)
            exact &= option == 0 or not is_padded(source, at, start)
            nullable = operation != PROTOCOL_TYPE and code[pc, 4] != 0
            status, at, to = write_text_field(source, start, length, end, operation, nullable, out, to, room)
            if status == UNDERSTOOD and operation == PROTOCOL_TYPE:
                speaks_consumer_protocol = length == 8 and are_equal(source, start, _CONSUMER, 0, 8)
            pc += 1

        elif operation == UUID:
            status, at, to = write_uuid_field(source, at, end, out, to)
            pc += 1

        elif operation == LIST:
            length, start = length_at(source, at, end, option & 1, 4)
            exact &= option & 1 == 0 or not is_padded(source, at, start)
            # Every item takes at least a byte.
            if start < 0 or length > end - start or (length < 0 and option & 2 == 0):
                status = as_long(NOT_UNDERSTOOD)
            elif length < 0:
                at = start
                to = write_null(out, to)
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
                    stack[depth, OPERATION] = LIST
                    stack[depth, _ITEMS_LEFT] = length
                    depth += 1
                    pc += 1

        elif operation == LIST_END:
            stack[depth - 1, _ITEMS_LEFT] -= 1
            if stack[depth - 1, _ITEMS_LEFT] > 0:
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
                status, at = begin_tagged_fields(source, at, end, pc, stack, depth)
                if status <= INEXACT:
                    depth += 1
            else:
                status, to = end_tagged_field(program, source, at, stack, depth - 1, to)
            exact &= status != INEXACT
            if status <= INEXACT:
                status, at, pc, is_last = next_tagged_field(program, source, at, end, stack, depth - 1, to)
                exact &= status != INEXACT
                if is_last:
                    depth -= 1

        elif operation == STRUCT:
            if at >= end:
                status = as_long(NOT_UNDERSTOOD)
            else:
                marker = int8_at(source, at)
                at += 1
                absent = marker == 0 if option != 0 else marker == -1
                if absent:
                    to = write_null(out, to)
                    pc = as_long(code[pc, 4])
                elif marker == 1:
                    pc += 1
                else:
                    status = as_long(NOT_UNDERSTOOD)

        elif operation == EMBED:
            length, start = length_at(source, at, end, option, 4)
            exact &= option == 0 or not is_padded(source, at, start)
            if start < 0 or length < 0 or start + length > end:
                status = as_long(NOT_UNDERSTOOD)
            elif to + 6 * length + ROOM > room:
                status = as_long(OUT_OF_ROOM)
            else:
                stack[depth, OPERATION] = EMBED
                stack[depth, _JSON_START] = to
                stack[depth, _START] = start
                stack[depth, _STOP] = start + length
                stack[depth, _OUTER_END] = end
                stack[depth, _NEXT] = pc + 1
                depth += 1
                at = start + 2
                end = start + length
                version = int16_at(source, start) if length >= 2 else -1
                if not speaks_consumer_protocol or version < 0:
                    status = as_long(NOT_UNDERSTOOD)
                else:
                    newest = program.embedded.shape[1] - 1
                    is_assignment = code[pc, 4]
                    # The JSON has no version: the fields imply that of a subscription, but an assignment is encoded
                    # as the newest.
                    if version > newest or (is_assignment != 0 and version < newest):
                        stack[depth - 1, _VERSION_LOST] = 1
                    else:
                        stack[depth - 1, _VERSION_LOST] = 0
                    pc = as_long(program.embedded[is_assignment, min(version, newest)])

        elif operation == EMBED_END:
            depth -= 1
            if at != end or stack[depth, _VERSION_LOST] != 0:
                exact = False
            at = end
            end = stack[depth, _OUTER_END]
            pc = stack[depth, _NEXT]

        elif operation == END:
            return as_long(UNDERSTOOD if exact else INEXACT), as_long(at), as_long(to)

        else:
            pc += 1

        if status == OUT_OF_ROOM:
            return status, as_long(at), as_long(to)
        if status > INEXACT:
            while depth > 0 and stack[depth - 1, OPERATION] != EMBED:
                depth -= 1
            if depth == 0:
                return status, as_long(at), as_long(to)
            depth -= 1
            start = stack[depth, _START]
            at = stack[depth, _STOP]
            to = write_base64(source, start, at - start, out, stack[depth, _JSON_START])
            end = stack[depth, _OUTER_END]
            pc = stack[depth, _NEXT]


@compiled
def write_fitting_value(
    program: SchemaProgram,
    layouts: Int32Array,
    source: UInt8Array,
    at: int,
    end: int,
    out: UInt8Array,
    to: int,
    room: int,
    stack: Int64Array,
) -> tuple[int, int, int]:
    """Decodes by the layout that fits exactly. If none does, a last turn uses the first that leaves bytes over."""
    best = as_long(-1)
    worst = as_long(NOT_UNDERSTOOD)
    for turn in range(layouts.shape[0] + 1):
        layout = as_long(turn if turn < layouts.shape[0] else best)
        if layout < 0 or layouts[layout] < 0:
            continue
        first = as_long(layouts[layout])
        status, read_to, wrote_to = write_value(program, first, source, at, end, out, to, room, stack)
        if status == OUT_OF_ROOM or (status <= INEXACT and (read_to == end or turn == layouts.shape[0])):
            return status, read_to, wrote_to
        if status <= INEXACT and best < 0:
            best = layout
        if status == NOT_UTF8:
            worst = status
    return worst, as_long(at), as_long(to)
