"""Every message template, filled in, written as a log line and read back."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest
from support.recorded_logs import read_log

from kafka_telemetry.formats.logs.message_template import LIST_FIELDS, MessageTemplate
from kafka_telemetry.formats.logs.templates.broker_templates import BROKER_TEMPLATES
from kafka_telemetry.formats.logs.templates.java_client_templates import CLIENT_TEMPLATES
from kafka_telemetry.formats.logs.templates.other_client_templates import FRANZ_GO, KAFKA_PYTHON, LIBRDKAFKA, SARAMA

COLUMNS = ("group_id", "member_id", "client_id", "instance_id", "generation", "offsets_partition", "reason_text")
UUID = "6f2c0c1e-5a0b-4b52-9f53-0d3b1f5a7c11"

PLAIN = {
    "group_id": "orders",
    "member_id": f"app-1-{UUID}",
    "client_id": "app-1",
    "instance_id": "pod-1",
    "old_member_id": f"app-1-{UUID[::-1]}",
    "current_member_id": f"app-2-{UUID}",
}
NASTY = {
    "group_id": 'billing [eu] generation 7 with "quotes", группа',
    "member_id": f"цикл [a] in group b-{UUID}",
    "client_id": "клиент [a], b",
    "instance_id": "стенд (1) and more",
    "old_member_id": f"старый [a] of x-{UUID}",
    "current_member_id": f"現在 [a]-{UUID}",
}
LONG = PLAIN | {"group_id": ("очень-" * 50)[:255], "client_id": "c" * 255, "member_id": "c" * 255 + "-" + UUID}
KIP_848 = PLAIN | {"member_id": "V-Ggw4BDSB_NlNnwxOyjEg", "old_member_id": "2-7NKeTNzQBiGsrNfNYzNA"}
# Values of fields that do not accept any text, or whose text is parsed further.
VALUES = {
    "state": "Stable", "from_state": "STABLE", "to_state": "RECONCILING", "protocol_kind": "consumer",
    "group_kind": "consumer", "old_group_kind": "classic", "protocols": "range, cooperative-sticky",
    "client_host": "/10.0.0.7", "partitions": "orders-0, tele.metry-11", "assigned": "orders-0, orders-1",
    "owned": "orders-0", "added": "orders-1", "revoked": "orders-2", "topic_partition": "tele.metry-eu-3",
    "disconnected": "false", "leader_epoch": "12", "leader": "Optional[kafka-2:9092 (id: 2 rack: null)]",
    "offset_epoch": "Optional[12]", "coordinator": "kafka-1:9092 (id: 2147483646 rack: null isFenced: false)",
    "reason_text": "cached metadata has changed", "error": "The coordinator is not aware of this member.",
    "broker_id": "1", "assignor": "uniform", "metadata_hash": "-4822938120016438401", "coordinator_epoch": "3",
    "deleted_groups": "a, b",
    "callback": "onPartitionsRevoked", "operation": "heartbeat", "why": "it is so", "join_state": "wait-sync",
    "client_reason": "the consumer is being closed", "max_poll_interval_ms": "300000",
}  # fmt: skip


class Family(NamedTuple):
    name: str
    templates: Sequence[MessageTemplate]
    line: str
    ids: tuple[dict[str, str], ...]


BROKER = "[2026-11-18 10:00:00,120] INFO {} (org.apache.kafka.coordinator.group.GroupMetadataManager)\n"
SCALA = "[2026-11-18 10:00:00,120] INFO [GroupCoordinator 1]: {} (kafka.coordinator.group.GroupCoordinator)\n"
JAVA = "[GroupCoordinator id=1 topic=__consumer_offsets partition=31] "
CLIENT = "2026-11-18 10:00:00,120 INFO  [main] o.a.k.c.c.i.ConsumerCoordinator - [Consumer clientId=a, groupId=g] {}\n"
FAMILIES = (
    Family("broker", BROKER_TEMPLATES, BROKER, (PLAIN, NASTY, LONG, KIP_848)),
    Family("scala broker", BROKER_TEMPLATES, SCALA, (PLAIN, NASTY)),
    Family("consumer", CLIENT_TEMPLATES, CLIENT, (PLAIN, NASTY, LONG, KIP_848)),
    Family("librdkafka", LIBRDKAFKA, "%4|1795001110.034|MAXPOLL|app#consumer-1| [thrd:main]: {}\n", (PLAIN, NASTY)),
    Family("kafka-python", KAFKA_PYTHON, "2026-11-18 10:00:00,120 INFO kafka.coordinator {}\n", (PLAIN,)),
    Family("franz-go", FRANZ_GO, "[INFO] {}\n", (PLAIN,)),
    Family("sarama", SARAMA, "2026/11/18 10:00:00 {}\n", (PLAIN,)),
)
CASES = [
    pytest.param(family, template, ids, id=f"{family.name}: {template.text[:70]}")
    for family in FAMILIES
    for template in family.templates
    for ids in family.ids
]


def value_of(template: MessageTemplate, name: str, ids: dict[str, str]) -> str:
    if name in ids:  # a pattern of the template's own may exclude commas
        return (PLAIN if name in template.field_patterns else ids)[name]
    if name == "state" and "state" in template.field_patterns:
        return "incorrect"
    if name == "epoch" or template.field_pattern(name).startswith("-?[0-9]"):
        return VALUES.get(name, "7")
    return VALUES.get(name, f"some {name}")


class FilledTemplate(NamedTuple):
    values: dict[str, str]
    row: dict[str, Any] | None


def filled_templates(family: Family, ids: dict[str, str]) -> dict[str, FilledTemplate]:
    """All templates of a family in one file: the values of each and the row that was read."""
    if (key := (family.name, id(ids))) not in _READ:
        text, starts, values_of = "", {}, {}
        for template in family.templates:
            values = {name: value_of(template, name, ids) for name in template.fields}
            message = template.text.replace("  ", "\n\t")
            for name, value in values.items():
                message = message.replace(f"{{{name}}}", value)
            starts[template.text], values_of[template.text] = text.count("\n") + 1, values
            text += family.line.format(message)
        rows, receipt = read_log(text)
        assert receipt.records == len(family.templates)
        by_line = {row["source_position"]: row for row in rows}
        _READ[key] = {
            template: FilledTemplate(values_of[template], by_line.get(start)) for template, start in starts.items()
        }
    return _READ[key]


_READ: dict[tuple[str, int], dict[str, FilledTemplate]] = {}


@pytest.mark.parametrize(("family", "template", "ids"), CASES)
def test_a_filled_template_is_read_as_its_event_with_all_of_its_fields(
    family: Family, template: MessageTemplate, ids: dict[str, str]
) -> None:
    values, row = filled_templates(family, ids)[template.text]
    if not template.event:
        assert row is None
        return
    assert row is not None
    assert (row["kind"], row["event"]) == ("event", template.event)
    fields = {name: row[name] for name in COLUMNS} | row["details"]
    assert {name: str(fields.get(name)) for name in values} == values


def test_every_family_has_templates() -> None:
    assert all(len(family.templates) >= 5 for family in FAMILIES)
    assert LIST_FIELDS


def test_lists_are_the_same_with_and_without_brackets() -> None:
    text = (
        CLIENT.format("Adding newly assigned partitions: [a-0, a-1]")
        + CLIENT.format("Adding newly assigned partitions: []")
        + CLIENT.format("Adding newly assigned partitions: ")
    )
    rows, _ = read_log(text)
    assert [row["details"]["partitions"] for row in rows[:3]] == ["a-0, a-1", "", ""]


def test_an_option_is_unwrapped() -> None:
    rows, _ = read_log(
        SCALA.format(f"Adding new static member Some(pod-1) to group orders with member id pod-1-{UUID}.")
        + SCALA.format(
            f"Member[group.instance.id None, member.id app-{UUID}] in group g has left, removing it from the group"
        )
    )
    assert [(row["instance_id"], row["member_id"], row["group_id"]) for row in rows] == [
        ("pod-1", f"pod-1-{UUID}", "orders"),
        (None, f"app-{UUID}", "g"),
    ]


def test_a_comma_within_a_member_id_does_not_separate_member_ids() -> None:
    first, second = f"a, b-{UUID}", f"c-{UUID}"
    line = SCALA.format("Preparing to rebalance group g in state Stable with old generation 4 (reason: {}).")
    leaving = "explicit `LeaveGroup` request for ({}) members."
    rows, _ = read_log(line.format(leaving.format(first)) + line.format(leaving.format(f"{first}, {second}")))
    assert [(row["member_id"], row["details"].get("member_ids")) for row in rows] == [
        (first, None),
        (None, f"{first}, {second}"),
    ]
