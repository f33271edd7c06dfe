"""Records of which a text gives the fields -> the rows that the segment reader would give of their bytes.

The bytes are written and read again: what can't be written is not a record, and what is read is equal to the last comma.
"""

import io
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kafka_telemetry.formats.problems import KEY, KEY_TYPE, TEXTS, VALUE, VALUE_VERSION
from kafka_telemetry.formats.segments.record_encoding import NotEncodableError, encode_key, encode_value
from kafka_telemetry.formats.segments.record_schema import KEYS, VALUES, ListOf, Struct, fields_of, is_struct
from kafka_telemetry.formats.segments.segment_reader import read_segment
from kafka_telemetry.formats.segments.segment_writer import Batch, Record, encode_batch

Row = dict[str, Any]
_NOT_A_FIELD = (NotEncodableError, LookupError, TypeError, ValueError, AttributeError, struct.error)
# What only the log itself tells.
_OF_THE_LOG = ("source_position", "record_offset", "recorded_at", "batch_leader_epoch", "producer_id", "transactional")


class Given(NamedTuple):
    key_type: int
    key: Mapping[str, Any]
    version: int | None
    # Null for a tombstone.
    value: Mapping[str, Any] | None


def rows_of(records: Sequence[Given]) -> list[Row]:
    """What can't be understood comes back as a row of kind `unknown` that says why."""
    rows: list[Row | None] = []
    written: list[Record] = []
    for record in records:
        encoded = _encoded(record)
        if isinstance(encoded, str):
            rows.append({"kind": "unknown", "key_type": _short(record.key_type), "problem": encoded})
        else:
            written.append(Record(len(written), 0, *encoded))
            rows.append(None)
    read = iter(_read(written) if written else ())
    return [next(read) if row is None else row for row in rows]


def names_of(key_type: int, fields: Mapping[str, Any]) -> Row:
    """The columns of a key; raises what `_NOT_A_FIELD` lists if they can't be a key's."""
    encode_key(key_type, fields)
    if fields.keys() != {field.name for field in KEYS[key_type]}:
        raise NotEncodableError(f"other fields than those of a key of type {key_type}: {sorted(fields)}")
    return {
        "group_id": fields.get("group", fields.get("groupId")),
        "topic": fields.get("topic"),
        "partition_id": fields.get("partition"),
        "member_id": fields.get("memberId"),
        "regular_expression": fields.get("regularExpression"),
    }


def problem_of_key(key_type: int, fields: Any) -> str | None:
    if key_type not in KEYS:
        return TEXTS[KEY_TYPE]
    try:
        names_of(key_type, fields)
    except _NOT_A_FIELD:
        return TEXTS[KEY]
    return None


def problem_of_version(key_type: int, version: int | None) -> str | None:
    known = any(version in layout.versions for layout in VALUES[key_type])
    return None if known else TEXTS[VALUE_VERSION]


def _encoded(record: Given) -> tuple[bytes, bytes | None] | str:
    problem = problem_of_key(record.key_type, record.key)
    if problem is None and record.value is not None:
        problem = problem_of_version(record.key_type, record.version)
    if problem is not None:
        return problem
    key = encode_key(record.key_type, record.key)
    if record.value is None:
        return key, None
    try:
        assert record.version is not None
        value = encode_value(record.key_type, record.version, record.value)
        known = any(
            _knows(layout.fields, record.version, record.value)
            for layout in VALUES[record.key_type]
            if record.version in layout.versions
        )
    except _NOT_A_FIELD:
        known = False
    return (key, value) if known else str(TEXTS[VALUE])


def _knows(schema: Struct, version: int, fields: Any) -> bool:
    """Whether there is no field that later versions may have and this schema would drop in silence."""
    present = {field.name: field.type for field in fields_of(schema, version)}
    for name, value in fields.items():
        if name not in present:
            return False
        kind = present[name]
        if isinstance(kind, ListOf) and is_struct(kind.item):
            if not all(_knows(kind.item, version, item) for item in value or ()):
                return False
        elif is_struct(kind) and value is not None and not _knows(kind, version, value):
            return False
    return True


def _read(records: Sequence[Record]) -> Iterable[Row]:
    for batch in read_segment(io.BytesIO(encode_batch(Batch(records))), ""):
        for row in batch.to_pylist():
            for column in _OF_THE_LOG:
                del row[column]
            yield row


def _short(number: int) -> int | None:
    return number if -(1 << 15) <= number < 1 << 15 else None
