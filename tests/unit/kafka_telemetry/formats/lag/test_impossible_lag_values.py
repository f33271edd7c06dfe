"""Outputs of lag tools with values that no column holds: the sample is not understood or has no value, the others are read."""

import json
from typing import Any

import pytest
from support.recorded_lag import Row, read_lag, select, select_kind

from kafka_telemetry.formats.receipt import Receipt

LONG = "9" * 60_001
TIME = 1769860800
LABELS = {"__name__": "kafka_consumergroup_lag", "consumergroup": "g", "topic": "t", "partition": "3"}


def counts(receipt: Receipt) -> tuple[int, int, int, int]:
    return receipt.records, receipt.understood, receipt.not_understood, receipt.ignored


DESCRIBE = "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\n"


@pytest.mark.parametrize("number", ["9999999999999999999", "99999999999999999999999", LONG, "1e400", "NaN", "1.5", "٣"])
@pytest.mark.parametrize("place", range(3))
def test_a_described_row_with_an_impossible_number_is_not_understood(number: str, place: int) -> None:
    numbers = ["0", "5", "7"]
    numbers[place] = number
    whole = "g t 0 5 7 2 m /h c\n"
    rows, receipt = read_lag(f"{DESCRIBE}{whole}g t {' '.join(numbers)} 2 m /h c\n{whole}")
    assert counts(receipt) == (3, 2, 1, 0)
    [unknown] = select_kind(rows, "unknown")
    assert number in unknown["text"]


@pytest.mark.parametrize("blank", ["\v", "\f", "\t", "\x1c", "\u2028", "\0"])
def test_a_blank_that_is_no_space_does_not_shift_the_values_of_a_described_row(blank: str) -> None:
    row = "g t 0 5 7 2 m /h c\n"
    rows, _ = read_lag(DESCRIBE + row + row.replace("m", f"m{blank}n") + row)
    assert {tuple(values) for values in select(rows, "partition_id", "committed_offset", "log_end_offset")} <= {
        (0, 5, 7),
        (None, None, None),
    }


def test_a_header_that_repeats_its_columns_is_none() -> None:
    _, receipt = read_lag(DESCRIBE + "g t 0 5 7 2 m /h c\n" + "GROUP" + " HOST CLIENT-ID" * 200 + "\n")
    assert counts(receipt) == (2, 1, 1, 0)


def test_a_described_row_of_many_words_takes_no_long_time() -> None:
    header = (
        "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS CURRENT-EPOCH CURRENT-ASSIGNMENT TARGET-EPOCH TARGET-ASSIGNMENT\n"
    )
    words = " ".join(["a /h 1"] * 3_000)
    _, receipt = read_lag(header + words + " x x x\n")
    assert receipt.records == 1


@pytest.mark.parametrize("line", [f"t:{LONG}:5", f"t:0:{LONG}", "t:0:9999999999999999999", "t:2147483648:5", "t:0:NaN"])
def test_an_offset_line_with_an_impossible_number_is_not_understood(line: str) -> None:
    rows, receipt = read_lag(f"t:0:5\n{line}\nt:1:5\n", "end-20260131T120000Z.txt")
    assert counts(receipt) == (3, 2, 1, 0)
    assert select_kind(rows, "unknown")[0]["text"] == line


def metric(value: str, time: str = "") -> str:
    return f'kafka_consumergroup_lag{{consumergroup="g",topic="t",partition="3"}} {value}{time}\n'


@pytest.mark.parametrize("value", ["1e400", "-1e400", "NaN", "+Inf", LONG, "1e300", "9223372036854775808"])
@pytest.mark.parametrize("lines", [1, 100])
def test_a_value_that_is_no_count_is_a_sample_without_one(value: str, lines: int) -> None:
    rows, receipt = read_lag((metric("7") + metric(value)).replace('"3"', '"4"', 1) * lines)
    assert receipt.understood == 2 * lines
    assert select(rows, "partition_id", "reported_lag") == [(4, 7), (3, None)]


@pytest.mark.parametrize("time", [" 253402300800000", " -62135596800001", " 9e18", " 999999999999999999", " 1e99"])
@pytest.mark.parametrize("lines", [1, 100])
def test_a_sample_of_a_time_that_no_table_holds_is_not_understood(time: str, lines: int) -> None:
    rows, receipt = read_lag(metric("7") * lines + metric("8", time) + metric("9", f" {TIME}000"))
    assert (receipt.records, receipt.not_understood) == (lines + 2, 1)
    assert select_kind(rows, "unknown")[0]["text"] == metric("8", time).strip()


