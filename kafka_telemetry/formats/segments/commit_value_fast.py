"""Decodes the value of an offset commit, of all versions, by hand into positions and numbers.

Most records are offset commits, so key types 0 and 1 are decoded here. All other key types are decoded by the schema, in
`value_json`. Both understand the same bytes.
"""

from typing import NamedTuple

from kafka_telemetry.formats.compiled import UInt8Array, as_long, compiled, inlined
from kafka_telemetry.formats.problems import NONE, TIME, TRAILING_BYTES, VALUE, VALUE_UTF8
from kafka_telemetry.formats.raw_memory import int16_at, int64_at
from kafka_telemetry.formats.segments.json_text import is_utf8
from kafka_telemetry.formats.segments.varints import is_padded, unsigned_varint_at
from kafka_telemetry.formats.time_range import EARLIEST_TIME, LATEST_TIME

# Positions in a value. The leader epoch exists from version 3 on.
COMMITTED_OFFSET_AT, COMMIT_EPOCH_AT = 2, 10
FIRST_WITH_LEADER_EPOCH = 3
_WITH_EXPIRY, _FLEXIBLE = 1, 4
_UUID_SIZE = 16


class CommitValue(NamedTuple):
    """The offset and the leader epoch are not in it: their positions are fixed."""

    problem: int
    # Position and length.
    metadata: int
    metadata_length: int
    # -1 for none.
    commit_time: int
    expiry_time: int
    # Position, or -1.
    topic_id: int
    # Whether encoding the fields gives the same bytes.
    is_exact: bool


@inlined
def read_commit(source: UInt8Array, at: int, end: int, version: int) -> CommitValue:
    problem = as_long(NONE)
    exact = True
    metadata = as_long(-1)
    length = as_long(-1)
    commit_time = as_long(-1)
    expiry_time = as_long(-1)
    topic_id = as_long(-1)
    field = at + (COMMIT_EPOCH_AT + 4 if version >= FIRST_WITH_LEADER_EPOCH else COMMIT_EPOCH_AT)
    # The least size of what follows the metadata.
    rest = 16 if version == _WITH_EXPIRY else 9 if version == _FLEXIBLE else 8
    if version == _FLEXIBLE and field < end:
        length, metadata = unsigned_varint_at(source, field, end)
        length -= 1
        exact = not is_padded(source, field, metadata)
    elif field + 2 <= end:
        length = int16_at(source, field)
        metadata = field + 2
    if metadata < 0 or length < 0 or length + rest > end - metadata:
        problem = as_long(VALUE)
    elif not is_utf8(source, metadata, metadata + length):
        problem = as_long(VALUE_UTF8)
    else:
        field = metadata + length
        commit_time = int64_at(source, field)
        field += 8
        if version == _WITH_EXPIRY:
            expiry_time = int64_at(source, field)
            field += 8
        elif version == _FLEXIBLE:
            field, topic_id, only_topic_id = _read_tags(source, field, end)
            exact = exact and only_topic_id
        if field < 0:
            problem = as_long(VALUE)
        elif (
            commit_time < EARLIEST_TIME
            or commit_time > LATEST_TIME
            or expiry_time < EARLIEST_TIME
            or expiry_time > LATEST_TIME
        ):
            problem = as_long(TIME)
        elif field != end:
            problem = as_long(TRAILING_BYTES)
    return CommitValue(problem, metadata, length, commit_time, expiry_time, topic_id, exact)


@compiled
def _read_tags(source: UInt8Array, at: int, end: int) -> tuple[int, int, bool]:
    """Returns the position after the tags (-1 if they are invalid), that of the topic id (or -1), and whether the tags
    contain nothing else.
    """
    topic_id = as_long(-1)
    last_tag = as_long(-1)
    count, field = unsigned_varint_at(source, at, end)
    exact = not is_padded(source, at, field)
    if field < 0:
        return field, topic_id, exact
    for _ in range(count):
        tag, size_at = unsigned_varint_at(source, field, end)
        if size_at < 0:
            return as_long(-1), topic_id, exact
        size, payload = unsigned_varint_at(source, size_at, end)
        if payload < 0 or size > end - payload or tag <= last_tag or (tag == 0 and size != _UUID_SIZE):
            return as_long(-1), topic_id, exact
        exact = exact and not (is_padded(source, field, size_at) or is_padded(source, size_at, payload))
        if tag == 0 and (int64_at(source, payload) != 0 or int64_at(source, payload + 8) != 0):
            topic_id = payload
        else:
            # Another tag, or the default topic id written out.
            exact = False
        last_tag = tag
        field = payload + size
    return field, topic_id, exact
