"""The tagged fields at the end of a struct of a flexible version, read in compiled code: known ones, others skipped."""

from kafka_telemetry.formats.compiled import Int64Array, UInt8Array, as_long, compiled
from kafka_telemetry.formats.segments.compiled_schema import TAGS, SchemaProgram
from kafka_telemetry.formats.segments.value_fields import INEXACT, NOT_UNDERSTOOD, UNDERSTOOD, are_equal
from kafka_telemetry.formats.segments.varints import is_padded, unsigned_varint_at

# A row of the stack: which operation pushed it, then how many tagged fields are left, the last tag, the TAGS
# instruction; and of the field that is being read: its row in `tags`, start and end, and where its JSON begins.
OPERATION = 0
_LEFT, _LAST_TAG, _INSTRUCTION, _TAG_ROW, _START, _END, _JSON_START = range(1, 8)


@compiled
def begin_tagged_fields(
    source: UInt8Array, at: int, end: int, pc: int, stack: Int64Array, depth: int
) -> tuple[int, int]:
    """Pushes a row on the stack. Returns the status and the position after the count."""
    count, start = unsigned_varint_at(source, at, end)
    if start < 0 or count > end - start:
        return as_long(NOT_UNDERSTOOD), as_long(at)
    stack[depth, OPERATION] = TAGS
    stack[depth, _LEFT] = count
    stack[depth, _LAST_TAG] = -1
    stack[depth, _INSTRUCTION] = pc
    return as_long(INEXACT if is_padded(source, at, start) else UNDERSTOOD), start


@compiled
def end_tagged_field(
    program: SchemaProgram, source: UInt8Array, at: int, stack: Int64Array, top: int, to: int
) -> tuple[int, int]:
    """Returns the status and the position after what was written, without the field if it was written as its default."""
    row = stack[top, _TAG_ROW]
    start = stack[top, _START]
    length = at - start
    if at != stack[top, _END]:
        return as_long(NOT_UNDERSTOOD), as_long(to)
    if length == program.tags[row, 3] and are_equal(source, start, program.texts, program.tags[row, 2], length):
        return as_long(INEXACT), as_long(stack[top, _JSON_START])
    return as_long(UNDERSTOOD), as_long(to)


@compiled
def next_tagged_field(
    program: SchemaProgram, source: UInt8Array, at: int, end: int, stack: Int64Array, top: int, to: int
) -> tuple[int, int, int, bool]:
    """Returns the status, the position and instruction of the next known field, and whether there is none any more.

    After the last field they are the position and the instruction that follow the tagged fields.
    """
    status = as_long(UNDERSTOOD)
    instruction = stack[top, _INSTRUCTION]
    first_row = program.code[instruction, 3]
    while stack[top, _LEFT] > 0:
        stack[top, _LEFT] -= 1
        tag, after_tag = unsigned_varint_at(source, at, end)
        size, start = unsigned_varint_at(source, after_tag, end) if after_tag >= 0 else (0, after_tag)
        if is_padded(source, at, after_tag) or is_padded(source, after_tag, start):
            status = as_long(INEXACT)
        if start < 0 or size > end - start or tag <= stack[top, _LAST_TAG]:
            return as_long(NOT_UNDERSTOOD), as_long(at), as_long(instruction), False
        stack[top, _LAST_TAG] = tag
        for row in range(first_row, first_row + program.code[instruction, 4]):
            if program.tags[row, 0] == tag:
                stack[top, _TAG_ROW] = row
                stack[top, _START] = start
                stack[top, _END] = start + size
                stack[top, _JSON_START] = to
                return status, as_long(start), as_long(program.tags[row, 1]), False
        # An unknown tag.
        status = as_long(INEXACT)
        at = start + size
    return status, as_long(at), as_long(program.code[instruction, 5]), True
