"""The schema of record values, flattened into numbers that a compiled loop can walk."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kafka_telemetry.formats.segments.record_encoding import tagged_payload
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

# One instruction: what to read, the text to print before it (start and length in `texts`), and two arguments.
END = 0
INTEGER = 1  # bytes, whether unsigned
STRING = 2  # compact, nullable
BYTES = 3  # compact, nullable
UUID = 4
LIST = 5  # compact + 2 * nullable, instruction after its end
LIST_END = 6  # -, instruction of its first item
TAGS = 7  # first row in `tags`, rows
TAG_END = 8
STRUCT = 9  # whether tagged, instruction after its end
EMBED = 10  # compact, whether it is an assignment
EMBED_END = 11
TEXT = 12
PROTOCOL_TYPE = 13  # compact

MOST_LAYOUTS = 2
MOST_VERSIONS = max(layout.versions.stop for layouts in VALUES.values() for layout in layouts)

# int32 and uint8. An element of them is a number to the type checker, as it is to the compiler.
Numbers = npt.NDArray[Any]
Octets = npt.NDArray[Any]


class Program(NamedTuple):
    code: Numbers
    # tag, first instruction, default payload (start and length in `texts`)
    tags: Numbers
    texts: Octets
    # [type, version, layout] and [message, version] -> first instruction, -1 for none
    values: Numbers
    embedded: Numbers


class _Writer:
    def __init__(self) -> None:
        self.code: list[list[int]] = []
        self.tags: list[list[int]] = []
        self.texts = bytearray()

    def instruction(self, operation: int, text: str = "", first: int = 0, second: int = 0) -> int:
        data = text.encode()
        self.code.append([operation, len(self.texts), len(data), first, second])
        self.texts += data
        return len(self.code) - 1

    def value(self, layout: Layout, version: int) -> int:
        return self._whole(layout.fields, version, version >= layout.flexible_from, END)

    def message(self, layout: Layout, version: int) -> int:
        return self._whole(layout.fields, version, False, EMBED_END)

    def _whole(self, schema: Struct, version: int, flexible: bool, end: int) -> int:
        start = len(self.code)
        self._struct(schema, version, flexible, "")
        self.instruction(end)
        return start

    def _struct(self, schema: Struct, version: int, flexible: bool, before: str) -> None:
        self.instruction(TEXT, before + "{")
        fields = fields_of(schema, version)
        plain = [field for field in fields if field.tag is None]
        for place, field in enumerate(plain):
            self._field(field, version, flexible, f'{"," if place else ""}"{field.name}":')
        if flexible:
            self._tags([field for field in fields if field.tag is not None], version)
        self.instruction(TEXT, "}")

    def _tags(self, fields: list[Field], version: int) -> None:
        at = self.instruction(TAGS)
        rows = []
        for field in fields:
            rows.append([field.tag or 0, len(self.code), len(self.texts), 0])
            default = tagged_payload(field, field.default, version)
            rows[-1][3] = len(default)
            self.texts += default
            self._field(field, version, True, f',"{field.name}":')
            self.instruction(TAG_END)
        # Nested structs have added their own rows by now: a struct's rows stand together.
        self.code[at][3:] = [len(self.tags), len(rows)]
        self.tags += rows
        after = len(self.code)
        for row in rows:
            assert row[1] < after
        self.code[at].append(after)

    def _field(self, field: Field, version: int, flexible: bool, before: str) -> None:
        if is_struct(field.type) and field.nullable:
            at = self.instruction(STRUCT, before, field.tag is not None)
            self._struct(field.type, version, flexible, "")
            self.code[at][4] = len(self.code)
        elif field.name == "protocolType":
            self.instruction(PROTOCOL_TYPE, before, flexible)
        else:
            self._type(field.type, version, flexible, before, field.nullable)

    def _type(self, kind: Type, version: int, flexible: bool, before: str, nullable: bool = False) -> None:
        if is_struct(kind):
            self._struct(kind, version, flexible, before)
        elif isinstance(kind, ListOf):
            at = self.instruction(LIST, before, flexible + 2 * nullable)
            self._type(kind.item, version, flexible, "")
            self.instruction(LIST_END, "", 0, at + 1)
            self.code[at][4] = len(self.code)
        elif isinstance(kind, Embedded):
            self.instruction(EMBED, before, flexible, kind.message == "assignment")
        elif kind in ("string", "bytes"):
            self.instruction(STRING if kind == "string" else BYTES, before, flexible, nullable)
        elif kind == "uuid":
            self.instruction(UUID, before)
        else:
            assert isinstance(kind, str)
            self.instruction(INTEGER, before, int(kind.lstrip("uint")) // 8, kind.startswith("u"))


def _program() -> Program:
    writer = _Writer()
    values = np.full((max(VALUES) + 1, MOST_VERSIONS, MOST_LAYOUTS), -1, np.int32)
    for key_type, layouts in VALUES.items():
        for place, layout in enumerate(layouts):
            for version in layout.versions:
                values[key_type, version, place] = writer.value(layout, version)
    newest = max(layout.versions.stop for layout in EMBEDDED.values())
    embedded = np.full((len(EMBEDDED), newest), -1, np.int32)
    for place, layout in enumerate(EMBEDDED.values()):
        for version in layout.versions:
            embedded[place, version] = writer.message(layout, version)
    code = np.zeros((len(writer.code), 6), np.int32)
    for row, instruction in enumerate(writer.code):
        code[row, : len(instruction)] = instruction
    tags = np.array(writer.tags, np.int32)
    return Program(code, tags, np.frombuffer(bytes(writer.texts), np.uint8).copy(), values, embedded)


PROGRAM = _program()
