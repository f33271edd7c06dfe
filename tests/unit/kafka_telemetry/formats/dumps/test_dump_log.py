"""kafka-dump-log's output: rows equal those of the segment that was dumped, as far as the tool prints them."""

import json
from pathlib import Path

import pytest
from support.dump_reading import read_dump, without_nulls
from support.segment_reading import Row, parse_recorded_dump, read_file, read_rows, recorded_dumps, utc_time

from kafka_telemetry.formats.dumps.text_blocks import line_blocks

NOW = 1_767_600_002_123


def _batch(first: int = 0, last: int = 0, count: int = 1, **changes: object) -> str:
    fields: dict[str, object] = {
        "producer": -1,
        "transactional": "false",
        "control": "false",
        "valid": "true",
        **changes,
    }
    return (
        f"baseOffset: {first} lastOffset: {last} count: {count} baseSequence: -1 lastSequence: -1 "
        f"producerId: {fields['producer']} producerEpoch: -1 partitionLeaderEpoch: 4 "
        f"isTransactional: {fields['transactional']} isControl: {fields['control']} "
        f"deleteHorizonMs: OptionalLong.empty position: 0 CreateTime: {NOW} size: 124 magic: 2 "
        f"compresscodec: none crc: 1 isvalid: {fields['valid']}\n"
    )


def _old_batch(first: int = 0, last: int = 0, count: int = 1) -> str:
    line = _batch(first, last, count)
    return line.replace("deleteHorizonMs: OptionalLong.empty ", "").replace("codec: none", "codec: GZIP")


def _record(offset: int, printed: str, key_size: int = 29, value_size: int = 24) -> str:
    return (
        f"| offset: {offset} CreateTime: {NOW} keySize: {key_size} valueSize: {value_size} sequence: -1 "
        f"headerKeys: [] {printed}\n"
    )


def _old_record(offset: int, printed: str, key_size: int = 24, value_size: int = 24) -> str:
    return (
        f"| offset: {offset} isValid: true crc: null keySize: {key_size} valueSize: {value_size} CreateTime: {NOW} "
        "baseOffset: 0 lastOffset: 0 baseSequence: -1 lastSequence: -1 producerEpoch: -1 partitionLeaderEpoch: 4 "
        f"batchSize: 124 magic: 2 compressType: GZIP position: 0 sequence: 0 headerKeys: [] {printed}\n"
    )


HEAD = "Dumping /data/__consumer_offsets-7/00000000000000000000.log\nLog starting offset: 0\n"
OLD_HEAD = HEAD.replace("Log starting", "Starting")
KEY = 'key: {"type":"1","data":{"group":"orders-x","topic":"orders","partition":1}}'
VALUE = '{"version":"3","data":{"offset":459,"leaderEpoch":-1,"metadata":"","commitTimestamp":1767600002121}}'
POSITION = {"record_offset": 0, "recorded_at": utc_time(NOW), "batch_leader_epoch": 4, "transactional": False}
COMMIT = {"kind": "commit", "group_id": "orders-x", "topic": "orders", "partition_id": 1}
JSON_COMMIT = {**COMMIT, "key_type": 1, "value_version": 3, "committed_offset": 459, "metadata": ""}


def _only(text: str) -> Row:
    [row], _ = read_dump(text)
    assert row.pop("offsets_partition") == 7
    assert row.pop("source_position") is not None
    return without_nulls(row)


@pytest.mark.parametrize("dump", recorded_dumps(), ids=lambda path: f"{path.parts[-3]}-{path.name}")
def test_every_recorded_dump_gives_the_rows_of_its_segments(dump: Path) -> None:
    dumped_rows, receipt = read_dump(read_file(dump))
    expected = []
    for segment, _ in parse_recorded_dump(dump):
        partition = int(segment.parent.name.rpartition("-")[2])
        for row in read_rows(read_file(segment))[0]:
            # Rows have bytes where the JSON lacks the version of an assignment. The dump prints no bytes.
            row.update(source_position=None, key_bytes=None, value_bytes=None, offsets_partition=partition)
            expected.append(row)
    for row in dumped_rows:
        row["source_position"] = None
    assert expected
    assert dumped_rows == expected
    assert (receipt.format, receipt.records, receipt.understood) == ("dump_log", len(expected), len(expected))


def test_the_source_position_of_a_record_is_its_line_number() -> None:
    rows, _ = read_dump(HEAD + _batch() + _record(0, f"{KEY} payload: {VALUE}"))
    assert [row["source_position"] for row in rows] == [4]


def test_small_blocks_give_the_same_rows_as_large_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    dump = read_file(recorded_dumps()[-1])
    expected = read_dump(dump)
    monkeypatch.setattr(
        "kafka_telemetry.formats.dumps.kafka_dump_log.line_blocks", lambda file: line_blocks(file, 1000)
    )
    assert read_dump(dump) == expected


