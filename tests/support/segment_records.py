"""Helpers of property tests: records of all types and versions, and rows encoded as the bytes they were read from."""

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from hypothesis import strategies as st

from kafka_telemetry.formats.segments.record_encoding import encode_embedded, encode_key, encode_value
from kafka_telemetry.formats.segments.record_schema import (
    EMBEDDED,
    KEYS,
    NO_UUID,
    VALUES,
    Embedded,
    Field,
    ListOf,
    Struct,
    Type,
    fields_of,
    is_struct,
)

_RANGES = {
    "int8": (-(1 << 7), (1 << 7) - 1),
    "int16": (-(1 << 15), (1 << 15) - 1),
    "uint16": (0, (1 << 16) - 1),
    "int32": (-(1 << 31), (1 << 31) - 1),
    "int64": (-(1 << 63), (1 << 63) - 1),
}
_YEAR_2100 = 4_102_444_800_000
_OFFSET_TYPES = (0, 1)


class KeyAndValue(NamedTuple):
    key: bytes
    value: bytes | None


@st.composite
def any_record(draw: st.DrawFn) -> KeyAndValue:
    key_type = draw(st.sampled_from(sorted(KEYS)))
    key = encode_key(key_type, draw(_struct(KEYS[key_type], 0)))
    if draw(st.integers(0, 9)) == 0:
        return KeyAndValue(key, None)
    layout = draw(st.sampled_from(VALUES[key_type]))
    version = draw(st.sampled_from(layout.versions))
    fields = draw(_struct(layout.fields, version))
    if key_type == 2:
        fields["protocolType"] = draw(st.sampled_from(["consumer", "connect", ""]))
    return KeyAndValue(key, encode_value(key_type, version, fields))


def encode_row(row: dict[str, Any]) -> KeyAndValue:
    """Encodes a row from its columns alone."""
    key_type, version = row["key_type"], row["value_version"]
    names = (row["group_id"], row["topic"], row["partition_id"])
    if key_type > 2:
        names = (row["group_id"], row["regular_expression"] if key_type == 16 else row["member_id"])
    schema = KEYS[key_type]
    key = encode_key(key_type, dict(zip((field.name for field in schema), names, strict=False)))
    if row["tombstone"]:
        return KeyAndValue(key, None)
    if row["value_bytes"] is not None:
        return KeyAndValue(key, row["value_bytes"])
    if key_type not in _OFFSET_TYPES:
        return KeyAndValue(key, encode_value(key_type, version, json.loads(row["value_json"])))
    fields = {
        "offset": row["committed_offset"],
        "leaderEpoch": _or_minus_one(row["leader_epoch"]),
        "metadata": row["metadata"],
        "commitTimestamp": _milliseconds(row["committed_at"]),
        "expireTimestamp": _milliseconds(row["expires_at"]),
        "topicId": row["topic_id"] or NO_UUID,
    }
    return KeyAndValue(key, encode_value(key_type, version, fields))


def _or_minus_one(value: int | None) -> int:
    return -1 if value is None else value


def _milliseconds(time: datetime | None) -> int:
    return -1 if time is None else (time - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def _struct(schema: Struct, version: int) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({field.name: _field(field, version) for field in fields_of(schema, version)})


def _field(field: Field, version: int) -> st.SearchStrategy[Any]:
    strategy = _type(field.type, version)
    if field.name in ("commitTimestamp", "expireTimestamp"):
        strategy = st.integers(-1, _YEAR_2100)
    if field.nullable:
        strategy = st.none() | strategy
    if field.tag is not None:
        strategy = st.just(field.default) | strategy
    return strategy


def _type(kind: Type, version: int) -> st.SearchStrategy[Any]:
    if is_struct(kind):
        return _struct(kind, version)
    if isinstance(kind, ListOf):
        return st.lists(_type(kind.item, version), max_size=3)
    if isinstance(kind, Embedded):
        layout = EMBEDDED[kind.message]
        encoded = st.sampled_from(layout.versions).flatmap(
            lambda version: _struct(layout.fields, version).map(
                lambda fields: encode_embedded(kind.message, version, fields)
            )
        )
        return (encoded | st.binary(max_size=8)).map(lambda blob: base64.b64encode(blob).decode())
    if kind == "string":
        return st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
    if kind == "bytes":
        return st.binary(max_size=12).map(lambda data: base64.b64encode(data).decode())
    if kind == "uuid":
        return st.binary(min_size=16, max_size=16).map(lambda data: base64.urlsafe_b64encode(data).decode().rstrip("="))
    assert isinstance(kind, str)
    return st.integers(*_RANGES[kind])
