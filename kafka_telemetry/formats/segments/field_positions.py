"""Positions of the times, generations and epochs in the bytes of a record value. All are numbers of a fixed width."""

import struct
from typing import NamedTuple

from kafka_telemetry.formats.segments.record_schema import (
    EMBEDDED,
    VALUES,
    Embedded,
    Field,
    ListOf,
    Struct,
    Type,
    ValueLayout,
    fields_of,
    is_struct,
)

TIME, GENERATION, MEMBER_EPOCH = "time", "generation", "member epoch"

_TIMES = ("commitTimestamp", "expireTimestamp", "currentStateTimestamp", "assignmentTimestamp", "timestamp")
_GENERATIONS = ("generation", "generationId", "epoch", "assignmentEpoch")
# Of a member and not of the group: -2, -1 and 0 mean that the member left or joins.
_MEMBER_EPOCHS = ("memberEpoch", "previousMemberEpoch", "assignmentEpochs")
_MEANINGS = {
    **dict.fromkeys(_TIMES, TIME),
    **dict.fromkeys(_GENERATIONS, GENERATION),
    **dict.fromkeys(_MEMBER_EPOCHS, MEMBER_EPOCH),
}
_TOPOLOGY = 23

_INTEGERS = {"int8": ("b", 1), "int16": ("h", 2), "uint16": ("H", 2), "int32": ("i", 4), "int64": ("q", 8)}


class FieldPosition(NamedTuple):
    position: int
    # Of the `struct` module, without the byte order.
    format: str
    meaning: str


class UnreadableError(Exception):
    """The bytes don't match the schema."""


def find_times_and_epochs(key_type: int, value: bytes) -> list[FieldPosition]:
    """Returns nothing for a value that doesn't match the schema."""
    version = struct.unpack_from(">h", value)[0]
    # The epoch of a topology isn't that of the group.
    for layout in VALUES.get(key_type, ()) if key_type != _TOPOLOGY else ():
        if version not in layout.versions:
            continue
        walk = _SchemaWalk(value, version, version >= layout.flexible_from)
        try:
            walk.read_struct(layout.fields)
        except (UnreadableError, struct.error):
            continue
        if walk.at == len(value):
            return walk.positions
    return []


class _SchemaWalk:
    """Reads a value field by field and collects the positions of times and epochs."""

    def __init__(self, data: bytes, version: int, flexible: bool) -> None:
        self.data = data
        self.version = version
        self.flexible = flexible
        self.at = 2
        self.positions: list[FieldPosition] = []
        self.speaks_consumer_protocol = False

    def read_struct(self, schema: Struct) -> None:
        fields = fields_of(schema, self.version)
        for field in fields:
            if field.tag is None:
                self._read_field(field)
        if self.flexible:
            tagged = {field.tag: field for field in fields if field.tag is not None}
            for _ in range(self._unsigned_varint()):
                tag, size = self._unsigned_varint(), self._unsigned_varint()
                stop = self.at + size
                if tag in tagged:
                    self._read_field(tagged[tag])
                self.at = stop

    def _read_field(self, field: Field) -> None:
        if is_struct(field.type) and field.nullable:
            marker = self._integer("int8")
            if marker == 1:
                self.read_struct(field.type)
        else:
            start = self.at
            self._read_type(field.type, field.name)
            if field.name == "protocolType":
                self.speaks_consumer_protocol = self.data[start : self.at].endswith(b"consumer")

    def _read_type(self, kind: Type, name: str) -> None:
        if is_struct(kind):
            self.read_struct(kind)
        elif isinstance(kind, ListOf):
            for _ in range(self._length("int32")):
                self._read_type(kind.item, name)
        elif isinstance(kind, Embedded):
            size = self._length("int32")
            blob = self.data[self.at : self.at + size]
            if self.speaks_consumer_protocol:
                found = _find_in_message(kind.message, blob)
                self.positions += [field._replace(position=self.at + field.position) for field in found]
            self.at += size
        elif kind in ("string", "bytes"):
            size = self._length("int16" if kind == "string" else "int32")
            self.at += max(size, 0)
        elif kind == "uuid":
            self.at += 16
        else:
            assert isinstance(kind, str)
            format, size = _INTEGERS[kind]
            if meaning := _MEANINGS.get(name):
                self.positions.append(FieldPosition(self.at, format, meaning))
            self.at += size
        if self.at > len(self.data):
            raise UnreadableError

    def _integer(self, kind: str) -> int:
        format, size = _INTEGERS[kind]
        value: int = struct.unpack_from(">" + format, self.data, self.at)[0]
        self.at += size
        return value

    def _length(self, fixed_type: str) -> int:
        return self._unsigned_varint() - 1 if self.flexible else self._integer(fixed_type)

    def _unsigned_varint(self) -> int:
        value = shift = 0
        while self.at < len(self.data):
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
        raise UnreadableError


def _find_in_message(message: str, blob: bytes) -> list[FieldPosition]:
    layout: ValueLayout = EMBEDDED[message]
    try:
        version = struct.unpack_from(">h", blob)[0]
        walk = _SchemaWalk(blob, min(version, layout.versions[-1]), False)
        walk.read_struct(layout.fields)
    except (UnreadableError, struct.error):
        return []
    return walk.positions
