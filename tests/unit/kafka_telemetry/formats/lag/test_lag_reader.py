"""The format of a file is detected from its content."""

import pytest
from support.recorded_lag import read_lag, recorded_files, select

from kafka_telemetry.formats.lag.lag_reader import detect_format


def expected_format(name: str) -> str:
    if "/metrics/" in name:
        return "prometheus_text"
    return "get_offsets" if "-offsets-" in name and "describe" not in name else "describe"


def test_the_format_of_every_recorded_file_is_detected_from_its_content() -> None:
    # One is empty, because the tool found no broker.
    files = [
        (name, content) for name, content in recorded_files("*/lag/*") + recorded_files("*/metrics/*/*") if content
    ]
    assert len(files) > 300
    assert [detect_format(content[:65536]) for _, content in files] == [expected_format(name) for name, _ in files]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("group,topic,partition\n", "describe-20260131T120000Z.txt"),
        ('{"some":"json"}', "burrow-20260131T120000Z.json"),
        ("2026-01-31 12:00:00 something else", "end-offsets-20260131T120000Z.txt"),
        ("\x00\x01\x02", "metrics-20260131T120000Z.prom"),
    ],
)
def test_lines_of_an_unknown_format_are_stored_as_text_whatever_the_name(text: str, name: str) -> None:
    rows, receipt = read_lag(text, name)
    assert select(rows, "kind", "source_position", "text") == [("unknown", 1, text.strip())]
    assert (receipt.format, receipt.records, receipt.not_understood) == ("unknown", 1, 1)


def test_an_empty_file_has_no_rows() -> None:
    rows, receipt = read_lag("")
    assert (rows, receipt.format, receipt.records) == ([], "unknown", 0)


def test_a_whole_describe_without_a_time_in_its_name_is_rejected() -> None:
    ((_, content),) = recorded_files("kafka-4.3/lag/describe-one-group-*")
    rows, receipt = read_lag(content, "describe.txt")
    assert select(rows, "kind", "problem") == [
        (
            "rejected_file",
            "the name 'describe.txt' has no time such as 20260131T235959Z or 2026-01-31T23-59-59Z,"
            " and the content has none",
        )
    ]
    assert (receipt.understood, receipt.not_understood) == (0, receipt.records)


def test_windows_line_endings_and_a_byte_order_mark_do_not_matter() -> None:
    for pattern in ("kafka-4.3/lag/describe-one-group-*", "kafka-4.3/metrics/jmx-broker/20261118T112728Z*"):
        ((name, content),) = recorded_files(pattern)
        assert read_lag(b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n"), name) == read_lag(content, name)
