"""The compiled matcher finds what the patterns of the templates find, or leaves the message to them."""

import random
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from support.recorded_logs import broker_log, client_logs

from kafka_telemetry.formats.logs.captures import Captures
from kafka_telemetry.formats.logs.message_template import FieldKind, MessageTemplate
from kafka_telemetry.formats.logs.template_match import NO_TEMPLATE, TemplateMatcher
from kafka_telemetry.formats.logs.template_match_fast import NOT_SURE, compile_templates, match_fast
from kafka_telemetry.formats.logs.templates.broker_templates import BROKER_TEMPLATES
from kafka_telemetry.formats.logs.templates.java_client_templates import CLIENT_TEMPLATES

UUID = "6f2c0c1e-5a0b-4b52-9f53-0d3b1f5a7c11"
TEMPLATES = {
    FieldKind.TEXT: MessageTemplate("event", "begin {group_id} end"),
    FieldKind.NUMBER: MessageTemplate("event", "begin {epoch} end"),
    FieldKind.STATE: MessageTemplate("event", "begin {state} end"),
    FieldKind.MEMBER: MessageTemplate("event", "begin {member_id} end"),
    FieldKind.NO_COMMA: MessageTemplate("event", "begin {client_host} end"),
    FieldKind.OTHER: MessageTemplate("event", "begin {state} end", field_patterns={"state": "incorrect|not available"}),
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
    *("--1", "7a", "12345678901", UUID, "not available", "a, b"),
]
ACCEPTED |= {FieldKind.TEXT: VALUES, FieldKind.NO_COMMA: [value for value in VALUES if "," not in value]}


@pytest.mark.parametrize("kind", TEMPLATES)
def test_the_compiled_matcher_checks_each_kind_of_field_as_the_pattern_does(kind: FieldKind) -> None:
    template = TEMPLATES[kind]
    (name,) = template.fields
    assert template.field_kind(name) == kind
    messages = [f"begin {value} end" for value in VALUES]
    found = match_fast(compile_templates([template]), pa.array(messages))
    accepted = [value for value, number in zip(VALUES, found.template, strict=True) if number != NOT_SURE]
    assert set(accepted) == set(ACCEPTED[kind])
    for value, message, begin, end in zip(VALUES, messages, found.begins[:, 0], found.ends[:, 0], strict=True):
        by_pattern = re.match(template.pattern, message)
        assert value not in accepted or (by_pattern and by_pattern[name] == message.encode()[begin:end].decode())


def test_an_id_that_looks_like_the_next_field_is_captured_whole() -> None:
    template = MessageTemplate(
        "event", "Loaded member (clientId={client_id}, clientHost={client_host}, sessionTimeoutMs={epoch})"
    )
    messages = pa.array(["Loaded member (clientId=a, clientHost=b, clientHost=/10.0.0.7, sessionTimeoutMs=7)"])
    (row,) = matches(TemplateMatcher([template]), messages, fast=True)
    assert row["fields"] == {"client_id": "a, clientHost=b", "client_host": "/10.0.0.7", "epoch": "7"}


def test_every_kind_of_field_has_a_case() -> None:
    assert set(TEMPLATES) == set(FieldKind) - {FieldKind.NONE}


def disturbed(message: str, chance: random.Random) -> str:
    characters = list(message)
    for _ in range(chance.choice((1, 1, 2, 3))):
        at = chance.randrange(len(characters) + 1)
        characters[at : at + chance.choice((0, 1, 1))] = chance.choice(["", *"[](){},.: =-'7aé", "] ", " group ", ", "])
    return "".join(characters)


def matches(matcher: TemplateMatcher, messages: pa.StringArray, *, fast: bool) -> list[dict[str, Any]]:
    """The event, the reason and the captured fields of each message."""
    matched, captures = np.full(len(messages), NO_TEMPLATE, dtype=np.int32), Captures()
    match = matcher.match if fast else matcher.match_with_patterns
    match(messages, np.arange(len(messages)), matched, captures)
    fields = captures.maps((), len(messages)).to_pylist()
    found = [matcher.templates[number] if number != NO_TEMPLATE else None for number in matched]
    return [
        {"event": template and template.event, "reason": template and template.reason, "fields": dict(row)}
        for template, row in zip(found, fields, strict=True)
    ]


BROKER_MESSAGE = r"(?m)\[Group(?:Coordinator|MetadataManager)[^\]\n]*\]:? (.*) \([\w.$]+\)$"
CLIENT_MESSAGE = r"(?m)\[Consumer [^\]\n]*\] (.*)$"


@pytest.mark.parametrize(
    ("templates", "pattern", "texts"),
    [
        (BROKER_TEMPLATES, BROKER_MESSAGE, lambda: [broker_log("kafka-3.9"), broker_log("kafka-4.3")]),
        (CLIENT_TEMPLATES, CLIENT_MESSAGE, lambda: client_logs("kafka-4.3").values()),
    ],
    ids=["broker", "client"],
)
def test_disturbed_messages_have_the_same_template_and_fields_with_and_without_it(
    templates: tuple[MessageTemplate, ...], pattern: str, texts: Any
) -> None:
    chance = random.Random(7)
    recorded = sorted({message for text in texts() for message in re.findall(pattern, text)})
    messages = [*recorded, *(disturbed(message, chance) for message in recorded for _ in range(3))]
    matcher = TemplateMatcher(templates)
    fast = matches(matcher, pa.array(messages), fast=True)
    assert sum(row["event"] is not None for row in fast) > len(messages) / 3
    assert fast == matches(matcher, pa.array(messages), fast=False)
