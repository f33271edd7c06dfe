"""Responses of Prometheus' HTTP API, built from its documentation: instant and range queries, errors, odd values."""

import json
from typing import Any

from support.recorded_lag import read_lag, select, select_kind

LABELS = {"consumergroup": "g", "topic": "t", "partition": "3", "instance": "a:9308", "job": "kafka"}


def response(result_type: str, result: list[Any]) -> str:
    return json.dumps({"status": "success", "data": {"resultType": result_type, "result": result}, "warnings": ["x"]})


def series(metric: str, values: list[tuple[float, str]], **labels: str) -> dict[str, Any]:
    return {"metric": {"__name__": metric, **LABELS, **labels}, "values": [list(value) for value in values]}


def test_a_range_becomes_one_row_per_time_with_all_values_of_that_time() -> None:
    text = response(
        "matrix",
        [
            series("kafka_consumergroup_lag", [(1769860800, "120"), (1769860815.5, "-1"), (1769860830, "NaN")]),
            series("kafka_consumergroup_current_offset", [(1769860800, "1e+06"), (1769860815.5, "-1")]),
            series("kafka_topic_partition_current_offset", [(1769860800, "1000120")]),
        ],
    )
    rows, receipt = read_lag(text, "no-time.json")
    assert select(
        select_kind(rows, "group_offset"), "sampled_at", "committed_offset", "reported_lag", "log_end_offset"
    ) == [
        ("2026-01-31T12:00:00.000", 1_000_000, 120, 1_000_120),
        ("2026-01-31T12:00:15.500", None, None, None),
        ("2026-01-31T12:00:30.000", None, None, None),
    ]
    assert select(select_kind(rows, "log_offset"), "topic", "partition_id", "log_end_offset", "group_id") == [
        ("t", 3, 1_000_120, None)
    ]
    assert (receipt.format, receipt.records, receipt.understood) == ("prometheus_api", 6, 6)


def test_an_instant_query_has_one_value_per_series() -> None:
    instant = {"metric": {"__name__": "kafka_consumergroup_lag", **LABELS}, "value": [1769860800.25, "7"]}
    rows, receipt = read_lag(response("vector", [instant]))
    assert select(rows, "sampled_at", "group_id", "topic", "partition_id", "reported_lag", "lag_meaning") == [
        ("2026-01-31T12:00:00.250", "g", "t", 3, 7, "signed")
    ]
    assert receipt.understood == 1


def test_other_metrics_are_ignored_and_series_without_a_name_or_partition_are_stored_as_text() -> None:
    other = series("up", [(1, "1"), (2, "1")])
    nameless = {"metric": {"consumergroup": "g"}, "values": [[1, "5"], [2, "5"], [3, "5"]]}
    summed = {"metric": {"__name__": "kafka_consumergroup_lag", "topic": "t"}, "value": [1, "5"]}
    rows, receipt = read_lag(response("matrix", [other, nameless, summed]))
    assert select(rows, "kind", "source_position", "text") == [
        ("unknown", 1, '{"consumergroup": "g"}'),
        ("unknown", 2, '{"__name__": "kafka_consumergroup_lag", "topic": "t"}'),
    ]
    assert (receipt.records, receipt.understood, receipt.not_understood, receipt.ignored) == (6, 0, 4, 2)


def test_a_scalar_is_not_understood() -> None:
    rows, receipt = read_lag('{"status":"success","data":{"resultType":"scalar","result":[1769860800,"1"]}}')
    assert rows == []
    assert (receipt.records, receipt.not_understood) == (1, 1)


def test_documents_that_only_look_like_responses_are_not_understood() -> None:
    for data in (
        "null",
        "[]",
        '{"resultType":"matrix"}',
        '{"resultType":"vector","result":[null,{"metric":null,"value":[1,"2"]}]}',
    ):
        rows, _ = read_lag(f'{{"status":"success","data":{data},"resultType":0}}')
        assert {row["kind"] for row in rows} <= {"unknown"}
    metric = json.dumps({"__name__": "kafka_consumergroup_lag", **LABELS})
    for value in ('[1e300,"1"]', '[1,"x"]', "[1]", '["1","2"]', "7"):
        rows, receipt = read_lag(
            f'{{"status":"success","data":{{"resultType":"vector","result":[{{"metric":{metric},"value":{value}}}]}}}}'
        )
        assert (receipt.understood, [row["kind"] for row in rows]) == (0, ["unknown"])


def test_an_error_response_rejects_the_file() -> None:
    rows, receipt = read_lag('{"status":"error","errorType":"bad_data","error":"parse error"}')
    assert select(rows, "kind", "problem") == [("rejected_file", "the API answered bad_data: parse error")]
    assert receipt.records == 0


def test_several_responses_in_one_file_are_all_read() -> None:
    responses = [response("matrix", [series("kafka_consumergroup_lag", [(1769860800 + at, "1")])]) for at in range(3)]
    for separator in ("\n", ""):
        rows, _ = read_lag(separator.join(responses))
        assert [row["sampled_at"][17:19] for row in rows] == ["00", "01", "02"]


def test_values_of_an_incomplete_response_are_not_understood_and_responses_before_it_are_read() -> None:
    complete = response("matrix", [series("kafka_consumergroup_lag", [(1769860800, "1"), (1769860815, "2")])])
    rows, receipt = read_lag(complete + complete[:-20])
    assert [row["kind"] for row in rows] == ["group_offset", "group_offset", "unknown"]
    assert receipt.records == 4 - (0 if '[1769860815, "2"]' in complete[:-20] else 1)
    assert (receipt.understood, receipt.not_understood) == (2, receipt.records - 2)


def test_a_topic_with_dots_that_clients_report_twice_is_read_once() -> None:
    rows, receipt = read_lag(
        response(
            "matrix",
            [
                series("kafka_consumer_fetch_manager_records_lag", [(1769860800, "3")], topic=topic, clientid="c")
                for topic in ("a_b", "a.b")
            ],
        )
    )
    assert select(rows, "topic", "reported_lag", "lag_meaning") == [("a.b", 3, "position")]
    assert (receipt.understood, receipt.ignored) == (1, 1)
