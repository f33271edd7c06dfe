"""Decodes the key and value of one record in compiled code: what kind of record it is, or why it isn't understood."""

from typing import NamedTuple

from kafka_telemetry.formats import problems
from kafka_telemetry.formats.compiled import Int64Array, UInt8Array, as_long, inlined
from kafka_telemetry.formats.raw_memory import int16_at
from kafka_telemetry.formats.segments.batch_layout import CONTROL
from kafka_telemetry.formats.segments.commit_value_fast import CommitValue, read_commit
from kafka_telemetry.formats.segments.compiled_schema import SchemaProgram
from kafka_telemetry.formats.segments.record_columns import (
    COMMIT_KIND,
    FILLED,
    GROUP_KIND,
    LIMIT,
    MARKER_KIND,
    UNKNOWN_KIND,
    VALUE_JSON,
    ColumnArrays,
)
from kafka_telemetry.formats.segments.record_frames import RecordFrame
from kafka_telemetry.formats.segments.record_key import LAST_OFFSET_TYPE, RecordKey, read_key, unreadable_key
from kafka_telemetry.formats.segments.value_fields import INEXACT, NOT_UTF8, OUT_OF_ROOM
from kafka_telemetry.formats.segments.value_json import write_fitting_value
from kafka_telemetry.formats.time_range import EARLIEST_TIME, LATEST_TIME

# No broker writes a larger value, and its JSON may be twenty times as long.
LARGEST_VALUE = 1 << 23


class DecodedRecord(NamedTuple):
    kind: int
    problem: int
    key: RecordKey
    # Of an offset commit that is no tombstone.
    commit: CommitValue
    # Version of the value, -1 for none.
    version: int
    # Position in the text buffer after the JSON of a group record's value.
    json_end: int
    # Whether the row contains the bytes of key and value, because the other columns don't give them back.
    has_bytes: bool
    # Whether the JSON didn't fit into its column: nothing else of the record is valid then.
    out_of_room: bool


@inlined
def _no_commit(problem: int) -> CommitValue:
    none = as_long(-1)
    return CommitValue(as_long(problem), none, none, none, none, none, True)


@inlined
def decode_record(
    source: UInt8Array,
    frame: RecordFrame,
    attributes: int,
    program: SchemaProgram,
    columns: ColumnArrays,
    stack: Int64Array,
) -> DecodedRecord:
    """Writes the JSON of a group record's value into its column, but doesn't add it to a row yet.

    1. A control record is a marker: only the type in its key is read.
    2. Read the key, and the version of the value.
    3. Decode the value: of an offset commit into positions and numbers, of a group record into JSON.
    4. Reject the record if its time or its offset is invalid.
    """
    kind = as_long(UNKNOWN_KIND)
    problem = as_long(problems.NONE)
    commit = _no_commit(problems.NONE)
    version = as_long(-1)
    json_end = as_long(0)
    is_exact = True
    out_of_room = False
    if attributes & CONTROL != 0:
        key = unreadable_key(problems.NONE)
        if frame.key_length >= 4 and 0 <= int16_at(source, frame.key + 2) <= 1:
            kind = as_long(MARKER_KIND)
        else:
            problem = as_long(problems.CONTROL_TYPE)
    else:
        is_tombstone = frame.value_length < 0
        value_end = frame.value + max(frame.value_length, 0)
        key = read_key(source, frame.key, frame.key_length)
        problem = key.problem
        if problem == problems.NONE and not is_tombstone:
            if frame.value_length < 2:
                problem = as_long(problems.VALUE)
            else:
                version = int16_at(source, frame.value)
                if version < 0 or version >= program.values.shape[1] or program.values[key.key_type, version, 0] < 0:
                    problem = as_long(problems.VALUE_VERSION)
        if problem == problems.NONE:
            kind = as_long(COMMIT_KIND if key.key_type <= LAST_OFFSET_TYPE else GROUP_KIND)
            if not is_tombstone and kind == COMMIT_KIND:
                commit = read_commit(source, frame.value, value_end, version)
                problem = commit.problem
                is_exact = commit.is_exact
            elif frame.value_length > LARGEST_VALUE:
                problem = as_long(problems.VALUE_TOO_LARGE)
            elif not is_tombstone:
                status, read_to, json_end = write_fitting_value(
                    program,
                    program.values[key.key_type, version],
                    source,
                    frame.value + 2,
                    value_end,
                    columns.text,
                    columns.regions[VALUE_JSON, FILLED],
                    columns.regions[VALUE_JSON, LIMIT],
                    stack,
                )
                is_exact = status != INEXACT
                out_of_room = status == OUT_OF_ROOM
                if status > INEXACT and not out_of_room:
                    problem = as_long(problems.VALUE_UTF8 if status == NOT_UTF8 else problems.VALUE)
                elif read_to != value_end and not out_of_room:
                    problem = as_long(problems.TRAILING_BYTES)
            if problem == problems.NONE and key.end != frame.key + frame.key_length:
                problem = as_long(problems.TRAILING_BYTES)
            if problem != problems.NONE and problem != problems.TRAILING_BYTES:
                kind = as_long(UNKNOWN_KIND)
    if frame.offset < 0:
        kind = as_long(UNKNOWN_KIND)
        problem = as_long(problems.OFFSET)
    if frame.timestamp < EARLIEST_TIME or frame.timestamp > LATEST_TIME:
        kind = as_long(UNKNOWN_KIND)
        problem = as_long(problems.TIME)
    has_bytes = (kind in (COMMIT_KIND, GROUP_KIND) and not is_exact) or problem != problems.NONE
    return DecodedRecord(kind, problem, key, commit, version, json_end, has_bytes, out_of_room)
