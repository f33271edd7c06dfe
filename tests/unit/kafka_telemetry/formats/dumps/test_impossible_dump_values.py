"""Dumps with values that no column holds or no broker writes: the record is unknown, counted and kept, the others are read."""

import json
from typing import Any

import pytest
from support.dump_reading import read_dump
from support.segment_reading import Row

LONG = "9" * 60_001
TOO_LARGE_INT32 = ["2147483648", "99999999999999999999999", "1e400", "1.5", "NaN", '"1"', "null", "true", "[]", LONG]
TOO_LARGE_INT64 = ["9223372036854775808", "99999999999999999999999", "1e400", "NaN", '"1"', "null", "{}", LONG]
DEEP = ["[" * 900 + "]" * 900, "[" * 3000 + "]" * 3000, '{"a":' * 3000]

BATCH = (
    "baseOffset: 0 lastOffset: 9 count: 10 baseSequence: -1 lastSequence: -1 producerId: {producer} producerEpoch: -1 "
    "partitionLeaderEpoch: {epoch} isTransactional: false isControl: false deleteHorizonMs: OptionalLong.empty "
    "position: 0 CreateTime: 1767600002123 size: 124 magic: 2 compresscodec: none crc: 1 isvalid: true\n"
)
RECORD = "| offset: {offset} CreateTime: {time} keySize: 1 valueSize: 1 sequence: -1 headerKeys: [] {printed}\n"
COMMIT = (
    'key: {{"type":"1","data":{{"group":"g","topic":"t","partition":{partition}}}}} payload: {{"version":"3","data":'
    '{{"offset":{offset},"leaderEpoch":{epoch},"metadata":"","commitTimestamp":{time}}}}}'
)
GROUP = 'key: {{"type":"2","data":{{"group":"g"}}}} payload: {{"version":"3","data":{value}}}'
MEMBER = {
    "memberId": "m", "groupInstanceId": None, "clientId": "c", "clientHost": "/h", "rebalanceTimeout": 1,
    "sessionTimeout": 1, "subscription": {"topics": ["t"], "userData": None},
    "assignment": {"assignedPartitions": [{"topic": "t", "partitions": [0]}], "userData": None},
}  # fmt: skip
VALUE = {
    "protocolType": "consumer", "generation": 1, "protocol": "range", "leader": "m", "currentStateTimestamp": 5,
    "members": [MEMBER],
}  # fmt: skip


def dumped(*printed: str) -> str:
    records = [RECORD.format(offset=number, time=1767600002123, printed=text) for number, text in enumerate(printed)]
    return BATCH.format(producer=-1, epoch=4) + "".join(records)


def commit(**values: str) -> str:
    return COMMIT.format(**{"partition": "1", "offset": "5", "epoch": "-1", "time": "1767600002121", **values})


def group(value: Any) -> str:
    return GROUP.format(value=value if isinstance(value, str) else json.dumps(value, separators=(",", ":")))