def test_a_dump_of_batches_alone_has_no_records_and_counts_those_it_does_not_print() -> None:
    dumps = sorted((recorded_dumps()[0].parents[2]).glob("*/offsets-dump/*batches-only*"))
    assert dumps
    for dump in dumps:
        rows, receipt = read_dump(read_file(dump))
        full = dump.with_name(dump.name.replace("-batches-only", ""))
        assert (rows, receipt.records) == ([], 0)
        assert receipt.details["records_not_printed"] == read_dump(read_file(full))[1].records


def test_records_dumped_without_the_decoder_are_ignored() -> None:
    rows, receipt = read_dump(HEAD + _batch() + _record(0, "").replace("[] ", "[]"))
    assert (rows, receipt.records, receipt.ignored) == ([], 1, 1)


def test_escapes_and_old_versions_are_decoded_like_segments() -> None:
    key = KEY.replace("orders-x", r"a\"b\\c\u0001ü")
    value = '{"version":"1","data":{"offset":1,"metadata":"m\\n","commitTimestamp":5,"expireTimestamp":6}}'
    assert _only(HEAD + _batch() + _record(0, f"{key} payload: {value}")) == {
        **POSITION,
        **COMMIT,
        **{"group_id": 'a"b\\c\u0001ü', "key_type": 1, "value_version": 1, "tombstone": False, "committed_offset": 1},
        **{"metadata": "m\n", "committed_at": utc_time(5), "expires_at": utc_time(6)},
    }


@pytest.mark.parametrize(
    ("key", "payload", "problem"),
    [
        ('{"type":"24","data":{"groupId":"g"}}', '{"version":"0","data":{}}', "the type of the key isn't known"),
        ('{"type":"3","data":{"group":"g"}}', '{"version":"0","data":{}}', "the key can't be decoded"),
        ('{"type":"3","data":{"groupId":"g"}}', '{"version":"7","data":{}}', "the version of the value isn't known"),
        (KEY[5:], VALUE.replace("3", "9", 1), "the version of the value isn't known"),
        (KEY[5:], VALUE.replace("leaderEpoch", "leaderAge"), "the value can't be decoded"),
        (KEY[5:], VALUE.replace("-1,", '-1,"more":1,'), "the value can't be decoded"),
    ],
)
def test_a_record_of_a_later_kafka_is_unknown_with_its_text(key: str, payload: str, problem: str) -> None:
    row = _only(HEAD + _batch() + _record(0, f"key: {key} payload: {payload}"))
    assert (row["kind"], row["problem"], row["record_offset"]) == ("unknown", problem, 0)
    assert payload.encode() in row["value_bytes"]


def test_a_time_that_no_table_can_hold_is_unknown_with_the_bytes_of_its_record() -> None:
    value = VALUE.replace("1767600002121", "1767600002121000")
    row = _only(HEAD + _batch() + _record(0, f"{KEY} payload: {value}"))
    assert (row["kind"], row["problem"]) == ("unknown", "a time is beyond the years 1 to 9999")
    assert row["value_bytes"].hex() == "0003" + "00000000000001cb" + "ffffffff" + "0000" + "0006479f723b3d28"


def test_a_record_that_the_tool_skipped_is_unknown_with_its_type() -> None:
    for printed in ("key: Unknown record type 24 at offset 0, skipping.", "key: unknown::version=24"):
        row = _only(HEAD + _batch() + _record(0, printed))
        assert row == {**POSITION, "kind": "unknown", "key_type": 24, "problem": "the type of the key isn't known"}


def test_records_of_a_batch_that_the_tool_reports_as_damaged_are_unknown() -> None:
    row = _only(HEAD + _batch(valid="false") + _record(0, f"{KEY} payload: {VALUE}"))
    assert (row["kind"], row["problem"]) == ("unknown", "the CRC doesn't match")


def test_a_commit_printed_by_old_tools_has_no_commit_time_and_no_version() -> None:
    line = _old_record(0, "key: offset_commit::group=orders-x,partition=orders-1 payload: offset=459")
    expected = {**POSITION, **COMMIT, "tombstone": False, "committed_offset": 459, "metadata": ""}
    assert _only(OLD_HEAD + _old_batch() + line) == expected


def test_metadata_printed_by_old_tools_may_contain_any_text() -> None:
    metadata = "host=pod-7;batch=1, payload: offset=3\nand a second line"
    line = _old_record(0, "key: offset_commit::group=orders-x,partition=orders-1 payload: offset=57,metadata=", 24, 0)
    line = line.replace("valueSize: 0", f"valueSize: {24 + len(metadata)}").replace(
        "metadata=\n", f"metadata={metadata}\n"
    )
    row = _only(OLD_HEAD + _old_batch() + line)
    assert (row["kind"], row["metadata"], row["committed_offset"]) == ("commit", metadata, 57)


def test_a_group_id_printed_by_old_tools_may_contain_the_separator_before_the_topic() -> None:
    group = "a,partition=b-1 payload: offset=2,metadata="
    line = _old_record(0, f"key: offset_commit::group={group},partition=t-x-0 payload: <DELETE>", len(group) + 13, -1)
    row = _only(OLD_HEAD + _old_batch() + line)
    assert (row["group_id"], row["topic"], row["partition_id"], row["tombstone"]) == (group, "t-x", 0, True)


