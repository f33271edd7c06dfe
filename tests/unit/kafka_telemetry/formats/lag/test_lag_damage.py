"""Damaged files: whatever they contain, a reader ends with a receipt whose counts add up."""

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from support.recorded_lag import read_lag, recorded_files

TIME = 1769860800
RANGE = {
    "status": "success",
    "data": {
        "resultType": "matrix",
        "result": [
            {
                "metric": {
                    "__name__": "kafka_consumergroup_lag",
                    "consumergroup": "g",
                    "topic": "a.b",
                    "partition": "3",
                },
                "values": [[TIME, "0"], [TIME + 15, "1"]],
            },
            {"metric": {"__name__": "up"}, "value": [TIME, "1"]},
        ],
    },
}
COMMIT = {"offset": 7, "timestamp": TIME * 1000, "observedAt": TIME * 1000, "lag": 2}
LAG = {
    "error": False,
    "status": {
        "cluster": "eu",
        "group": "g",
        "partition_count": 1,
        "totallag": 4,
        "partitions": [
            {"topic": "t", "partition": 0, "owner": "h", "status": "OK", "start": None, "end": COMMIT, "current_lag": 4}
        ],
    },
    "request": {"url": "/v3/kafka/eu/consumer/g/lag"},
}
COMMITS = {
    "error": False,
    "topics": {"t": [{"offsets": [None, COMMIT], "owner": "h", "client_id": "c", "current-lag": 3}]},
    "request": {"url": "/v3/kafka/eu/consumer/g"},
}
ODD_VALUES = [None, True, -1, 1.5, 1e300, 2**63, 2**70, "", "x", [], {}, [None], [[1, "2"]], {"a": 1}, float("nan")]


def paths(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    if isinstance(document, dict | list):
        for key in document if isinstance(document, dict) else range(len(document)):
            yield from paths(document[key], (*path, key))


@pytest.mark.parametrize("document", [RANGE, LAG, COMMITS], ids=["range", "lag", "commits"])
def test_a_response_with_an_odd_value_anywhere_is_read_to_its_end(document: dict[str, Any]) -> None:
    assert read_lag(json.dumps(document))[1].understood >= 1
    for *path, last in paths(document):
        for odd in ODD_VALUES:
            damaged = copy.deepcopy(document)
            parent: Any = damaged
            for key in path:
                parent = parent[key]
            parent[last] = odd
            read_lag(json.dumps(damaged))


INSERTED_BYTES = [
    b"\n",
    b'"',
    b"{",
    b"}",
    b",",
    b" ",
    b"-",
    b"1e400",
    b"9" * 20,
    b"NaN",
    b"\\",
    b"\xff",
    b"\0",
    b":",
    b"\t",
    b"\r",
]


def test_a_recording_with_bytes_removed_and_inserted_is_read_to_its_end() -> None:
    chance = random.Random(20261118)
    recorded = recorded_files("*/lag/*") + recorded_files("*/metrics/*/*")
    files = [(name, content) for name, content in recorded if 0 < len(content) < 20_000]
    for _ in range(400):
        name, content = chance.choice(files)
        damaged = bytearray(content)
        for _ in range(chance.randint(1, 6)):
            start = chance.randrange(len(damaged) + 1)
            damaged[start : start + chance.choice([0, 0, 1, 3, 20, 200])] = chance.choice(INSERTED_BYTES)
        read_lag(bytes(damaged), name)
