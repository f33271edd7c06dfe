"""Group records with values that no broker writes: they are counted, not replayed, and never raise."""

import json
from typing import Any

import pyarrow as pa
import pytest
from support.coordinator_logs import (
    classic,
    current,
    epoch,
    generations,
    joined,
    member,
    record,
    replayed,
    replayed_after,
    target,
    target_of,
)

from kafka_telemetry.formats.json_documents import storable_json
from kafka_telemetry.groups.coordinator.group_record import GroupRecord, parse_value

ODD_VALUES: list[Any] = [
    *(5, -1, 1.5, float("nan"), 2**31, 2**63, 10**23, True, "", "x", "\0", [], {}, [None], [[]], [5], [{}], ["t"]),
    *([{"topic": "t"}], [{"topic": 5, "partitions": [0]}], [{"topic": "t", "partitions": "0"}], [{"partitions": [0]}]),
    *([{"topicId": "x", "partitions": [2**31]}], [{"topicId": None, "partitions": [0]}], [{"memberId": None}]),
    *({"assignedPartitions": 5}, {"assignedPartitions": [5]}, {"topics": 5}, {"topics": [5]}, [{"topicId": "x"}]),
]
VALUES = {
    2: classic(2, member("a", 0), member("b", 1)).value,
    3: {"epoch": 5},
    4: {"topics": [{"topicId": "x", "topicName": "t"}]},
    5: joined("a", value={"serverAssignor": "range", "subscribedTopicRegex": "t.*", "rebalanceTimeoutMs": 1}).value,
    6: {"assignmentEpoch": 5},
    7: target("a", 0).value,
    8: current("a", 5, 0, pending=(1,)).value,
    11: {"epoch": 5},
    16: {"topics": ["t"], "version": 1, "timestamp": 1},
    22: {"memberEpoch": 1, "activeTasks": [{"subtopologyId": "0", "partitions": [0]}]},
}
CLASSIC = (classic(1, member("a", 0, 1)), classic(3, member("a", 0), member("c", 1)))
EPOCHS = (joined("a"), epoch(5), target("a", 0), target_of(5), current("a", 5, 0))


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = range(len(value)) if isinstance(value, list) else value if isinstance(value, dict) else ()
    return [*([path] if path else []), *(below for key in inner for below in paths(value[key], (*path, key)))]


def changed(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    copy = json.loads(json.dumps(value))
    parent = copy
    for key in path[:-1]:
        parent = parent[key]
    parent[path[-1]] = odd
    return copy


def odd_records(key_type: int) -> list[GroupRecord]:
    value = VALUES[key_type]
    names = {"member_id": "a", "regular_expression": "t.*"}
    return [
        record(key_type, changed(value, path, odd), **names) for path in paths(value) for odd in (None, *ODD_VALUES)
    ]


@pytest.mark.parametrize("key_type", [*VALUES])
def test_no_value_of_any_field_raises_on_its_day_or_on_the_next(key_type: int) -> None:
    odd = odd_records(key_type)
    assert len(odd) >= 25
    for one in odd:
        for log in (CLASSIC, EPOCHS):
            day = replayed_after((*log, one), (*log, one, *log))
            assert len(day.generations) == 2 * len(log) + 1
            for rows in (day.generations, day.members, day.groups, day.owner_changes):
                pa.RecordBatch.from_pylist(rows)


def test_a_record_that_is_not_valid_is_counted_and_changes_nothing() -> None:
    odd = record(2, changed(VALUES[2], ("members",), 5))
    assert not odd.is_valid
    with_it, without = replayed(CLASSIC[0], odd, CLASSIC[1]), replayed(*CLASSIC)
    columns = ("incarnation", "generation", "member_count", "partitions_moved")
    assert generations(with_it, *columns) == generations(without, *columns)
    assert len(with_it.generations) == 3


@pytest.mark.parametrize("time", [2**63 - 1, 253402300800000, -1, -(2**63)])
def test_a_time_of_a_state_that_no_table_holds_is_null(time: int) -> None:
    odd = classic(1, member("a", 0))
    day = replayed(odd._replace(value={**(odd.value or {}), "currentStateTimestamp": time}))
    assert generations(day, "generation", "state_at") == [(1, None)]


@pytest.mark.parametrize("partition", [2**31 - 1, -1, -(2**31)])
def test_any_partition_of_32_bits_is_replayed(partition: int) -> None:
    day = replayed(classic(1, member("a", partition), member("b", 0)))
    assert generations(day, "generation", "member_count") == [(1, 2)]
    assert [row["owned"][0]["partitions"] for row in day.members] == [[partition], [0]]


@pytest.mark.parametrize(
    "text",
    ["", "5", "[]", '"x"', "{", "null", "[" * 3000, '{"generation":' + "9" * 60_001 + "}", "\ufffd", '{"a":NaN}'],
)
def test_any_text_is_a_value(text: str) -> None:
    value = parse_value(text, tombstone=False)
    assert isinstance(value, dict)
    replayed(record(2, value), record(5, value, member_id="a"))


def test_half_of_a_surrogate_pair_is_replaced_where_a_value_is_parsed() -> None:
    value = parse_value('{"generation":1,"members":[{"memberId":"\\ud800a"}]}', tombstone=False)
    assert value == {"generation": 1, "members": [{"memberId": "\ufffda"}]}
    day = replayed(record(2, value))
    day.groups[0]["heap"].encode()
    assert storable_json('"\\ud83d\\ude00\\\\ud800"') == '"\\ud83d\\ude00\\\\ud800"'