def test_a_group_record_printed_by_old_tools_has_members_with_only_their_assignments() -> None:
    payload = json.dumps(
        {
            "protocolType": "consumer",
            "protocol": "range",
            "generationId": 1,
            "assignment": "{consumer-1=[orders-0, a-b-3],consumer-2=[]:00AF}",
        }
    )
    row = _only(OLD_HEAD + _old_batch() + _old_record(0, f"key: group_metadata::group=orders.x payload: {payload}"))
    value = json.loads(row.pop("value_json"))
    assert row == {**POSITION, "kind": "group", "key_type": 2, "tombstone": False, "group_id": "orders.x"}
    one = [{"topic": "orders", "partitions": [0]}, {"topic": "a-b", "partitions": [3]}]
    assert value == {
        "protocolType": "consumer",
        "generation": 1,
        "protocol": "range",
        "members": [
            {"memberId": "consumer-1", "assignment": {"assignedPartitions": one}},
            {"memberId": "consumer-2", "assignment": {"assignedPartitions": [], "userData": "AK8="}},
        ],
    }


def test_a_group_tombstone_of_old_tools_is_one() -> None:
    line = _old_record(0, "key: group_metadata::group=orders.x payload: <DELETE>", value_size=-1)
    row = _only(OLD_HEAD + _old_batch() + line)
    assert row == {**POSITION, "kind": "group", "key_type": 2, "tombstone": True, "group_id": "orders.x"}


def test_markers_printed_by_old_and_new_tools_are_read() -> None:
    batch = _batch(5, 5, producer=9, transactional="true", control="true")
    for record in (_record, _old_record):
        row = _only(HEAD + batch + record(5, "endTxnMarker: ABORT coordinatorEpoch: 0"))
        position = {**POSITION, "record_offset": 5, "producer_id": 9, "transactional": True}
        assert row == {**position, "kind": "marker", "marker": "abort"}


def test_records_without_record_metadata_get_offsets_from_a_batch_without_holes() -> None:
    line = f"| {KEY} payload: {VALUE}\n"
    rows, _ = read_dump(HEAD + _batch(5, 6, 2) + line + line + _batch(8, 10, 2) + line + line + _batch(12, 12) + line)
    assert [row["record_offset"] for row in rows] == [5, 6, None, None, 12]
    assert [row["recorded_at"] for row in rows] == [None, None, None, None, utc_time(NOW)]
    assert {row["committed_offset"] for row in rows} == {459}


def test_each_dumped_file_has_the_offsets_partition_of_its_own_folder() -> None:
    record = _batch() + _record(0, f"{KEY} payload: {VALUE}")
    text = HEAD + record + HEAD.replace("-7/", "-12/") + record + "Dumping 00000000000000000000.log\n" + record
    rows, _ = read_dump(text)
    assert [row["offsets_partition"] for row in rows] == [7, 12, None]


def test_messages_of_the_tool_are_no_records() -> None:
    noise = (
        "[2026-01-05 08:00:02,123] WARN something (kafka.tools.DumpLogSegments)\n"
        'Exception in thread "main" java.lang.IllegalStateException: no\n\tat kafka.tools.X.main(X.scala)\n'
        "Non-consecutive offsets in /data/__consumer_offsets-7/00000000000000000000.log\n  906 is followed by 930\n"
        "Found 17 invalid bytes at the end of 00000000000000000000.log\n\n"
    )
    rows, receipt = read_dump(noise + HEAD + _batch() + noise + _record(0, f"{KEY} payload: {VALUE}") + noise)
    assert [row["record_offset"] for row in rows] == [0]
    assert (receipt.records, receipt.details["torn_bytes"]) == (1, 51)


def test_an_unrecognised_line_is_an_unknown_row() -> None:
    rows, receipt = read_dump(HEAD + _batch() + _record(0, f"{KEY} payload: {VALUE}") + "what is this\n")
    assert [(row["kind"], row["value_bytes"]) for row in rows] == [("commit", None), ("unknown", b"what is this")]
    assert receipt.records == 2


@pytest.mark.parametrize("cut", [1, 20, 100, 230])
def test_an_incomplete_last_line_is_not_understood(cut: int) -> None:
    complete = HEAD + _batch() + _record(0, f"{KEY} payload: {VALUE}")
    rows, receipt = read_dump((complete + _record(1, f"{KEY} payload: {VALUE}").rstrip("\n"))[:-cut])
    assert [row["kind"] for row in rows] == ["commit", "unknown"]
    assert (receipt.records, receipt.understood) == (2, 1)


def test_an_offset_at_the_end_of_a_file_without_a_final_line_feed_is_not_understood() -> None:
    line = _old_record(0, "key: offset_commit::group=orders-x,partition=orders-1 payload: offset=459")
    rows, _ = read_dump(OLD_HEAD + _old_batch() + line.rstrip("\n"))
    assert [row["kind"] for row in rows] == ["unknown"]


def test_the_reader_is_chosen_by_content_and_not_by_name() -> None:
    _, receipt = read_dump(HEAD + _batch(), "__consumer_offsets-7/00000000000000000000.log")
    assert receipt.format == "dump_log"
