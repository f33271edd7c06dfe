"""Checks whether decoded values have the types of their schema: a dump is JSON that may contain anything once it is damaged."""

from collections.abc import Callable, Sequence
from typing import Any

from kafka_telemetry.formats.segments.record_schema import (
    EMBEDDED,
    VALUES,
    Embedded,
    Field,
    ListOf,
    Struct,
    Type,
    ValueLayout,
    is_struct,
)

_Check = Callable[[Any], bool]

_INTEGER_RANGES = {
    **{name: (-(1 << bits - 1), (1 << bits - 1) - 1) for name, bits in (("int8", 8), ("int16", 16), ("int32", 32))},
    "uint16": (0, (1 << 16) - 1),
    "int64": (-(1 << 63), (1 << 63) - 1),
}
# An item of a list means nothing without these fields. Older tools leave out others.
_NEEDED = frozenset({"memberId", "topic", "topicId", "topicName", "partitions"})


def is_valid_value(key_type: int, value: Any) -> bool:
    """Whether all fields that the schema knows have its types. Values of newer versions may have more fields."""
    return key_type in _CHECKS and _CHECKS[key_type](value)


def _struct_check(schema: Struct, needed: frozenset[str]) -> _Check:
    checks = [(field.name, _field_check(field)) for field in schema]
    needed &= {field.name for field in schema}

    def is_valid(value: Any) -> bool:
        return (
            type(value) is dict
            and needed <= value.keys()
            and all(check(value[name]) for name, check in checks if name in value)
        )

    return is_valid


def _field_check(field: Field) -> _Check:
    check = _type_check(field.type)
    return (lambda value: value is None or check(value)) if field.nullable else check


def _type_check(kind: Type) -> _Check:
    if is_struct(kind):
        return _struct_check(kind, frozenset())
    if isinstance(kind, ListOf):
        return _list_check(kind.item)
    if isinstance(kind, Embedded):
        check = _struct_check(EMBEDDED[kind.message].fields, frozenset())
        # kafka-dump-log prints a message that it can't parse as base64.
        return lambda value: type(value) is str or check(value)
    assert isinstance(kind, str)
    if kind not in _INTEGER_RANGES:
        return lambda value: type(value) is str
    least, most = _INTEGER_RANGES[kind]
    return lambda value: type(value) is int and least <= value <= most


def _list_check(item: Type) -> _Check:
    check = _struct_check(item, _NEEDED) if is_struct(item) else _type_check(item)
    return lambda value: type(value) is list and all(map(check, value))


def _fields_of_all(layouts: Sequence[ValueLayout]) -> Struct:
    """A field has the same type in all layouts, except that the first may have more fields inside."""
    return tuple({field.name: field for layout in reversed(layouts) for field in layout.fields}.values())


_CHECKS = {key_type: _struct_check(_fields_of_all(layouts), frozenset()) for key_type, layouts in VALUES.items()}
