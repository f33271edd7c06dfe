"""The console consumer's output: each record is one of the segments, as far as the formatter prints it."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support.dump_reading import read_dump, recorded_console_dumps, recorded_records, without_nulls
from support.segment_reading import Row, read_file, utc_time

from kafka_telemetry.formats.dumps.text_blocks import line_blocks, object_blocks

# Columns that a console dump contains. The older formatter prints no version, type and topic id.
_KEY_COLUMNS = ("kind", "group_id", "topic", "partition_id", "tombstone")
_TEXT_COLUMNS = (*_KEY_COLUMNS, "committed_offset", "leader_epoch", "metadata", "committed_at", "expires_at")
_JSON_COLUMNS = (*_TEXT_COLUMNS, "key_type", "value_version", "topic_id", "value_json", "key_bytes", "value_bytes")

COMMIT = '{"key":{"type":1,"data":{"group":"g","topic":"t","partition":%d}},"value":{"version":3,"data":{"offset":5,"leaderEpoch":-1,"metadata":"","commitTimestamp":1767600002121}}}'  # fmt: skip
OPTION = (
    "Option --consumer.config is deprecated and will be removed in a future version. Use --command-config instead.\n"
)


def _values(row: Row, columns: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(row[name] for name in columns)


def _kinds(rows: list[Row]) -> list[str]:
    return [row["kind"] for row in rows]


@pytest.mark.parametrize("recording", ["kafka-3.9", "kafka-3.9-lag-exporter", "kafka-4.3"])
def test_console_records_are_those_of_the_segments(recording: str) -> None:
    segments = recorded_records(recording)
    dumps = [path for path in recorded_console_dumps() if path.parts[-3] == recording]
    assert len(dumps) >= 4
    for dump in dumps:
        rows, receipt = read_dump(read_file(dump))
        if receipt.format == "tool_messages":
            assert (rows, receipt.records, receipt.ignored) == ([], 1, 1)
            continue
        assert receipt.understood == receipt.records > 30
        columns = _TEXT_COLUMNS if receipt.format == "console_text" else _JSON_COLUMNS
        known = {_values(row, columns) for row in segments}
        assert [row for row in rows if _values(row, columns) not in known] == [], dump


def test_both_formatters_print_the_same_records() -> None:
    dumps = sorted(path for path in recorded_console_dumps() if "old-class" in path.name)
    assert len(dumps) == 2
    for dump in dumps:
        old, receipt = read_dump(read_file(dump))
        new, _ = read_dump(read_file(dump.with_name("offsets-after.txt.zst")))
        assert receipt.format == "console_text"
        # The consumer reads partitions in any order.
        assert Counter(_values(row, _TEXT_COLUMNS) for row in old) == Counter(
            _values(row, _TEXT_COLUMNS) for row in new
        )


def test_small_blocks_give_the_same_rows_as_large_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    dumps = [path for path in recorded_console_dumps() if path.parts[-3] == "kafka-3.9"]
    expected = [read_dump(read_file(dump)) for dump in dumps]
    monkeypatch.setattr(
        "kafka_telemetry.formats.dumps.console_json.object_blocks", lambda file: object_blocks(file, 5000)
    )
    monkeypatch.setattr("kafka_telemetry.formats.dumps.console_text.line_blocks", lambda file: line_blocks(file, 5000))
    assert [read_dump(read_file(dump)) for dump in dumps] == expected


def test_the_source_position_of_an_object_is_its_number() -> None:
    rows, _ = read_dump(OPTION + "".join(COMMIT % partition for partition in range(3)))
    assert [(row["source_position"], row["partition_id"]) for row in rows] == [(1, 0), (2, 1), (3, 2)]
    assert {row["record_offset"] for row in rows} == {row["recorded_at"] for row in rows} == {None}


def test_objects_on_lines_of_their_own_with_messages_between_are_read() -> None:
    text = "\n".join([COMMIT % 0, "[2026-01-05 08:00:02,123] WARN lost (x)", COMMIT % 1, "", COMMIT % 2])
    rows, receipt = read_dump(text + "\nProcessed a total of 3 messages\n")
    assert [row["partition_id"] for row in rows] == [0, 1, 2]
    assert (receipt.records, receipt.details["tool_lines"]) == (3, 2)


def test_an_object_followed_by_a_message_without_a_line_feed_is_read() -> None:
    rows, receipt = read_dump(COMMIT % 0 + "[2026-01-05 08:00:02,123] ERROR gone (x)\n" + COMMIT % 1 + "who knows")
    assert _kinds(rows) == ["commit", "commit", "unknown"]
    assert (rows[-1]["value_bytes"], receipt.records) == (b"who knows", 3)


def test_the_message_that_the_tool_prints_on_timeout_is_recognised() -> None:
    timeout = "10:00:00.928 [main] ERROR org.apache.kafka.tools.consumer.ConsoleConsumer - Error processing message, terminating consumer process: \norg.apache.kafka.common.errors.TimeoutException: null\n"  # fmt: skip
    rows, receipt = read_dump(COMMIT % 0 + timeout)
    assert (_kinds(rows), receipt.details["tool_lines"]) == (["commit"], 2)


@pytest.mark.parametrize("cut", [1, 40, 150])
def test_an_incomplete_last_object_is_not_understood(cut: int) -> None:
    rows, receipt = read_dump((COMMIT % 0 + COMMIT % 1)[:-cut])
    assert _kinds(rows) == ["commit", "unknown"]
    assert (receipt.records, receipt.understood) == (2, 1)


@pytest.mark.timeout(60)
def test_millions_of_blanks_take_no_longer_than_other_bytes() -> None:
    [row], receipt = read_dump(COMMIT % 0 + " \n" * 2_000_000)
    assert (row["kind"], row["committed_offset"], receipt.records) == ("commit", 5, 1)


def test_texts_are_unescaped() -> None:
    text = (
        (COMMIT % 0).replace('"group":"g"', r'"group":"a\"},{\"key\":{\"type\":é"').replace('data":""', 'data":"\\n"')
    )
    [row, _], _ = read_dump(text + COMMIT % 1)
    assert (row["group_id"], row["metadata"]) == ('a"},{"key":{"type":é', "\n")


def test_a_record_that_the_tool_could_not_decode_is_unknown_with_its_text() -> None:
    texts = [
        '{"key":{"version":1,"data":"unknown"},"value":{"version":3,"data":"unknown"}}',
        '{"key":{"type":2,"data":{"group":"g"}},"value":{"version":9,"data":"unknown"}}',
        '{"key":null,"value":null}',
        '{"key":{"type":24,"data":{"group":"g"}},"value":null}',
    ]
    rows, receipt = read_dump("".join(texts))
    assert [row["value_bytes"].decode() for row in rows] == texts
    assert [row["problem"] for row in rows] == [
        "the key can't be decoded",
        "the version of the value isn't known",
        "the key can't be decoded",
        "the type of the key isn't known",
    ]
    assert receipt.not_understood == 4


def test_bytes_of_another_protocol_than_the_consumer_protocol_stay_base64() -> None:
    member = {
        **{"memberId": "m", "groupInstanceId": None, "clientId": "c", "clientHost": "/h", "rebalanceTimeout": 1},
        **{"sessionTimeout": 2, "subscription": "AAE=", "assignment": ""},
    }
    value = {"protocolType": "connect", "generation": 1, "protocol": "p", "leader": "m", "currentStateTimestamp": 3}
    record = {
        "key": {"type": 2, "data": {"group": "g"}},
        "value": {"version": 3, "data": {**value, "members": [member]}},
    }
    [row], _ = read_dump(json.dumps(record, separators=(",", ":")))
    assert json.loads(row["value_json"]) == {**value, "members": [member]}


OLD = "[orders.es-sink,orders,1]::OffsetAndMetadata(offset=500, leaderEpoch=Optional[7], metadata=%s, commitTimestamp=1795001423954, expireTimestamp=Some(1795001423955))\n"  # fmt: skip


@pytest.mark.parametrize("metadata", ["", "a", "a, b", "x, commitTimestamp=1, expireTimestamp=None)", "two\nlines"])
def test_a_commit_printed_by_the_old_formatter_is_read_whatever_its_metadata(metadata: str) -> None:
    rows, _ = read_dump(OLD % metadata + "[g,t,0]::NULL\n")
    assert without_nulls(rows[0]) == {
        **{"kind": "commit", "source_position": 1, "group_id": "orders.es-sink", "topic": "orders", "partition_id": 1},
        **{"tombstone": False, "committed_offset": 500, "leader_epoch": 7, "metadata": metadata},
        **{"committed_at": utc_time(1795001423954), "expires_at": utc_time(1795001423955)},
    }
    assert [row["tombstone"] for row in rows] == [False, True]


def test_a_group_id_may_contain_commas_and_brackets() -> None:
    [row], _ = read_dump("[a,b],[c,t,0]::NULL\n")
    assert (row["group_id"], row["topic"], row["partition_id"]) == ("a,b],[c", "t", 0)


@pytest.mark.parametrize("end", ["), )", "))"], ids=["up to 2.8", "3.0 to 3.9"])
def test_a_group_printed_by_the_old_formatter_has_members_without_assignments(end: str) -> None:
    member = (
        "%s -> MemberMetadata(memberId=%s, groupInstanceId=%s, clientId=c, clientHost=/127.0.0.1, "
        "sessionTimeoutMs=10000, rebalanceTimeoutMs=300000, supportedProtocols=List(range" + end
    )
    members = member % ("M", "M", "None") + ", " + member % ("N", "N", "Some(i)")
    # Kafka 2.5 prints a member without an instance id as one called null.
    members += ", " + member % ("O", "O", "Some(null)")
    text = (
        "G::GroupMetadata(groupId=G, generation=1, protocolType=Some(consumer), currentState=Stable, "
        f"members=HashMap({members}))\n"
        "G::GroupMetadata(groupId=G, generation=2, protocolType=Some(consumer), currentState=Empty, members=Map())\n"
        "G::NULL\n"
    )
    rows, receipt = read_dump(text)
    same = {"clientId": "c", "clientHost": "/127.0.0.1", "rebalanceTimeout": 300000, "sessionTimeout": 10000}
    assert [row["value_json"] and json.loads(row["value_json"]) for row in rows] == [
        {
            **{"protocolType": "consumer", "generation": 1, "protocol": "range"},
            "members": [
                {"memberId": "M", "groupInstanceId": None, **same},
                {"memberId": "N", "groupInstanceId": "i", **same},
                {"memberId": "O", "groupInstanceId": None, **same},
            ],
        },
        {"protocolType": "consumer", "generation": 2, "members": []},
        None,
    ]
    assert {(row["kind"], row["key_type"], row["group_id"]) for row in rows} == {("group", 2, "G")}
    assert receipt.understood == 3


def test_an_incomplete_line_is_not_understood() -> None:
    rows, receipt = read_dump(OLD % "" + (OLD % "")[:-20])
    assert _kinds(rows) == ["commit", "unknown"]
    assert receipt.records == 2


@pytest.mark.parametrize(
    ("data", "format", "kinds"),
    [
        (b"", "segment", []),
        (bytes(4096), "segment", []),
        (b"hello\nworld\n", "unknown", ["unknown", "unknown"]),
        (b"%PDF-1.7\n", "unknown", ["unknown"]),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "unknown", ["damaged"]),
        (OPTION.encode(), "tool_messages", []),
    ],
)
def test_the_format_of_a_file_is_recognised_by_its_content(data: bytes, format: str, kinds: list[str]) -> None:
    for name in ("__consumer_offsets-3/00000000000000000000.log", "offsets.txt"):
        rows, receipt = read_dump(data, name)
        assert (receipt.format, _kinds(rows)) == (format, kinds)


def test_a_segment_is_recognised_under_any_name() -> None:
    [segment, *_] = sorted(Path(__file__).parents[5].glob("tests/recorded/kafka-4.3/offsets-raw/final/*/*.log.zst"))
    rows, receipt = read_dump(read_file(segment), "dump.txt")
    assert receipt.format == "segment"
    assert receipt.understood == len(rows) > 0
