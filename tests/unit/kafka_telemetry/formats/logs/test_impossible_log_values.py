"""Log lines with values that no column holds: they are not understood, counted, and kept as text."""

import json
from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from support.recorded_logs import read_log

from kafka_telemetry.formats.logs.timestamps import instants_of_clock_times
from kafka_telemetry.formats.receipt import Receipt

BROKER = "[2026-11-18 10:00:00,120] INFO {} (kafka.coordinator.group.GroupCoordinator)\n"
CLIENT = "2026-11-18 10:00:00,120 INFO  [main] org.apache.kafka.clients.{} - [Consumer clientId=c, groupId=g] {}\n"
STABILIZED = "[GroupCoordinator 1]: Stabilized group orders generation {} (__consumer_offsets-{}) with {} members"
RUNTIME = "[GroupCoordinator id=1 topic=__consumer_offsets partition={}] Group {} with generation {} is now empty."
SYNCED = "Successfully synced group in generation Generation{{generationId={}, memberId='m', protocol='range'}}"
SOUGHT = "Seeking to offset {} for partition orders-0"

LARGEST_INT32, LARGEST_INT64 = 2**31 - 1, 2**63 - 1
LONG = "9" * 60_001
TOO_LARGE = [str(LARGEST_INT32 + 1), "9999999999", "99999999999999999999999", "9" * 4301, LONG, "-2147483649"]


def whole_lines(rows: list[dict[str, Any]]) -> list[tuple[str, str | None, int | None]]:
    return [(row["kind"], row["event"], row["generation"]) for row in rows]


def assert_not_understood(line: str, row: dict[str, Any], receipt: Receipt) -> None:
    assert (row["kind"], row["event"], row["generation"], row["offsets_partition"]) == ("unknown", None, None, None)
    assert row["details"] == {}
    assert row["text"] in line
    counts = (receipt.records, receipt.understood, receipt.not_understood, receipt.ignored)
    assert counts == (1, 0, 1, 0)


@pytest.mark.parametrize("number", TOO_LARGE)
@pytest.mark.parametrize("place", range(3))
def test_a_line_of_the_scala_coordinator_with_a_number_too_large_is_not_understood(number: str, place: int) -> None:
    values = ["4", "2", "3"]
    values[place] = number
    line = BROKER.format(STABILIZED.format(*values))
    [row], receipt = read_log(line)
    assert_not_understood(line, row, receipt)


@pytest.mark.parametrize("number", TOO_LARGE)
@pytest.mark.parametrize("place", [0, 2])
def test_a_line_of_the_java_coordinator_with_a_number_too_large_is_not_understood(number: str, place: int) -> None:
    values = ["4", "g", "3"]
    values[place] = number
    line = BROKER.format(RUNTIME.format(*values))
    [row], receipt = read_log(line)
    assert_not_understood(line, row, receipt)


@pytest.mark.parametrize("number", TOO_LARGE)
def test_a_line_of_a_client_with_a_generation_too_large_is_not_understood(number: str) -> None:
    line = CLIENT.format("consumer.internals.ConsumerCoordinator", SYNCED.format(number))
    [row], receipt = read_log(line)
    assert_not_understood(line, row, receipt)
    assert (row["group_id"], row["client_id"]) == ("g", "c")


@pytest.mark.parametrize("number", [str(LARGEST_INT64 + 1), "99999999999999999999999", LONG])
def test_an_offset_too_large_is_not_understood_wherever_it_is_logged(number: str) -> None:
    """The logger is none whose lines should all be understood."""
    line = CLIENT.format("consumer.KafkaConsumer", SOUGHT.format(number))
    [row], receipt = read_log(line)
    assert_not_understood(line, row, receipt)


@pytest.mark.parametrize("generation", [0, 1, LARGEST_INT32])
def test_the_largest_numbers_are_understood(generation: int) -> None:
    rows, _ = read_log(
        BROKER.format(STABILIZED.format(generation, LARGEST_INT32, LARGEST_INT32))
        + BROKER.format(STABILIZED.format(f"000000000000{generation}", 1, "0" * 60_000 + "7"))
    )
    assert whole_lines(rows) == [("event", "stabilized", generation)] * 2
    assert rows[0]["details"]["member_count"] == str(LARGEST_INT32)
    [row], _ = read_log(CLIENT.format("consumer.KafkaConsumer", SOUGHT.format(LARGEST_INT64)))
    assert row["details"]["offset"] == str(LARGEST_INT64)


def test_a_client_without_a_generation_logs_minus_one() -> None:
    [row], _ = read_log(CLIENT.format("consumer.internals.ConsumerCoordinator", SYNCED.format(-1)))
    assert whole_lines([row]) == [("event", "synced", None)]


def test_a_line_whose_number_is_cut_off_is_not_understood() -> None:
    rows, receipt = read_log(
        "2026-11-18 10:00:00,120 INFO kafka.coordinator Successfully joined group g with generation \n"
    )
    assert [row["kind"] for row in rows] == ["unknown"]
    assert receipt.not_understood == 1


