"""Decodes records whose fields were printed as JSON into the rows that the segment reader gives for the same records.

The fields are encoded and then decoded by the segment reader, so the results are equal. Fields that can't be encoded are
no record.
"""

import io
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kafka_telemetry.formats.dumps.text_rows import Row
from kafka_telemetry.formats.problems import KEY, KEY_TYPE, TEXTS, VALUE, VALUE_VERSION
from kafka_telemetry.formats.segments.record_encoding import NotEncodableError, encode_key, encode_value
from kafka_telemetry.formats.segments.record_schema import KEYS, VALUES, ListOf, Struct, fields_of, is_struct
from kafka_telemetry.formats.segments.segment_reader import read_segment
from kafka_telemetry.formats.segments.segment_writer import Batch, Record, encode_batch

_ENCODING_ERRORS = (NotEncodableError, LookupError, TypeError, ValueError, AttributeError, struct.error)
# Columns that only the log itself has.
_LOG_COLUMNS = ("source_position", "record_offset", "recorded_at", "batch_leader_epoch", "producer_id", "transactional")


class PrintedRecord(NamedTuple):
    key_type: int
    key: Mapping[str, Any]
    version: int | None
    # Null for a tombstone.
    value: Mapping[str, Any] | None


def decode_printed_records(records: Sequence[PrintedRecord]) -> list[Row]:
    """Returns a row per record. One that isn't understood has kind `unknown` and the problem."""
    rows: list[Row | None] = []
    encoded_records: list[Record] = []
    for record in records:
        encoded = _encode(record)
        if isinstance(encoded, str):
            rows.append({"kind": "unknown", "key_type": _int16_or_none(record.key_type), "problem": encoded})
        else:
            encoded_records.append(Record(len(encoded_records), 0, *encoded))
            rows.append(None)
    decoded = iter(_decode(encoded_records) if encoded_records else ())
    return [next(decoded) if row is None else row for row in rows]


def key_columns(key_type: int, fields: Mapping[str, Any]) -> Row:
    """Returns the columns of a key, or raises one of `_ENCODING_ERRORS` if these can't be its fields."""
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
        key_columns(key_type, fields)
    except _ENCODING_ERRORS:
        return TEXTS[KEY]
    return None


def problem_of_version(key_type: int, version: int | None) -> str | None:
    is_known = any(version in layout.versions for layout in VALUES[key_type])
    return None if is_known else TEXTS[VALUE_VERSION]


def _encode(record: PrintedRecord) -> tuple[bytes, bytes | None] | str:
    """Returns key and value, or the problem."""
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
        is_known = any(
            _has_all_fields(layout.fields, record.version, record.value)
            for layout in VALUES[record.key_type]
            if record.version in layout.versions
        )
    except _ENCODING_ERRORS:
        is_known = False
    return (key, value) if is_known else str(TEXTS[VALUE])


def _has_all_fields(schema: Struct, version: int, fields: Any) -> bool:
    """Whether the schema has all these fields: encoding would silently drop one that only later versions have."""
    types = {field.name: field.type for field in fields_of(schema, version)}
    for name, value in fields.items():
        if name not in types:
            return False
        kind = types[name]
        if isinstance(kind, ListOf) and is_struct(kind.item):
            if not all(_has_all_fields(kind.item, version, item) for item in value or ()):
                return False
        elif is_struct(kind) and value is not None and not _has_all_fields(kind, version, value):
            return False
    return True


def _decode(records: Sequence[Record]) -> Iterable[Row]:
    for batch in read_segment(io.BytesIO(encode_batch(Batch(records))), ""):
        for row in batch.to_pylist():
            for column in _LOG_COLUMNS:
                del row[column]
            yield row


def _int16_or_none(number: int) -> int | None:
    return number if -(1 << 15) <= number < 1 << 15 else None