def changed(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """A copy of VALUE in which one field has another value."""
    document: Any = json.loads(json.dumps(VALUE))
    parent = document
    for key in path[:-1]:
        parent = parent[key]
    parent[path[-1]] = value
    return dict(document)


def assert_only_the_second_is_unknown(dump: str, kind: str) -> Row:
    rows, receipt = read_dump(dump)
    assert [row["kind"] for row in rows] == [kind, "unknown", kind]
    assert (receipt.records, receipt.understood, receipt.not_understood) == (3, 2, 1)
    assert rows[1]["value_bytes"]
    return rows[1]


@pytest.mark.parametrize(
    ("field", "number"),
    [
        *(("partition", number) for number in TOO_LARGE_INT32),
        *(("epoch", number) for number in TOO_LARGE_INT32),
        *(("offset", number) for number in TOO_LARGE_INT64),
        *(("time", number) for number in (*TOO_LARGE_INT64, "253402300800000", "-62135596800001")),
    ],
)
def test_a_commit_with_an_impossible_number_is_unknown(field: str, number: str) -> None:
    assert_only_the_second_is_unknown(dumped(commit(), commit(**{field: number}), commit()), "commit")


@pytest.mark.parametrize("text", ["\\ud800", "\\udc00\\ud800", "a\\ud83d"])
def test_a_name_with_half_of_a_surrogate_pair_is_unknown(text: str) -> None:
    poisoned = commit().replace('"group":"g"', f'"group":"{text}"')
    assert_only_the_second_is_unknown(dumped(commit(), poisoned, commit()), "commit")
    assert_only_the_second_is_unknown(dumped(group(VALUE), group(VALUE).replace("range", text), group(VALUE)), "group")


ODD_VALUES = [
    *((("generation",), value) for value in (2**31, 10**23, 1.5, "1", None, [], True)),
    *((("members",), value) for value in (5, "x", {}, [5], [None], [[]], [{}], [{"clientId": "c"}], None)),
    *((("members", 0, "memberId"), value) for value in (5, None, ["m"], {})),
    *((("members", 0, "sessionTimeout"), value) for value in (2**31, "1", None)),
    *(
        (("members", 0, "subscription"), value)
        for value in (5, [], {"topics": 5}, {"topics": [5]}, {"topics": [["t"]]})
    ),
    *(
        (("members", 0, "assignment"), {"assignedPartitions": value})
        for value in (5, "0", [5], [{}], [{"topic": "t"}], [{"topic": 5, "partitions": [0]}])
    ),
    *(
        (("members", 0, "assignment", "assignedPartitions", 0, "partitions"), value)
        for value in ("0", 5, None, [None], ["0"], [2**31], [1.5], [[0]], {})
    ),
    *((("protocol",), value) for value in (5, [], {})),
    *((("leader",), value) for value in (5, [], {})),
    *((("currentStateTimestamp",), value) for value in (2**63, "1", None)),
]


@pytest.mark.parametrize(("path", "value"), ODD_VALUES)
def test_a_group_record_with_a_value_of_another_type_is_unknown(path: tuple[Any, ...], value: Any) -> None:
    row = assert_only_the_second_is_unknown(dumped(group(VALUE), group(changed(path, value)), group(VALUE)), "group")
    assert row["problem"] == "the value can't be decoded"


@pytest.mark.parametrize("value", [*DEEP, LONG, '{"members":' + LONG + "}", "NaN", "[]", '"x"', "{"])
def test_a_group_record_that_is_no_object_or_nested_too_deeply_is_unknown(value: str) -> None:
    assert_only_the_second_is_unknown(dumped(group(VALUE), group(value), group(VALUE)), "group")


def test_a_field_of_a_later_kafka_and_an_undecoded_assignment_are_no_problem() -> None:
    rows, _ = read_dump(dumped(group({**VALUE, "more": [1]}), group(changed(("members", 0, "assignment"), "AAM="))))
    assert [row["kind"] for row in rows] == ["group", "group"]


@pytest.mark.parametrize("epoch", ["2147483648", "999999999999999999", "9" * 19])
def test_a_batch_with_an_epoch_too_large_is_not_understood(epoch: str) -> None:
    poisoned = BATCH.format(producer=-1, epoch=epoch)
    rows, receipt = read_dump(dumped(commit()) + poisoned + dumped(commit()))
    assert [row["kind"] for row in rows] == ["commit", "unknown", "commit"]
    assert [row["batch_leader_epoch"] for row in rows] == [4, None, 4]
    assert rows[1]["value_bytes"] == poisoned.strip().encode()
    assert receipt.records == 3


@pytest.mark.parametrize("number", ["9" * 19, "9" * 30, LONG])
def test_a_position_or_time_too_large_is_not_understood(number: str) -> None:
    for record in (
        RECORD.format(offset=number, time=5, printed=commit()),
        RECORD.format(offset=1, time=number, printed=commit()),
    ):
        rows, receipt = read_dump(dumped(commit()) + record + dumped(commit()))
        assert [row["kind"] for row in rows].count("commit") >= 2
        assert all(row["record_offset"] is None or row["record_offset"] < 10 for row in rows)
        assert receipt.records == 3


def test_counts_that_add_up_to_more_than_a_number_holds_are_cut() -> None:
    torn = "Found 999999999999999999 invalid bytes at the end of 0.log\n"
    _, receipt = read_dump(dumped(commit()) + torn * 20)
    assert receipt.details["torn_bytes"] == 2**63 - 1


CONSOLE = '{"key":{"type":2,"data":{"group":"g"}},"value":{"version":3,"data":%s}}'


@pytest.mark.parametrize("value", ["5", "null", '"x"', "[]", "{}", "{5", '{"generation":' + LONG + "}", *DEEP[:2]])
def test_a_console_record_without_valid_fields_is_unknown_and_deletes_nothing(value: str) -> None:
    whole = CONSOLE % json.dumps(VALUE | {"members": []})
    rows, receipt = read_dump(whole + CONSOLE % value + whole)
    assert [(row["kind"], row["tombstone"]) for row in rows if row["kind"] == "group"] == [("group", False)] * 2
    assert receipt.not_understood >= 1


@pytest.mark.parametrize(("path", "value"), ODD_VALUES)
def test_a_console_record_with_a_value_of_another_type_is_unknown(path: tuple[Any, ...], value: Any) -> None:
    whole = CONSOLE % json.dumps(VALUE)
    rows, _ = read_dump(whole + CONSOLE % json.dumps(changed(path, value)) + whole)
    assert [row["kind"] for row in rows] == ["group", "unknown", "group"]


OLD_GROUP = "key: group_metadata::group=g payload: {}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"generationId":1', '"generationId":2147483648'),
        ('"generationId":1', '"generationId":[]'),
        ('"generationId":1', '"generationId":"1"'),
        ('"protocol":"range"', '"protocol":7'),
        ('"protocolType":"consumer"', '"protocolType":{}'),
        ("a=[t-0]", "a=[t-2147483648]"),
        ("a=[t-0]", f"a=[t-{LONG}]"),
        ("a=[t-0]", "a=[t-²]"),
    ],
)
def test_a_group_printed_by_old_tools_with_an_impossible_value_is_not_taken_for_one_of_its_members(
    before: str, after: str
) -> None:
    whole = '{"protocolType":"consumer","protocol":"range","generationId":1,"assignment":"{a=[t-0]}"}'
    rows, _ = read_dump(dumped(*(OLD_GROUP.format(text) for text in (whole, whole.replace(before, after), whole))))
    assert [row["kind"] for row in rows] in (["group", "unknown", "group"], ["group", "group", "group"])
    if rows[1]["kind"] == "group":
        assert "members" not in json.loads(rows[1]["value_json"])