def test_the_lines_around_an_impossible_one_are_read_as_without_it() -> None:
    lines = [BROKER.format(STABILIZED.format(generation, 2, 3)) for generation in (4, 5, 6)]
    poisoned = BROKER.format(STABILIZED.format(LONG, 2, 3))
    rows, receipt = read_log(lines[0] + poisoned + "".join(lines[1:]))
    expected, _ = read_log("".join(lines))
    events = [row | {"source_position": 0} for row in rows if row["kind"] == "event"]
    assert events == [row | {"source_position": 0} for row in expected]
    assert (receipt.records, receipt.understood, receipt.not_understood) == (4, 3, 1)


@pytest.mark.parametrize(
    ("time", "zone"),
    [
        ("0000-01-01 00:00:00,000", "UTC"),
        ("0001-01-01 00:00:00,000", "Asia/Tokyo"),
        ("9999-12-31 23:59:59,999", "America/New_York"),
        ("0000-01-01T00:00:00+01:00", "UTC"),
        ("9999-12-31T23:59:59-99:99", "UTC"),
        ("2026-13-45 99:99:99,999", "UTC"),
    ],
)
def test_a_time_that_no_table_holds_is_null(time: str, zone: str) -> None:
    line = f"[{time}] INFO {STABILIZED.format(4, 2, 3)} (kafka.coordinator.group.GroupCoordinator)\n"
    rows, _ = read_log(BROKER.format(STABILIZED.format(3, 2, 3)) + line, timezone=zone)
    assert [row["happened_at"] is None for row in rows] == [False, True]
    assert rows[1]["written_after"] == rows[0]["happened_at"]


def test_a_clock_that_falls_too_often_dates_no_line_before_the_year_1() -> None:
    instants = instants_of_clock_times(
        pa.array([0, 0, 0]), np.array([0, 700_000, 800_000]), date(2026, 11, 18), "America/New_York"
    )
    assert [instant and instant.year for instant in instants.to_pylist()] == [2026, 110, None]


JSON_LINE = {
    "@timestamp": "2026-11-18T10:00:00.120Z", "level": "INFO", "thread_name": "main",
    "logger_name": "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator",
    "message": "[Consumer clientId=c, groupId=g] (Re-)joining group",
}  # fmt: skip


@pytest.mark.parametrize(
    "extra",
    [
        '"x":' + LONG,
        '"x":"\\ud800"',
        '"x":"\\udc00\\ud800"',
        '"x":1e400',
        '"x":NaN',
        '"level":"INFO"',
        '"stack_trace":' + "[" * 100 + "]" * 100,
    ],
)
def test_a_json_line_with_an_odd_value_beside_the_message_is_understood(extra: str) -> None:
    text = json.dumps(JSON_LINE)
    rows, _ = read_log((text + "\n") * 3 + text[:-1] + "," + extra + "}\n")
    assert whole_lines(rows) == [("event", "joining", None)] * 4


def test_half_of_a_surrogate_pair_in_a_json_line_is_replaced() -> None:
    text = json.dumps(JSON_LINE)
    rows, _ = read_log((text + "\n") * 3 + text.replace("groupId=g", "groupId=g\\ud83d") + "\n")
    assert rows[3]["group_id"] == "g\ufffd"


@pytest.mark.parametrize("depth", [900, 3_000, 100_000])
def test_a_json_line_that_is_nested_too_deeply_is_only_counted(depth: int) -> None:
    text = json.dumps(JSON_LINE)
    nested = text[:-1] + ',"x":' + "[" * depth + "]" * depth + "}"
    rows, receipt = read_log((text + "\n") * 3 + nested + "\n")
    assert len(rows) >= 3
    assert receipt.records == receipt.understood + receipt.not_understood + receipt.ignored == 4


@pytest.mark.parametrize(
    "instant",
    [{"epochSecond": []}, {"epochSecond": 1, "nanoOfSecond": "x"}, {"epochSecond": 10**30}, {"nanoOfSecond": 1}],
)
def test_a_json_line_with_an_odd_instant_has_no_time(instant: dict[str, Any]) -> None:
    line = {"instant": instant, "level": "INFO", "loggerName": "ConsumerCoordinator", "message": JSON_LINE["message"]}
    [row], _ = read_log(json.dumps(line) + "\n")
    assert (row["event"], row["happened_at"]) == ("joining", None)


def test_bytes_that_are_no_text_are_replaced() -> None:
    line = BROKER.format(STABILIZED.format(4, 2, 3)).encode()
    rows, _ = read_log(line.replace(b"orders", b"o\xffr\0d\xed\xa0\x80s"))
    assert [row["group_id"] for row in rows] == ["o\ufffdr\0d\ufffd\ufffd\ufffds"]


def test_a_printed_configuration_may_contain_anything() -> None:
    settings = "".join(
        f"\t{key} = {value}\n"
        for key, value in (
            ("group.id", "g"),
            ("group.id", "h"),
            ("max.poll.records", LONG),
            ("x", "\0"),
            ("y", "\\ud800"),
        )
    )
    [row], _ = read_log(BROKER.format("ConsumerConfig values: ").replace(" (kafka.", "\n" + settings + " (kafka."))
    assert row["kind"] == "config"
    assert row["group_id"] == "g"
    assert row["settings"]["max.poll.records"] == LONG
