"""kafka-get-offsets: every recorded line, and what its file's name must say."""

import pytest
from support.recorded_lag import read, recorded, told


@pytest.mark.parametrize(("end", "column"), [("start", "log_start_offset"), ("end", "log_end_offset")])
def test_every_recorded_offset_is_found_back_at_its_end_of_the_log(end: str, column: str) -> None:
    for name, content in recorded(f"*/lag/{end}-offsets-*"):
        expected = [line.rsplit(":", 2) for line in content.decode().split()]
        rows, receipt = read(content, name)
        assert told(rows, "topic", "partition_id", column) == [(t, int(p), int(o)) for t, p, o in expected]
        assert {row["kind"] for row in rows} <= {"log_offset"}
        assert (receipt.understood, receipt.not_understood, receipt.ignored) == (len(expected), 0, 0)


def test_the_time_of_a_reading_is_that_in_the_name() -> None:
    for stamp in ("20260131T120001Z", "2026-01-31T12-00-01Z"):
        rows, _ = read("t:0:5\n", f"broker-7/latest.{stamp}.txt")
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
    ("name", "says"),
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
def test_a_file_whose_name_does_not_say_when_and_which_end_is_rejected_whole(name: str, says: str) -> None:
    rows, receipt = read("t:0:5\nt:1:6\n", name)
    assert [row["kind"] for row in rows] == ["rejected_file"]
    assert says in rows[0]["problem"]
    assert (receipt.records, receipt.not_understood, receipt.details) == (2, 2, {"rejected_file": 1})


def test_an_empty_offset_of_2_8_and_minus_one_are_unknown() -> None:
    rows, receipt = read("t:0:\nt:1:-1\nt:2:0\n", "end-20260131T120000Z.txt")
    assert told(rows, "partition_id", "log_end_offset") == [(0, None), (1, None), (2, 0)]
    assert receipt.understood == 3


def test_what_the_tool_skipped_is_ignored_and_what_is_not_its_own_is_kept() -> None:
    text = "Skip getting offsets for topic-partition t-0 due to error: x\nt:1:7\nt;2;8\n"
    rows, receipt = read(text, "end-20260131T120000Z.txt")
    assert told(rows, "kind", "source_position", "text") == [("log_offset", 2, None), ("unknown", 3, "t;2;8")]
    assert (receipt.understood, receipt.not_understood, receipt.ignored) == (1, 1, 1)


def test_2_8_asks_topic_by_topic_and_may_not_find_the_first() -> None:
    rows, receipt = read(
        "Topic gone does not exist\nt.x-1:0:7\nTopic gone does not exist\n", "end-20260131T120000Z.txt"
    )
    assert told(rows, "topic", "partition_id", "log_end_offset") == [("t.x-1", 0, 7)]
    assert (receipt.understood, receipt.not_understood, receipt.ignored) == (1, 0, 2)
    rows, receipt = read("Topic gone does not exist\n", "end-20260131T120000Z.txt")
    assert (rows, receipt.format, receipt.ignored) == ([], "get_offsets", 1)


def test_what_2_8_prints_when_it_is_called_without_a_topic_tells_of_no_log() -> None:
    usage = """Missing required argument "[topic]"
Option                                 Description                            
------                                 -----------                            
--broker-list <String: hostname:       REQUIRED: The list of hostname and     
  port,...,hostname:port>                port of the server to connect to.    
--topic <String: topic>                REQUIRED: The topic to get offset from.
"""
    rows, receipt = read(usage, "end-20260131T120000Z.txt")
    assert (rows, receipt.format, receipt.records, receipt.ignored) == ([], "usage", 6, 6)
