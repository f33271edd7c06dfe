"""The value of an offset commit, in all its versions. Most records are: so by hand, not by the program."""

from kafka_telemetry.formats.compiled import as_long, compiled
from kafka_telemetry.formats.problems import BYTES_AFTER, NONE, TIME, VALUE, VALUE_UTF8
from kafka_telemetry.formats.raw_memory import int16_at, int64_at
from kafka_telemetry.formats.segments.compiled_schema import Octets
from kafka_telemetry.formats.segments.json_text import is_utf8
from kafka_telemetry.formats.segments.varints import is_padded, unsigned_varint_at

# Milliseconds of the years 1 to 9999: what lies beyond, hardly anything that reads times can take.
EARLIEST, LATEST = -62135596800000, 253402300799999
# Places in a value.
OFFSET, EPOCH = 2, 10
WITH_EPOCH = 3
_WITH_EXPIRY, _FLEXIBLE = 1, 4
_UUID = 16


@compiled
def read_commit(source: Octets, at: int, end: int, version: int) -> tuple[int, int, int, int, int, int, bool]:
    """Problem, metadata and its length, times of commit and expiry, topic id (a place, or -1), whether all is in these.

    The offset and the epoch stand at places of their own.
    """
    problem = as_long(NONE)
    exact = True
    metadata = as_long(-1)
    length = as_long(-1)
    commit_time = as_long(-1)
    expiry_time = as_long(-1)
    topic_id = as_long(-1)
    field = at + (EPOCH + 4 if version >= WITH_EPOCH else EPOCH)
    # What follows the metadata, at least.
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
            field, topic_id, all_known = _read_tags(source, field, end)
            exact = exact and all_known
        if field < 0:
            problem = as_long(VALUE)
        elif commit_time < EARLIEST or commit_time > LATEST or expiry_time < EARLIEST or expiry_time > LATEST:
            problem = as_long(TIME)
        elif field != end:
            problem = as_long(BYTES_AFTER)
    return problem, metadata, length, commit_time, expiry_time, topic_id, exact


@compiled
def _read_tags(source: Octets, at: int, end: int) -> tuple[int, int, bool]:
    """The place after them (-1 if they are broken), that of the topic id or -1, whether there is nothing else."""
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
        if payload < 0 or size > end - payload or tag <= last_tag or (tag == 0 and size != _UUID):
            return as_long(-1), topic_id, exact
        exact = exact and not (is_padded(source, field, size_at) or is_padded(source, size_at, payload))
        if tag == 0 and (int64_at(source, payload) != 0 or int64_at(source, payload + 8) != 0):
            topic_id = payload
        else:
            # Another tag, or no topic id written out.
            exact = False
        last_tag = tag
        field = payload + size
    return field, topic_id, exact
