"""Damaged answers: whatever stands where, a reader ends with a receipt that adds up."""

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from support.recorded_lag import read, recorded

AT = 1769860800
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
                "values": [[AT, "0"], [AT + 15, "1"]],
            },
            {"metric": {"__name__": "up"}, "value": [AT, "1"]},
        ],
    },
}
COMMIT = {"offset": 7, "timestamp": AT * 1000, "observedAt": AT * 1000, "lag": 2}
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
ODD = [None, True, -1, 1.5, 1e300, 2**63, 2**70, "", "x", [], {}, [None], [[1, "2"]], {"a": 1}, float("nan")]


def places(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    if isinstance(document, dict | list):
        for key in document if isinstance(document, dict) else range(len(document)):
            yield from places(document[key], (*path, key))


@pytest.mark.parametrize("document", [RANGE, LAG, COMMITS], ids=["range", "lag", "commits"])
def test_any_odd_value_anywhere_in_an_answer_is_taken_or_kept_as_text(document: dict[str, Any]) -> None:
    assert read(json.dumps(document))[1].understood >= 1
    for *path, last in places(document):
        for odd in ODD:
            damaged = copy.deepcopy(document)
            inner: Any = damaged
            for key in path:
                inner = inner[key]
            inner[last] = odd
            read(json.dumps(damaged))


BITS = [
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


def test_a_recording_with_bytes_cut_out_and_put_in_is_read_to_its_end() -> None:
    chance = random.Random(20261118)
    files = [one for one in recorded("*/lag/*") + recorded("*/metrics/*/*") if 0 < len(one[1]) < 20_000]
    for _ in range(400):
        name, content = chance.choice(files)
        damaged = bytearray(content)
        for _ in range(chance.randint(1, 6)):
            start = chance.randrange(len(damaged) + 1)
            damaged[start : start + chance.choice([0, 0, 1, 3, 20, 200])] = chance.choice(BITS)
        read(bytes(damaged), name)
