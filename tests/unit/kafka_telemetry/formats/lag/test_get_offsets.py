"""kafka-get-offsets: every recorded line, and what the name of its file must contain."""

import pytest
from support.recorded_lag import read_lag, recorded_files, select


@pytest.mark.parametrize(("end", "column"), [("start", "log_start_offset"), ("end", "log_end_offset")])
def test_every_recorded_offset_is_read_into_the_column_of_its_end_of_the_log(end: str, column: str) -> None:
    for name, content in recorded_files(f"*/lag/{end}-offsets-*"):
        expected = [line.rsplit(":", 2) for line in content.decode().split()]
        rows, receipt = read_lag(content, name)
        assert select(rows, "topic", "partition_id", column) == [(t, int(p), int(o)) for t, p, o in expected]
        assert {row["kind"] for row in rows} <= {"log_offset"}
        assert (receipt.understood, receipt.not_understood, receipt.ignored) == (len(expected), 0, 0)


def test_the_time_of_a_reading_comes_from_the_name() -> None:
    for stamp in ("20260131T120001Z", "2026-01-31T12-00-01Z"):
        rows, _ = read_lag("t:0:5\n", f"broker-7/latest.{stamp}.txt")
        assert rows == [
            {
                "kind": "log_offset",
                "reporter": "get_offsets",
                "source_position": 1,
                "sampled_at": "2026-01-31T12:00:01.000",
                "topic": "t",
                "partition_id": 0,
                "log_end_offset": 5,
            }
        ]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("offsets-20260131T120000Z.txt", "neither start (earliest) nor end (latest)"),
        ("start-and-end-20260131T120000Z.txt", "neither start (earliest) nor end (latest)"),
        ("backend-20260131T120000Z.txt", "neither start (earliest) nor end (latest)"),
        ("earliest-local-20260131T120000Z.txt", "neither start (earliest) nor end (latest)"),
        ("end-offsets.txt", "has no time"),
        ("end-offsets-20261331T120000Z.txt", "has no time"),
        ("end-20260131T120000Z/offsets.txt", "has no time"),
    ],
)
def test_a_whole_file_without_time_or_end_of_the_log_in_its_name_is_rejected(name: str, problem: str) -> None:
    rows, receipt = read_lag("t:0:5\nt:1:6\n", name)
    assert [row["kind"] for row in rows] == ["rejected_file"]
    assert problem in rows[0]["problem"]
    assert (receipt.records, receipt.not_understood, receipt.details) == (2, 2, {"rejected_file": 1})


def test_an_empty_offset_as_in_2_8_and_minus_one_are_null() -> None:
    rows, receipt = read_lag("t:0:\nt:1:-1\nt:2:0\n", "end-20260131T120000Z.txt")
    assert select(rows, "partition_id", "log_end_offset") == [(0, None), (1, None), (2, 0)]
    assert receipt.understood == 3


def test_messages_of_the_tool_are_ignored_and_other_lines_are_stored_as_text() -> None:
    text = "Skip getting offsets for topic-partition t-0 due to error: x\nt:1:7\nt;2;8\n"
    rows, receipt = read_lag(text, "end-20260131T120000Z.txt")
    assert select(rows, "kind", "source_position", "text") == [("log_offset", 2, None), ("unknown", 3, "t;2;8")]
    assert (receipt.understood, receipt.not_understood, receipt.ignored) == (1, 1, 1)


def test_messages_of_2_8_about_missing_topics_are_ignored() -> None:
    rows, receipt = read_lag(
        "Topic gone does not exist\nt.x-1:0:7\nTopic gone does not exist\n", "end-20260131T120000Z.txt"
    )
    assert select(rows, "topic", "partition_id", "log_end_offset") == [("t.x-1", 0, 7)]
    assert (receipt.understood, receipt.not_understood, receipt.ignored) == (1, 0, 2)
    rows, receipt = read_lag("Topic gone does not exist\n", "end-20260131T120000Z.txt")
    assert (rows, receipt.format, receipt.ignored) == ([], "get_offsets", 1)


def test_the_usage_that_2_8_prints_when_called_without_a_topic_is_ignored() -> None:
    usage = """Missing required argument "[topic]"
Option                                 Description                            
------                                 -----------                            
--broker-list <String: hostname:       REQUIRED: The list of hostname and     
  port,...,hostname:port>                port of the server to connect to.    
--topic <String: topic>                REQUIRED: The topic to get offset from.
"""
    rows, receipt = read_lag(usage, "end-20260131T120000Z.txt")
    assert (rows, receipt.format, receipt.records, receipt.ignored) == ([], "usage", 6, 6)