CONSOLE_TEXT = (
    "g::GroupMetadata(groupId=g, generation={generation}, protocolType=Some(consumer), currentState=Stable, members=Map("
    "m -> MemberMetadata(memberId=m, groupInstanceId=None, clientId=c, clientHost=/h, sessionTimeoutMs={session}, "
    "rebalanceTimeoutMs=3, supportedProtocols=List(range))))\n"
)


@pytest.mark.parametrize(
    ("generation", "session"), [("2147483648", "1"), ("9" * 30, "1"), ("1", "2147483648"), ("1", LONG)]
)
def test_a_group_in_console_text_with_an_impossible_number_is_unknown(generation: str, session: str) -> None:
    whole = CONSOLE_TEXT.format(generation=1, session=1)
    assert_only_the_second_is_unknown(
        whole + CONSOLE_TEXT.format(generation=generation, session=session) + whole, "group"
    )


def test_a_damaged_member_among_thousands_takes_no_long_time() -> None:
    member = (
        "m{0} -> MemberMetadata(memberId=m{0}, groupInstanceId=None, clientId=c, clientHost=/h, sessionTimeoutMs=1, "
        "rebalanceTimeoutMs=3, supportedProtocols=Vector(range))"
    )
    members = ", ".join(member.format(number) for number in range(5_000))
    head = "g::GroupMetadata(groupId=g, generation=1, protocolType=Some(consumer), currentState=Stable, members=Map("
    rows, _ = read_dump(f"{head}{members}))\n")
    assert [row["kind"] for row in rows] == ["unknown"]


def test_bytes_that_are_no_text_are_replaced() -> None:
    rows, _ = read_dump(dumped(commit()).encode().replace(b'"g"', b'"g\xed\xa0\x80"'))
    assert [row["group_id"] for row in rows] == ["g\ufffd\ufffd\ufffd"]
