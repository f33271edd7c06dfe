"""Where in the bytes of a value its times and generations stand: all of them are numbers of a fixed width."""

import struct
from typing import NamedTuple

from kafka_telemetry.formats.segments.record_schema import (
    EMBEDDED,
    VALUES,
    Embedded,
    Field,
    Layout,
    ListOf,
    Struct,
    Type,
    fields_of,
    is_struct,
)

TIME, GENERATION, MEMBER_EPOCH = "time", "generation", "member epoch"

_TIMES = {"commitTimestamp", "expireTimestamp", "currentStateTimestamp", "assignmentTimestamp", "timestamp"}
_GENERATIONS = {"generation", "generationId", "epoch", "assignmentEpoch"}
# Not of the group: -2, -1 and 0 say that a member left or joins.
_MEMBER_EPOCHS = {"memberEpoch", "previousMemberEpoch", "assignmentEpochs"}
_TOPOLOGY = 23

_INTEGERS = {"int8": ("b", 1), "int16": ("h", 2), "uint16": ("H", 2), "int32": ("i", 4), "int64": ("q", 8)}


class Place(NamedTuple):
    at: int
    letter: str
    meaning: str


class UnreadableError(Exception):
    """The bytes aren't what the schema says."""


def places_in_value(key_type: int, value: bytes) -> list[Place]:
    """Where it can't be read, nothing."""
    version = struct.unpack_from(">h", value)[0]
    # The epoch of a topology isn't the group's.
    for layout in VALUES.get(key_type, ()) if key_type != _TOPOLOGY else ():
        if version not in layout.versions:
            continue
        walk = _Walk(value, version, version >= layout.flexible_from)
        try:
            walk.struct(layout.fields)
        except (UnreadableError, struct.error):
            continue
        if walk.at == len(value):
            return walk.places
    return []


class _Walk:
    def __init__(self, data: bytes, version: int, flexible: bool) -> None:
        self.data = data
        self.version = version
        self.flexible = flexible
        self.at = 2
        self.places: list[Place] = []
        self.speaks_consumer_protocol = False

    def struct(self, schema: Struct) -> None:
        fields = fields_of(schema, self.version)
        for field in fields:
            if field.tag is None:
                self._field(field)
        if self.flexible:
            tagged = {field.tag: field for field in fields if field.tag is not None}
            for _ in range(self._unsigned_varint()):
                tag, size = self._unsigned_varint(), self._unsigned_varint()
                stop = self.at + size
                if tag in tagged:
                    self._field(tagged[tag])
                self.at = stop

    def _field(self, field: Field) -> None:
        if is_struct(field.type) and field.nullable:
            marker = self._integer("int8")
            if marker == 1:
                self.struct(field.type)
        else:
            start = self.at
            self._type(field.type, field.name)
            if field.name == "protocolType":
                self.speaks_consumer_protocol = self.data[start : self.at].endswith(b"consumer")

    def _type(self, kind: Type, name: str) -> None:
        if is_struct(kind):
            self.struct(kind)
        elif isinstance(kind, ListOf):
            for _ in range(self._length("int32")):
                self._type(kind.item, name)
        elif isinstance(kind, Embedded):
            size = self._length("int32")
            blob = self.data[self.at : self.at + size]
            if self.speaks_consumer_protocol:
                self.places += [place._replace(at=self.at + place.at) for place in _in_message(kind.message, blob)]
            self.at += size
        elif kind in ("string", "bytes"):
            size = self._length("int16" if kind == "string" else "int32")
            self.at += max(size, 0)
        elif kind == "uuid":
            self.at += 16
        else:
            assert isinstance(kind, str)
            letter, size = _INTEGERS[kind]
            meaning = (
                TIME
                if name in _TIMES
                else GENERATION
                if name in _GENERATIONS
                else MEMBER_EPOCH
                if name in _MEMBER_EPOCHS
                else None
            )
            if meaning:
                self.places.append(Place(self.at, letter, meaning))
            self.at += size
        if self.at > len(self.data):
            raise UnreadableError

    def _integer(self, kind: str) -> int:
        letter, size = _INTEGERS[kind]
        value: int = struct.unpack_from(">" + letter, self.data, self.at)[0]
        self.at += size
        return value

    def _length(self, old_style: str) -> int:
        return self._unsigned_varint() - 1 if self.flexible else self._integer(old_style)

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


def _in_message(message: str, blob: bytes) -> list[Place]:
    layout: Layout = EMBEDDED[message]
    try:
        version = struct.unpack_from(">h", blob)[0]
        walk = _Walk(blob, min(version, layout.versions[-1]), False)
        walk.struct(layout.fields)
    except (UnreadableError, struct.error):
        return []
    return walk.places
