"""The schema of record values as a program: instructions that the compiled loop of `value_json` executes.

An instruction says what to read and which text to write before it. Loops, tagged fields and embedded messages jump.
"""

from typing import NamedTuple

import numpy as np

from kafka_telemetry.formats.compiled import Int32Array, UInt8Array
from kafka_telemetry.formats.segments.record_encoding import tagged_payload
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

# Operations, and their two arguments.
END = 0
INTEGER = 1  # bytes, whether unsigned
STRING = 2  # compact, nullable
BYTES = 3  # compact, nullable
UUID = 4
LIST = 5  # compact + 2 * nullable, instruction after its end
LIST_END = 6  # -, instruction of its first item
TAGS = 7  # first row in `tags`, number of rows; then the instruction after its end
TAG_END = 8
STRUCT = 9  # whether tagged, instruction after its end
EMBED = 10  # compact, whether it is an assignment
EMBED_END = 11
TEXT = 12
PROTOCOL_TYPE = 13  # compact

MOST_LAYOUTS = 2
MOST_VERSIONS = max(layout.versions.stop for layouts in VALUES.values() for layout in layouts)


class SchemaProgram(NamedTuple):
    # operation, text to write first (start and length in `texts`), arguments
    code: Int32Array
    # tag, first instruction, default payload (start and length in `texts`)
    tags: Int32Array
    texts: UInt8Array
    # First instruction by key type, version and layout, and by message and version; -1 for none.
    values: Int32Array
    embedded: Int32Array


class _Assembler:
    def __init__(self) -> None:
        self.code: list[list[int]] = []
        self.tags: list[list[int]] = []
        self.texts = bytearray()

    def add_value(self, layout: ValueLayout, version: int) -> int:
        """Returns the first instruction."""
        return self._add_routine(layout.fields, version, version >= layout.flexible_from, END)

    def add_embedded_message(self, layout: ValueLayout, version: int) -> int:
        """Returns the first instruction."""
        return self._add_routine(layout.fields, version, False, EMBED_END)

    def _add(self, operation: int, text: str = "", first: int = 0, second: int = 0) -> int:
        data = text.encode()
        self.code.append([operation, len(self.texts), len(data), first, second])
        self.texts += data
        return len(self.code) - 1

    def _add_routine(self, schema: Struct, version: int, flexible: bool, end: int) -> int:
        start = len(self.code)
        self._add_struct(schema, version, flexible, "")
        self._add(end)
        return start

    def _add_struct(self, schema: Struct, version: int, flexible: bool, before: str) -> None:
        self._add(TEXT, before + "{")
        fields = fields_of(schema, version)
        plain = [field for field in fields if field.tag is None]
        for number, field in enumerate(plain):
            self._add_field(field, version, flexible, f'{"," if number else ""}"{field.name}":')
        if flexible:
            self._add_tags([field for field in fields if field.tag is not None], version)
        self._add(TEXT, "}")

    def _add_tags(self, fields: list[Field], version: int) -> None:
        at = self._add(TAGS)
        rows = []
        for field in fields:
            rows.append([field.tag or 0, len(self.code), len(self.texts), 0])
            default = tagged_payload(field, field.default, version)
            rows[-1][3] = len(default)
            self.texts += default
            self._add_field(field, version, True, f',"{field.name}":')
            self._add(TAG_END)
        # Nested structs have added their own rows by now: the rows of one struct are contiguous.
        self.code[at][3:] = [len(self.tags), len(rows)]
        self.tags += rows
        after = len(self.code)
        for row in rows:
            assert row[1] < after
        self.code[at].append(after)

    def _add_field(self, field: Field, version: int, flexible: bool, before: str) -> None:
        if is_struct(field.type) and field.nullable:
            at = self._add(STRUCT, before, field.tag is not None)
            self._add_struct(field.type, version, flexible, "")
            self.code[at][4] = len(self.code)
        elif field.name == "protocolType":
            self._add(PROTOCOL_TYPE, before, flexible)
        else:
            self._add_type(field.type, version, flexible, before, field.nullable)

    def _add_type(self, kind: Type, version: int, flexible: bool, before: str, nullable: bool = False) -> None:
        if is_struct(kind):
            self._add_struct(kind, version, flexible, before)
        elif isinstance(kind, ListOf):
            at = self._add(LIST, before, flexible + 2 * nullable)
            self._add_type(kind.item, version, flexible, "")
            self._add(LIST_END, "", 0, at + 1)
            self.code[at][4] = len(self.code)
        elif isinstance(kind, Embedded):
            self._add(EMBED, before, flexible, kind.message == "assignment")
        elif kind in ("string", "bytes"):
            self._add(STRING if kind == "string" else BYTES, before, flexible, nullable)
        elif kind == "uuid":
            self._add(UUID, before)
        else:
            assert isinstance(kind, str)
            self._add(INTEGER, before, int(kind.lstrip("uint")) // 8, kind.startswith("u"))


def _compile_schema() -> SchemaProgram:
    assembler = _Assembler()
    values = np.full((max(VALUES) + 1, MOST_VERSIONS, MOST_LAYOUTS), -1, np.int32)
    for key_type, layouts in VALUES.items():
        for number, layout in enumerate(layouts):
            for version in layout.versions:
                values[key_type, version, number] = assembler.add_value(layout, version)
    newest = max(layout.versions.stop for layout in EMBEDDED.values())
    embedded = np.full((len(EMBEDDED), newest), -1, np.int32)
    for number, layout in enumerate(EMBEDDED.values()):
        for version in layout.versions:
            embedded[number, version] = assembler.add_embedded_message(layout, version)
    code = np.zeros((len(assembler.code), 6), np.int32)
    for row, instruction in enumerate(assembler.code):
        code[row, : len(instruction)] = instruction
    tags = np.array(assembler.tags, np.int32)
    return SchemaProgram(code, tags, np.frombuffer(bytes(assembler.texts), np.uint8).copy(), values, embedded)


SCHEMA_PROGRAM = _compile_schema()