@pytest.mark.parametrize("partition", ["2147483648", LONG, "-1", "1.5", "٣", "²"])
def test_a_metric_of_an_impossible_partition_is_not_understood(partition: str) -> None:
    _, receipt = read_lag(metric("7") + metric("7").replace('"3"', f'"{partition}"') + metric("7"))
    assert (receipt.records, receipt.understood, receipt.not_understood) == (3, 2, 1)


def test_a_scrape_with_more_combinations_of_labels_than_a_number_counts_is_read() -> None:
    names = ("group", "topic", "partition", "consumer_id", "client_id", "member_host", "cluster")
    lines = [
        "kafka_consumer_group_lag{"
        + ",".join(f'{name}="{number if name == "partition" else f"{name}{number}"}"' for name in names)
        + f"}} {number}\n"
        for number in range(2_000)
    ]
    ends = [
        f'kafka_topic_highwater{{cluster="cluster{number}",topic="topic{number}",partition="{number}"}} {number + 10}\n'
        for number in range(2_000)
    ]
    rows, receipt = read_lag("".join(lines + ends))
    assert receipt.understood == 4_000
    rows = select_kind(rows, "group_offset")
    assert len(rows) == 2_000
    assert all(row["log_end_offset"] == row["reported_lag"] + 10 for row in rows)


def api(*series: dict[str, Any]) -> dict[str, Any]:
    return {"status": "success", "data": {"resultType": "matrix", "result": list(series)}}


WHOLE_SERIES = {"metric": LABELS, "values": [[TIME, "5"]]}
ODD_SERIES: list[Any] = [
    {"metric": LABELS, "values": 5},
    {"metric": LABELS, "values": "abc"},
    {"metric": LABELS, "values": [5]},
    {"metric": LABELS, "values": [[TIME]]},
    {"metric": LABELS, "values": [[TIME, 5]]},
    {"metric": LABELS, "values": [[TIME, "x"]]},
    {"metric": LABELS, "values": [[TIME, None]]},
    {"metric": LABELS, "values": [[[TIME], "5"]]},
    {"metric": LABELS, "values": [[253402300800, "5"]]},
    {"metric": LABELS, "values": [[-62135596801, "5"]]},
    {"metric": LABELS, "values": [[10**30, "5"]]},
    {"metric": LABELS, "values": [[float("nan"), "5"]]},
    {"metric": LABELS, "values": [["1", "5"]]},
    {"metric": {"__name__": "up"}, "values": 5},
    {"metric": {"__name__": "up"}, "values": "abc"},
    {"metric": {"__name__": "up"}, "values": {"a": 1, "b": 2}},
    {"metric": {"__name__": "up"}, "values": [1, 2, 3]},
    {"metric": {"__name__": 5}, "values": [[TIME, "5"]]},
    {"metric": {**LABELS, "topic": ["t"]}, "values": [[TIME, "5"]]},
    {"metric": {**LABELS, "partition": "2147483648"}, "values": [[TIME, "5"]]},
    {"metric": [], "value": [TIME, "5"]},
    {"metric": None, "value": [TIME, "5"]},
]


@pytest.mark.parametrize("series", ODD_SERIES)
def test_an_odd_series_of_the_api_does_not_affect_the_others(series: Any) -> None:
    rows, receipt = read_lag(json.dumps(api(WHOLE_SERIES, series, {**WHOLE_SERIES, "values": [[TIME + 15, "6"]]})))
    assert [row["reported_lag"] for row in select_kind(rows, "group_offset")] == [5, 6]
    assert receipt.understood == 2
    assert min(counts(receipt)) >= 0


ODD_JSON = [LONG, "1e400", "NaN", '"\\ud800"', "[" * 900 + "]" * 900, '{"a":' * 900 + "1" + "}" * 900]


@pytest.mark.parametrize("odd", ODD_JSON)
def test_an_odd_value_beside_the_series_of_the_api_is_no_problem(odd: str) -> None:
    text = json.dumps(api(WHOLE_SERIES)).replace('"matrix"', f'"matrix","stats":{odd}')
    rows, receipt = read_lag(text)
    assert [row["reported_lag"] for row in rows] == [5]
    assert receipt.understood == 1


