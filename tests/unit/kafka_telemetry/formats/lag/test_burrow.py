"""Responses of Burrow's HTTP API v3, built as its code builds them."""

import json
from typing import Any

from support.recorded_lag import read_lag, select, select_kind

TIME = 1769860800000  # 2026-01-31T12:00:00Z


def response(url: str, **more: Any) -> str:
    return json.dumps({"error": False, "message": "ok"} | more | {"request": {"url": url, "host": "burrow-1"}})


def offset(value: int, time: int = TIME, lag: int | None = 0) -> dict[str, Any]:
    return {"offset": value, "timestamp": time, "observedAt": time + 5, "lag": lag}


def partition(**more: Any) -> dict[str, Any]:
    defaults = {"topic": "t", "partition": 0, "owner": "/10.0.0.1", "client_id": "c", "status": "OK", "complete": 1.0}
    return defaults | {"start": offset(10, TIME - 60_000), "end": offset(20, lag=3), "current_lag": 4} | more


def status(*partitions: dict[str, Any]) -> str:
    group: dict[str, Any] = {
        "cluster": "eu",
        "group": "g",
        "status": "WARN",
        "complete": 1.0,
        "partition_count": 2,
        "totallag": 4,
    }
    group |= {"partitions": list(partitions), "maxlag": partitions[0]}
    return response("/v3/kafka/eu/consumer/g/lag", status=group)


def test_a_partition_s_last_commit_and_current_lag_are_one_row() -> None:
    rows, receipt = read_lag(status(partition()), "no-time.json")
    assert select_kind(rows, "group_offset") == [
        {
            "kind": "group_offset",
            "reporter": "burrow",
            "source_position": 0,
            "sampled_at": "2026-01-31T12:00:00.005",
            "group_id": "g",
            "topic": "t",
            "partition_id": 0,
            "committed_offset": 20,
            "reported_lag": 4,
            "lag_meaning": "unsigned",
            "client_id": "c",
            "client_host": "/10.0.0.1",
            "details": {
                "cluster": "eu",
                "status": "OK",
                "complete": "1.0",
                "commit_timestamp_ms": str(TIME),
                "lag_at_commit": "3",
                "window_start_offset": "10",
                "window_start_ms": str(TIME - 60_000),
            },
        }
    ]
    assert select(select_kind(rows, "group_state"), "group_id", "details") == [
        ("g", {"cluster": "eu", "status": "WARN", "partitions": "2", "total_lag": "4"})
    ]
    assert (receipt.format, receipt.records, receipt.understood) == ("burrow", 2, 2)


def test_the_time_in_the_name_takes_precedence_over_the_time_of_the_commits() -> None:
    rows, _ = read_lag(status(partition(), partition(partition=1, start=None, end=None)), "lag-20260131T130000Z.json")
    assert {row["sampled_at"] for row in rows} == {"2026-01-31T13:00:00.000"}


def test_a_file_with_a_partition_without_commits_needs_a_time_in_its_name() -> None:
    rows, receipt = read_lag(status(partition(), partition(partition=1, start=None, end=None)), "lag.json")
    assert [row["kind"] for row in rows] == ["rejected_file"]
    assert (receipt.records, receipt.not_understood) == (3, 3)


def test_a_null_lag_and_a_wrapped_lag_are_null_and_the_wrapped_one_is_noted_in_the_details() -> None:
    rows, _ = read_lag(
        status(
            partition(end=None, current_lag=None),
            partition(partition=1, end=offset(20, lag=None), current_lag=2**64 - 5),
        )
    )
    positions = select_kind(rows, "group_offset")
    assert select(positions, "partition_id", "committed_offset", "reported_lag") == [(0, None, None), (1, 20, None)]
    assert [row["details"].get("lag_problem") for row in positions] == [None, f"wrapped below zero: {2**64 - 5}"]
    assert "lag_at_commit" not in positions[1]["details"]


def test_of_a_consumer_s_commits_the_last_of_each_partition_is_read() -> None:
    topics = {
        "t": [
            {"offsets": [None, offset(5), offset(9, TIME + 1000)], "owner": "", "client_id": "c", "current-lag": 2},
            {"offsets": [None, None], "owner": "", "client_id": "", "current-lag": 0},
        ]
    }
    rows, _ = read_lag(response("/v3/kafka/eu/consumer/my%20group", topics=topics))
    columns = ("group_id", "topic", "partition_id", "committed_offset", "reported_lag", "client_id", "client_host")
    assert select(rows, *columns) == [("my group", "t", 0, 9, 2, "c", None), ("my group", "t", 1, None, 0, None, None)]


def test_a_topic_s_offsets_are_log_ends_by_partition() -> None:
    rows, _ = read_lag(response("/v3/kafka/eu/topic/t", offsets=[7, 8]))
    assert select(rows, "kind", "topic", "partition_id", "log_end_offset") == [
        ("log_offset", "t", 0, 7),
        ("log_offset", "t", 1, 8),
    ]


def test_lists_of_names_are_ignored_and_an_error_rejects_the_file() -> None:
    rows, receipt = read_lag(response("/v3/kafka/eu/consumer", consumers=["a", "b"]))
    assert (rows, receipt.records, receipt.ignored) == ([], 2, 2)
    rows, receipt = read_lag('{"error":true,"message":"cluster not found","request":{"url":"/v3/kafka/x","host":"h"}}')
    assert select(rows, "kind", "problem") == [("rejected_file", "Burrow answered: cluster not found")]


def test_an_incomplete_response_is_stored_as_text() -> None:
    rows, receipt = read_lag(status(partition())[:-30])
    assert [row["kind"] for row in rows] == ["unknown"]
    assert (receipt.records, receipt.not_understood) == (1, 1)
