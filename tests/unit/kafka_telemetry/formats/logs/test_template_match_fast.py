"""The compiled matcher accepts what a template's pattern accepts, or leaves the message to the pattern."""

import re

import pyarrow as pa
import pytest

from kafka_telemetry.formats.logs.message_template import FieldKind, Template
from kafka_telemetry.formats.logs.template_match_fast import NOT_SURE, program, run

UUID = "6f2c0c1e-5a0b-4b52-9f53-0d3b1f5a7c11"
TEMPLATES = {
    FieldKind.TEXT: Template("event", "begin {group_id} end"),
    FieldKind.NUMBER: Template("event", "begin {epoch} end"),
    FieldKind.STATE: Template("event", "begin {state} end"),
    FieldKind.MEMBER: Template("event", "begin {member_id} end"),
    FieldKind.OTHER: Template("event", "begin {state} end", narrow={"state": "incorrect|not available"}),
}
ACCEPTED = {
    FieldKind.TEXT: ["", "-", "7", "Stable", "two words", f"app-{UUID}", "группа"],
    FieldKind.NUMBER: ["0", "7", "-1", "2147483647"],
    FieldKind.STATE: ["Stable", "PreparingRebalance", "wait-sync", "wait_sync", "-"],
    FieldKind.MEMBER: [f"app-{UUID}", f"-{UUID}", "V-Ggw4BDSB_NlNnwxOyjEg", f"two words-{UUID.upper()}"],
    FieldKind.OTHER: [],
}
VALUES = [
    *(value for values in ACCEPTED.values() for value in values),
    "--1",
    "7a",
    "12345678901",
    UUID,
    "not available",
]


@pytest.mark.parametrize("kind", TEMPLATES)
def test_the_compiled_matcher_checks_each_kind_of_field_as_the_pattern_does(kind: FieldKind) -> None:
    template = TEMPLATES[kind]
    (name,) = template.fields
    assert template.kind_of(name) == kind
    numbers, begins, ends = run(program([(0, template)]), pa.array([f"begin {value} end" for value in VALUES]))
    accepted = [value for value, number in zip(VALUES, numbers, strict=True) if number != NOT_SURE]
    assert sorted(set(accepted)) == sorted(set(VALUES if kind == FieldKind.TEXT else ACCEPTED[kind]))
    for value, begin, end in zip(VALUES, begins[:, 0], ends[:, 0], strict=True):
        matched = re.match(template.pattern, f"begin {value} end")
        assert value not in accepted or (matched and matched[name] == f"begin {value} end".encode()[begin:end].decode())


def test_every_kind_of_field_has_a_case() -> None:
    assert set(TEMPLATES) == set(FieldKind) - {FieldKind.NONE}