@pytest.mark.parametrize("odd", [*ODD_JSON, "[" * 3000 + "]" * 3000])
def test_an_odd_error_of_the_api_rejects_the_file(odd: str) -> None:
    rows, _ = read_lag('{"status":"error","errorType":"timeout","error":' + odd + "}")
    assert rows


@pytest.mark.parametrize("name", ["a\\ud800", "\\udfff"])
def test_half_of_a_surrogate_pair_in_a_label_is_replaced(name: str) -> None:
    text = json.dumps(api(WHOLE_SERIES)).replace('"t"', f'"{name}"')
    [row], _ = read_lag(text)
    assert row["topic"].endswith("\ufffd")


COMMIT = {"offset": 7, "timestamp": TIME * 1000, "observedAt": TIME * 1000, "lag": 2}
PARTITION = {
    "topic": "t", "partition": 0, "owner": "h", "client_id": "c", "status": "OK", "complete": 1.0, "start": COMMIT,
    "end": COMMIT, "current_lag": 4,
}  # fmt: skip
ODD_VALUES: list[Any] = [
    *(None, True, -1, 1.5, float("nan"), float("inf"), 2**31, 2**63, 10**23, -(2**70), "", "x", "\ud800", "\0"),
    *([], {}, [None], [[]], {"a": 1}, 253402300800000, -62135596800001, [1, {"b": [2]}]),
]


def burrow(*partitions: dict[str, Any], url: Any = "/v3/kafka/eu/consumer/g/lag", **status: Any) -> str:
    fields = {
        "cluster": "eu",
        "group": "g",
        "partition_count": 1,
        "totallag": 4,
        "partitions": list(partitions),
        **status,
    }
    return json.dumps({"error": False, "status": fields, "request": {"url": url}})


def whole_partitions(rows: list[Row]) -> list[Row]:
    return [
        row for row in select_kind(rows, "group_offset") if row.get("topic") == "t" and row.get("committed_offset") == 7
    ]


@pytest.mark.parametrize("odd", ODD_VALUES)
@pytest.mark.parametrize("field", [*PARTITION])
def test_an_odd_partition_of_burrow_does_not_affect_the_others(field: str, odd: Any) -> None:
    rows, receipt = read_lag(burrow(PARTITION, {**PARTITION, field: odd}, PARTITION))
    assert len(whole_partitions(rows)) >= 2
    assert (receipt.records, receipt.ignored) == (4, 0)


@pytest.mark.parametrize("odd", ODD_VALUES)
@pytest.mark.parametrize("field", [*COMMIT])
def test_an_odd_commit_of_burrow_does_not_affect_the_others(field: str, odd: Any) -> None:
    rows, receipt = read_lag(burrow(PARTITION, {**PARTITION, "end": {**COMMIT, field: odd}}, PARTITION))
    assert len(whole_partitions(rows)) >= 2
    assert receipt.records == 4


@pytest.mark.parametrize("url", ["http://[", "//[::1", 5, None, [], "\ud800", "/v3/kafka/%ff%00/consumer/%"])
def test_an_odd_address_of_burrow_is_no_problem(url: Any) -> None:
    rows, _ = read_lag(burrow(PARTITION, url=url))
    assert len(whole_partitions(rows)) == 1


@pytest.mark.parametrize("odd", ODD_JSON)
def test_an_odd_detail_of_burrow_is_a_part_that_is_not_understood(odd: str) -> None:
    text = burrow({**PARTITION, "status": "ODD"}, PARTITION).replace('"ODD"', odd)
    rows, receipt = read_lag(text)
    assert len(whole_partitions(rows)) >= 1
    assert receipt.records == 3


@pytest.mark.parametrize("document", ["[]", "5", '"x"', "null", "[[]]", '{"error":{}}'])
def test_a_document_that_is_no_response_of_burrow_is_not_understood(document: str) -> None:
    rows, receipt = read_lag(burrow(PARTITION) + document, "no-time.json")
    assert len(whole_partitions(rows)) == 1
    assert receipt.records - receipt.understood == receipt.not_understood + receipt.ignored
