"""Decodes the records of scanned batches into columns, in one compiled pass."""

from kafka_telemetry.formats.compiled import Int64Array, UInt8Array, as_long, compiled, inlined
from kafka_telemetry.formats.integer_ranges import LARGEST_INT64
from kafka_telemetry.formats.raw_memory import int64_at
from kafka_telemetry.formats.segments.batch_scan import (
    BATCH_AT,
    LAST_INNER_OFFSET,
    NOWHERE,
    PROBLEM,
    RECORD_COUNT,
    SOURCE,
    START,
)
from kafka_telemetry.formats.segments.compiled_schema import SchemaProgram
from kafka_telemetry.formats.segments.record_columns import DAMAGED_KIND, KINDS, NO_COLUMN, ColumnArrays
from kafka_telemetry.formats.segments.record_decoding import decode_record
from kafka_telemetry.formats.segments.record_frames import read_batch_header, read_message_frame, read_record_frame
from kafka_telemetry.formats.segments.row_writer import full_column, write_damaged_batch, write_offset, write_row

# State between calls: which batch and record comes next and where that record begins, the position of the window in the
# file, the offset that follows if none is missing (-1 before the first record), how many holes and missing offsets there
# were, the string column that was full when rows ended, and the number of rows by kind.
NEXT_BATCH, NEXT_RECORD, NEXT_RECORD_AT, WINDOW_AT, NEXT_OFFSET, HOLES, MISSING_OFFSETS, FULL_COLUMN = range(8)
KIND_COUNTS = 8
ROW_STATE_SIZE = KIND_COUNTS + KINDS


@inlined
def _count_hole(state: Int64Array, expected: int, offset: int) -> None:
    state[HOLES] += 1
    # Damaged offsets may add up to more than a number holds.
    state[MISSING_OFFSETS] += min(offset - expected, LARGEST_INT64 - state[MISSING_OFFSETS])


@inlined
def _pause(state: Int64Array, record: int, at_record: int, expected: int, full: int) -> None:
    state[NEXT_RECORD] = record
    state[NEXT_RECORD_AT] = at_record
    state[NEXT_OFFSET] = expected
    state[FULL_COLUMN] = full


@compiled
def decode_batches(
    file: UInt8Array,
    decompressed: UInt8Array,
    batches: Int64Array,
    state: Int64Array,
    program: SchemaProgram,
    columns: ColumnArrays,
    stack: Int64Array,
) -> int:
    """Writes rows until the batches end or the columns are full, and returns their number. The next call continues.

    1. A damaged batch becomes one row.
    2. Of every other batch: read the header, then for each record
       a. find its key and value,
       b. decode them,
       c. pause if a string column lacks room; FULL_COLUMN is that column, or NO_COLUMN if the rows ran out,
       d. write the row and count missing offsets before it.
    3. Count the offsets that are missing at the end of the batch.
    """
    most = columns.int64s.shape[1]
    row = 0
    state[FULL_COLUMN] = NO_COLUMN
    expected = state[NEXT_OFFSET]
    for batch in range(state[NEXT_BATCH], batches.shape[0]):
        state[NEXT_BATCH] = batch
        at = batches[batch, BATCH_AT]
        position = state[WINDOW_AT] + at

        if batches[batch, PROBLEM] != 0:
            if row == most:
                state[NEXT_OFFSET] = expected
                return row
            write_damaged_batch(columns, row, position, batches[batch, PROBLEM])
            if batches[batch, START] != NOWHERE:
                write_offset(columns, row, int64_at(file, at))
            state[KIND_COUNTS + DAMAGED_KIND] += 1
            row += 1
            continue

        header = read_batch_header(file, at)
        source = decompressed if batches[batch, SOURCE] != 0 else file
        offset_shift = as_long(0)
        if batches[batch, SOURCE] != 0 and header.magic == 1:
            # Inner offsets are relative, and the outer one is that of the last message.
            offset_shift = header.base_offset - batches[batch, LAST_INNER_OFFSET]
        first = state[NEXT_RECORD]
        state[NEXT_RECORD] = 0
        at_record = batches[batch, START] if first == 0 else state[NEXT_RECORD_AT]

        for number in range(first, batches[batch, RECORD_COUNT]):
            if row == most:
                _pause(state, number, at_record, expected, NO_COLUMN)
                return row
            if header.magic == 2:
                frame = read_record_frame(source, at_record, header)
            else:
                frame = read_message_frame(source, at_record, header, offset_shift)
            record = decode_record(source, frame, header.attributes, program, columns, stack)
            full = full_column(columns, record, frame)
            if full != NO_COLUMN:
                _pause(state, number, at_record, expected, full)
                return row
            write_row(columns, row, position, header, source, frame, record)

            state[KIND_COUNTS + record.kind] += 1
            if frame.offset > expected >= 0:
                _count_hole(state, expected, frame.offset)
            expected = frame.offset + 1
            row += 1
            at_record = frame.end

        if header.last_offset >= expected:
            if expected >= 0:
                _count_hole(state, expected, header.last_offset + 1)
            expected = header.last_offset + 1
    state[NEXT_BATCH] = batches.shape[0]
    state[NEXT_OFFSET] = expected
    return row
