"""The sticky assignors compute what the clients of the recordings really assigned."""

import base64
import json
import struct
from typing import Any, NamedTuple

import pytest
from support.segment_reading import RECORDED, read_file, read_table, recorded_segments

from kafka_telemetry.groups.assignors import ASSIGNORS
from kafka_telemetry.groups.assignors.assignor_inputs import Assignment, MemberSubscription, TopicPartition

_GROUP_METADATA = 2


class RecordedGeneration(NamedTuple):
    # In the order of the record, which is that in which the leader got them.
    members: list[MemberSubscription]
    assignment: Assignment


def _recorded_values() -> list[dict[str, Any]]:
    """The first record of each generation: later ones may contain a static member that returned."""
    first: dict[tuple[Any, ...], tuple[int, dict[str, Any]]] = {}
    for path in recorded_segments():
        table, _ = read_table(read_file(path))
        for row in table.select(["key_type", "group_id", "record_offset", "value_json"]).to_pylist():
            value = json.loads(row["value_json"] or "null") if row["key_type"] == _GROUP_METADATA else None
            if value and value["members"]:
                recording = path.relative_to(RECORDED).parts[0]
                key = (recording, row["group_id"], value["generation"], value["leader"])
                if key not in first or row["record_offset"] < first[key][0]:
                    first[key] = row["record_offset"], value
    return [value for _, value in first.values()]


@pytest.fixture(scope="module")
def values() -> list[dict[str, Any]]:
    return _recorded_values()


@pytest.mark.parametrize(("assignor", "at_least"), [("sticky", 9), ("cooperative-sticky", 20)])
def test_recorded_assignments_are_computed(assignor: str, at_least: int, values: list[dict[str, Any]]) -> None:
    generations = [_generation(value) for value in values if value["protocol"] == assignor]
    assert len(generations) >= at_least
    partitions: dict[str, int] = {}
    for value in values:
        for topic, number in (partition for member in value["members"] for partition in _partitions(_assigned(member))):
            partitions[topic] = max(partitions.get(topic, 0), number + 1)
    for members, assignment in generations:
        computed = ASSIGNORS[assignor](members, partitions)
        assert {name: sorted(owned) for name, owned in computed.items()} == assignment


def _generation(value: dict[str, Any]) -> RecordedGeneration:
    members = [_subscription(member, value["protocol"]) for member in value["members"]]
    return RecordedGeneration(
        members, {member["memberId"]: sorted(_partitions(_assigned(member))) for member in value["members"]}
    )


def _assigned(member: dict[str, Any]) -> list[dict[str, Any]]:
    return member["assignment"]["assignedPartitions"] if isinstance(member["assignment"], dict) else []


def _subscription(member: dict[str, Any], assignor: str) -> MemberSubscription:
    subscription = member["subscription"]
    owned, generation = subscription.get("ownedPartitions") or [], subscription.get("generationId", -1)
    data = base64.b64decode(subscription["userData"] or "")
    if assignor == "sticky":
        owned, generation = _sticky_user_data(data) if data else ([], -1)
    elif generation < 0 and data:
        (generation,) = struct.unpack(">i", data)
    return MemberSubscription(
        member["memberId"], member["groupInstanceId"], frozenset(subscription["topics"]), _partitions(owned), generation
    )


def _sticky_user_data(data: bytes) -> tuple[list[dict[str, Any]], int]:
    """By topic the partitions that the member was assigned, then the generation that assigned them."""
    position = 0

    def read(layout: str) -> Any:
        nonlocal position
        (value,) = struct.unpack_from(layout, data, position)
        position += struct.calcsize(layout)
        return value

    owned = []
    for _ in range(read(">i")):
        topic = read(f">{read('>h')}s").decode()
        owned.append({"topic": topic, "partitions": [read(">i") for _ in range(read(">i"))]})
    return owned, read(">i")


def _partitions(owned: list[dict[str, Any]]) -> tuple[TopicPartition, ...]:
    return tuple((part["topic"], number) for part in owned for number in part["partitions"])
