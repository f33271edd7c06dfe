"""Encodes the fields of a record as the bytes that Kafka writes: the inverse of decoding, driven by the same schema."""

import base64
import struct
from collections.abc import Mapping
from typing import Any

from kafka_telemetry.formats.segments.record_schema import (
    EMBEDDED,
    KEYS,
    VALUES,
    Embedded,
    Field,
    Json,
    ListOf,
    Struct,
    Type,
    fields_of,
    is_struct,
)

_INTEGERS = {"int8": ">b", "int16": ">h", "uint16": ">H", "int32": ">i", "int64": ">q"}


class NotEncodableError(Exception):
    """No layout has these fields."""


def encode_key(key_type: int, fields: Mapping[str, Json]) -> bytes:
    return struct.pack(">h", key_type) + encode_struct(KEYS[key_type], fields, 0, False)


def encode_value(key_type: int, version: int, fields: Mapping[str, Json]) -> bytes:
    """Encodes by the first layout of the type all of whose fields are present."""
    for layout in VALUES[key_type]:
        written = {f.name for f in fields_of(layout.fields, version) if f.tag is None}
        if version in layout.versions and written <= fields.keys():
            flexible = version >= layout.flexible_from
            return struct.pack(">h", version) + encode_struct(layout.fields, fields, version, flexible)
    raise NotEncodableError(f"type {key_type} version {version} has no layout of the fields {sorted(fields)}")


def encode_embedded(message: str, version: int, fields: Mapping[str, Json]) -> bytes:
    layout = EMBEDDED[message]
    return struct.pack(">h", version) + encode_struct(layout.fields, fields, min(version, layout.versions[-1]), False)


def encode_struct(schema: Struct, fields: Mapping[str, Json], version: int, flexible: bool) -> bytes:
    present = fields_of(schema, version)
    body = b"".join(encode_field(f, fields[f.name], version, flexible) for f in present if f.tag is None)
    if not flexible:
        return body
    tagged = [f for f in present if f.tag is not None and fields.get(f.name, f.default) != f.default]
    return body + unsigned_varint(len(tagged)) + b"".join(_encode_tagged(f, fields[f.name], version) for f in tagged)


def encode_field(field: Field, value: Json, version: int, flexible: bool) -> bytes:
    """Encodes a field that isn't tagged. The payload of a tagged field differs for structs: see `tagged_payload`."""
    if is_struct(field.type):
        body = b"" if value is None else encode_struct(field.type, value, version, flexible)
        return (b"\xff" if value is None else b"\x01") + body if field.nullable else body
    if value is None and not field.nullable:
        raise NotEncodableError(f"{field.name} can't be null")
    return _encode(field.type, value, version, flexible)


def tagged_payload(field: Field, value: Json, version: int) -> bytes:
    if is_struct(field.type):
        return b"\x00" if value is None else b"\x01" + encode_struct(field.type, value, version, True)
    return encode_field(field, value, version, True)


def unsigned_varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _encode_tagged(field: Field, value: Json, version: int) -> bytes:
    payload = tagged_payload(field, value, version)
    return unsigned_varint(field.tag or 0) + unsigned_varint(len(payload)) + payload


def _encode(kind: Type, value: Any, version: int, flexible: bool) -> bytes:
    if isinstance(kind, ListOf):
        if not isinstance(value, list | None):
            raise NotEncodableError("a list is expected")
        head = _length(None if value is None else len(value), flexible, ">i")
        return head + b"".join(_item(kind.item, item, version, flexible) for item in value or ())
    if isinstance(kind, Embedded):
        # kafka-dump-log prints a message that it can't parse as base64.
        blob = base64.b64decode(value) if isinstance(value, str) else _embedded(kind.message, value)
        return _length(len(blob), flexible, ">i") + blob
    if kind == "string":
        text = None if value is None else value.encode()
        return _length(None if text is None else len(text), flexible, ">h") + (text or b"")
    if kind == "bytes":
        data = None if value is None else base64.b64decode(value)
        return _length(None if data is None else len(data), flexible, ">i") + (data or b"")
    if kind == "uuid":
        return base64.urlsafe_b64decode(value + "==")
    assert isinstance(kind, str)
    if isinstance(value, bool):
        raise NotEncodableError("a number is expected")
    return struct.pack(_INTEGERS[kind], value)


def _item(kind: Type, value: Any, version: int, flexible: bool) -> bytes:
    if is_struct(kind):
        return encode_struct(kind, value, version, flexible)
    return _encode(kind, value, version, flexible)


def _embedded(message: str, fields: Mapping[str, Json]) -> bytes:
    """Encodes with the newest version that has exactly these fields, as clients do since 3.4: the JSON has no version."""
    layout = EMBEDDED[message]
    for version in reversed(layout.versions):
        if fields.keys() == {f.name for f in fields_of(layout.fields, version)}:
            return encode_embedded(message, version, fields)
    raise NotEncodableError(f"no version of {message} has the fields {sorted(fields)}")


def _length(count: int | None, flexible: bool, fixed_format: str) -> bytes:
    if flexible:
        return unsigned_varint(0 if count is None else count + 1)
    return struct.pack(fixed_format, -1 if count is None else count)
