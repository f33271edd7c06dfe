"""What a file is, is told by its content."""

import pytest
from support.recorded_lag import read, recorded, told

from kafka_telemetry.formats.lag.lag_reader import recognise


def expected_format(name: str) -> str:
    if "/metrics/" in name:
        return "prometheus_text"
    return "get_offsets" if "-offsets-" in name and "describe" not in name else "describe"


def test_every_recorded_file_is_known_by_its_content_alone() -> None:
    # One is empty: the tool had no broker to ask.
    files = [(name, content) for name, content in recorded("*/lag/*") + recorded("*/metrics/*/*") if content]
    assert len(files) > 300
    assert [recognise(content[:65536], "x") for _, content in files] == [expected_format(name) for name, _ in files]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("group,topic,partition\n", "describe-20260131T120000Z.txt"),
        ('{"some":"json"}', "burrow-20260131T120000Z.json"),
        ("2026-01-31 12:00:00 something else", "end-offsets-20260131T120000Z.txt"),
        ("\x00\x01\x02", "metrics-20260131T120000Z.prom"),
    ],
)
def test_an_unknown_format_is_kept_as_text_whatever_its_name(text: str, name: str) -> None:
    rows, receipt = read(text, name)
    assert told(rows, "kind", "source_position", "text") == [("unknown", 1, text.strip())]
    assert (receipt.format, receipt.records, receipt.not_understood) == ("unknown", 1, 1)


def test_an_empty_file_has_nothing_in_it() -> None:
    rows, receipt = read("")
    assert (rows, receipt.format, receipt.records) == ([], "unknown", 0)


def test_a_describe_or_scrape_without_a_time_in_its_name_is_rejected_whole() -> None:
    ((_, content),) = recorded("kafka-4.3/lag/describe-one-group-*")
    rows, receipt = read(content, "describe.txt")
    assert told(rows, "kind", "problem") == [
        (
            "rejected_file",
            "the name 'describe.txt' has no time such as 20260131T235959Z or 2026-01-31T23-59-59Z,"
            " and the content has none",
        )
    ]
    assert (receipt.understood, receipt.not_understood) == (0, receipt.records)


def test_windows_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    for pattern in ("kafka-4.3/lag/describe-one-group-*", "kafka-4.3/metrics/jmx-broker/20261118T112728Z*"):
        ((name, content),) = recorded(pattern)
        assert read(b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n"), name) == read(content, name)
