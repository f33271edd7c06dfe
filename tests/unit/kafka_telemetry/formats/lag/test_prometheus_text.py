"""Text exposition: all recorded scrapes against prometheus_client's own parser, and what no recording holds."""

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics_families
from prometheus_client.parser import text_string_to_metric_families
from support.recorded_lag import Row, of_kind, read, recorded, told

from kafka_telemetry.formats.lag.exposition_line import sample

SCRAPES = recorded("*/metrics/*/*")
Key = tuple[Any, ...]


def samples_of(text: str) -> Iterator[tuple[str, dict[str, str], float]]:
    for family in text_string_to_metric_families(text):
        for one in family.samples:
            yield one.name, dict(one.labels), float(one.value)


def by_key(rows: list[Row], column: str) -> dict[Key, int]:
    keys = ("reporter", "group_id", "topic", "partition_id", "client_id")
    return {told([row], *keys)[0]: row[column] for row in rows if column in row}


# Metric to where its number must be found: reporter, kind, column.
RECORDED_METRICS = {
    "kafka_consumer_group_offset": ("consumer_group_exporter", "group_offset", "committed_offset"),
    "kafka_consumer_group_lag": ("consumer_group_exporter", "group_offset", "reported_lag"),
    "kafka_topic_highwater": ("consumer_group_exporter", "log_offset", "log_end_offset"),
    "kafka_topic_lowwater": ("consumer_group_exporter", "log_offset", "log_start_offset"),
    "kafka_consumergroup_group_offset": ("kafka_lag_exporter", "group_offset", "committed_offset"),
    "kafka_consumergroup_group_lag": ("kafka_lag_exporter", "group_offset", "reported_lag"),
    "kafka_partition_latest_offset": ("kafka_lag_exporter", "log_offset", "log_end_offset"),
    "kafka_partition_earliest_offset": ("kafka_lag_exporter", "log_offset", "log_start_offset"),
    "kafka_consumer_consumer_fetch_manager_metrics_records_lag": ("jmx_client", "group_offset", "reported_lag"),
    "kafka_log_log_logendoffset": ("jmx_broker", "log_offset", "log_end_offset"),
    "kafka_log_log_logstartoffset": ("jmx_broker", "log_offset", "log_start_offset"),
}


def test_every_recorded_number_of_a_partition_is_found_back() -> None:
    numbers: dict[str, int] = defaultdict(int)
    for name, content in SCRAPES:
        expected: dict[tuple[str, str], dict[Key, int]] = defaultdict(dict)
        count = 0
        for metric, labels, value in samples_of(content.decode()):
            count += 1
            if metric in RECORDED_METRICS and not math.isnan(value):
                reporter, kind, column = RECORDED_METRICS[metric]
                who = (labels.get("group"), labels["topic"], int(labels["partition"]), labels.get("client_id") or None)
                expected[kind, column][reporter, *who] = int(value)
                numbers[metric] += 1
        rows, receipt = read(content, name)
        for (kind, column), values in expected.items():
            found = by_key(of_kind(rows, kind), column)
            assert {key: found.get(key) for key in values} == values, (name, kind, column)
        assert (receipt.records, receipt.not_understood) == (count, 0), name
        assert {row["sampled_at"] for row in rows} <= {_time_of(name)}
    assert set(numbers) == set(RECORDED_METRICS)
    assert sum(numbers.values()) > 15_000


def _time_of(name: str) -> str:
    stamp = name.rpartition("/")[2]
    return f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}T{stamp[9:11]}:{stamp[11:13]}:{stamp[13:15]}.000"


def test_no_recorded_row_is_told_twice() -> None:
    for name, content in SCRAPES:
        rows, _ = read(content, name)
        keys = told(rows, "kind", "reporter", "group_id", "topic", "partition_id", "client_id", "owner_member_id")
        assert len(keys) == len(set(keys)), name


def test_each_recorded_line_is_the_sample_that_prometheus_client_reads() -> None:
    lines = 0
    for _, content in SCRAPES:
        text = content.decode()
        found = [sample(line) for line in text.splitlines() if line and not line.startswith("#")]
        expected = list(samples_of(text))
        assert [repr((one.name, one.labels, one.value)) for one in found if one] == [repr(one) for one in expected]
        lines += len(expected)
    assert lines > 50_000


LABEL_TEXT = st.text(st.sampled_from('ab-._ /\\"\n{}=,#\u00e9\u2028 '), max_size=12)
GROUP_TEXT = LABEL_TEXT.filter(bool)
ZONE = 'zone="z",'
VALUE = st.sampled_from(["0", "7.0", "1.2e+06", "NaN", "+Inf", "-3", "1767600000", ".5"])


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(GROUP_TEXT, st.integers(0, 99), VALUE, st.booleans()), max_size=8), st.integers(0, 70))
def test_labels_with_escapes_are_those_that_prometheus_client_reads(
    nasty: list[tuple[str, int, str, bool]], plain: int
) -> None:
    told_lines = [("plain group", 100 + at, "5", False) for at in range(plain)] + nasty
    lines = [
        f'kafka_consumer_group_offset{{{ZONE if more else ""}group="{escaped(group)}",partition="{partition}",'
        f'topic="a.{at}"}} {value}'
        for at, (group, partition, value, more) in enumerate(told_lines)
    ]
    text = "# TYPE kafka_consumer_group_offset gauge\n" + "".join(f"{line}\n" for line in lines)
    expected = {
        (labels["group"], labels["topic"], int(labels["partition"])): int(value)
        for _, labels, value in samples_of(text)
        if math.isfinite(value) and value >= 0
    }
    rows, receipt = read(text)
    found = {
        key: row["committed_offset"]
        for row, key in zip(rows, told(rows, "group_id", "topic", "partition_id"), strict=True)
        if "committed_offset" in row
    }
    assert found == expected
    assert (receipt.understood, receipt.not_understood) == (len(lines), 0)


def test_kafka_exporter_tells_a_group_s_position_in_three_metrics_and_they_become_one_row() -> None:
    rows, receipt = read(
        """\
# TYPE kafka_consumergroup_current_offset gauge
kafka_consumergroup_current_offset{consumergroup="g",partition="0",topic="t"} 1.2e+06
kafka_consumergroup_current_offset{consumergroup="g",partition="1",topic="t"} -1
kafka_consumergroup_current_offset{consumergroup="g",partition="2",topic="t"} 11
# TYPE kafka_consumergroup_lag gauge
kafka_consumergroup_lag{consumergroup="g",partition="0",topic="t"} 7
kafka_consumergroup_lag{consumergroup="g",partition="1",topic="t"} -1
kafka_consumergroup_lag{consumergroup="g",partition="2",topic="t"} -1
kafka_consumergroup_lag{consumergroup="simple",partition="0",topic="t"} -1
kafka_consumergroup_lag_sum{consumergroup="g",topic="t"} 6
kafka_consumergroup_members{consumergroup="g"} 2
kafka_topic_partition_current_offset{partition="0",topic="t"} 1.200007e+06
kafka_topic_partition_oldest_offset{partition="0",topic="t"} 5
kafka_brokers 3
"""
    )
    columns = ("group_id", "partition_id", "committed_offset", "reported_lag", "log_start_offset", "log_end_offset")
    assert told(of_kind(rows, "group_offset"), *columns) == [
        ("g", 0, 1_200_000, 7, 5, 1_200_007),
        ("g", 1, None, None, None, None),
        ("g", 2, 11, -1, None, None),  # a commit one past the end, not the sentinel
        ("simple", 0, None, None, 5, 1_200_007),
    ]
    assert told(of_kind(rows, "log_offset"), "topic", "partition_id", "log_start_offset", "log_end_offset") == [
        ("t", 0, 5, 1_200_007)
    ]
    assert told(of_kind(rows, "group_state"), "group_id", "details") == [("g", {"members": "2"})]
    assert {row["reporter"] for row in rows} == {"kafka_exporter"}
    assert (receipt.records, receipt.understood, receipt.ignored) == (12, 10, 2)


def test_kminion_lag_is_clamped_its_names_begin_with_any_namespace_and_states_stand_in_a_label() -> None:
    rows, _ = read(
        """\
acme_kafka_consumer_group_topic_partition_lag{group_id="g",partition_id="3",topic_name="t"} 0
acme_kafka_topic_partition_high_water_mark{partition_id="3",topic_name="t"} 90
acme_kafka_topic_partition_low_water_mark{partition_id="3",topic_name="t"} 10
acme_kafka_consumer_group_info{coordinator_id="2",group_id="g",protocol="range",protocol_type="x",state="Empty"} 0
acme_kafka_consumer_group_members{group_id="g"} 0
"""
    )
    (position,) = of_kind(rows, "group_offset")
    assert (position["reporter"], position["lag_meaning"], position["reported_lag"]) == ("kminion", "clamped", 0)
    assert "committed_offset" not in position
    assert (position["log_start_offset"], position["log_end_offset"]) == (10, 90)
    (state,) = of_kind(rows, "group_state")
    assert state["details"] == {
        "state": "Empty",
        "assignor": "range",
        "protocol_type": "x",
        "coordinator_id": "2",
        "members": "0",
    }


def test_kafka_lag_exporter_tells_time_lag_member_and_cluster() -> None:
    labels = (
        'client_id="c",cluster_name="eu",consumer_id="c-1",group="g",member_host="/10.0.0.1",partition="0",topic="t"'
    )
    rows, _ = read(
        f"kafka_consumergroup_group_lag{{{labels}}} 3\n"
        f"kafka_consumergroup_group_lag_seconds{{{labels}}} 1.2345\n"
        f"kafka_consumergroup_group_offset{{{labels}}} 17\n"
        'kafka_partition_latest_offset{cluster_name="us",partition="0",topic="t"} 99\n'
        'kafka_partition_latest_offset{cluster_name="eu",partition="0",topic="t"} 20\n'
    )
    assert of_kind(rows, "group_offset") == [
        {
            "kind": "group_offset",
            "reporter": "kafka_lag_exporter",
            "source_position": 1,
            "sampled_at": "2026-01-31T12:00:00.000",
            "group_id": "g",
            "topic": "t",
            "partition_id": 0,
            "committed_offset": 17,
            "log_end_offset": 20,
            "reported_lag": 3,
            "reported_lag_ms": 1234,
            "lag_meaning": "clamped",
            "owner_member_id": "c-1",
            "client_id": "c",
            "client_host": "/10.0.0.1",
            "details": {"cluster": "eu"},
        }
    ]


def test_series_of_an_old_and_a_new_member_are_two_rows() -> None:
    told_of_each = (("lag", "old", 9), ("lag", "new", 2), ("offset", "old", 1), ("offset", "new", 8))
    lines = [
        f'kafka_consumergroup_group_{metric}{{consumer_id="{member}",group="g",partition="0",topic="t"}} {value}\n'
        for metric, member, value in told_of_each
    ]
    rows, _ = read("".join(lines))
    assert told(rows, "owner_member_id", "reported_lag", "committed_offset") == [("old", 9, 1), ("new", 2, 8)]


def test_a_burrow_lag_that_wrapped_below_zero_is_unknown_and_said_so() -> None:
    labels = 'cluster="eu",consumer_group="g",partition="0",topic="t"'
    rows, _ = read(
        f"burrow_kafka_consumer_partition_lag{{{labels}}} 1.8446744073709552e+19\n"
        f"burrow_kafka_consumer_current_offset{{{labels}}} 55\n"
        f"burrow_kafka_topic_partition_status{{{labels}}} 5\n"
        'burrow_kafka_consumer_status{cluster="eu",consumer_group="g"} 2\n'
    )
    assert told(rows, "kind", "committed_offset", "reported_lag", "lag_meaning", "details") == [
        (
            "group_offset",
            55,
            None,
            "unsigned",
            {"cluster": "eu", "status": "STALL", "lag_problem": "wrapped below zero: 18446744073709551616"},
        ),
        ("group_state", None, None, None, {"cluster": "eu", "status": "WARN"}),
    ]


@pytest.mark.parametrize(
    "metric",
    [
        'kafka_consumer_consumer_fetch_manager_metrics_records_lag{client_id="c",topic="t",partition="3"}',
        'kafka_consumer_fetch_manager_records_lag{clientid="c",topic="t",partition="3"}',
        'strimzi_bridge_kafka_consumer_consumer_fetch_manager_metrics_records_lag{clientId="c",topic="t",partition="3"}',
        'kafka_consumer_fetch_manager_records_lag{client_id="c",topic="t",partition="3",kafka_version="3.9",spring_id="x"}',
    ],
)
def test_a_client_s_lag_is_that_of_its_position_and_never_a_committed_offset(metric: str) -> None:
    rows, _ = read(f"{metric} 12.0\n")
    assert told(rows, "reporter", "lag_meaning", "client_id", "topic", "partition_id", "reported_lag") == [
        ("jmx_client", "position", "c", "t", 3, 12)
    ]
    assert not {"committed_offset", "group_id", "log_end_offset"} & set(rows[0])


def test_a_client_s_nan_is_unknown_and_its_maxima_are_other_metrics() -> None:
    name = "kafka_consumer_consumer_fetch_manager_metrics_records_lag"
    labels = 'client_id="c",topic="t",partition="3"'
    rows, receipt = read(f'{name}{{{labels}}} NaN\n{name}_max{{client_id="c"}} NaN\n{name}_avg{{{labels}}} 1\n')
    assert told(rows, "partition_id", "reported_lag") == [(3, None)]
    assert (receipt.understood, receipt.ignored) == (1, 2)


@pytest.mark.parametrize("copies", [1, 40])
def test_a_topic_with_dots_is_told_once_though_clients_report_it_twice(copies: int) -> None:
    lines = [
        f'kafka_consumer_fetch_manager_records_lag{{clientid="c",topic="{topic}",partition="{partition}"}} 4\n'
        for topic in ("a.b", "a_b", "c_d")
        for partition in range(copies)
    ]
    rows, receipt = read("".join(lines))
    assert told(rows, "topic", "partition_id") == [(topic, at) for topic in ("a.b", "c_d") for at in range(copies)]
    assert (receipt.understood, receipt.ignored, receipt.details) == (2 * copies, copies, {"underscore_twins": copies})


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("kafka_log_log_logstartoffset{", "kafka_log_log_logendoffset{"),
        ("kafka_log_Log_LogStartOffset{", "kafka_log_Log_LogEndOffset{"),
        ("kafka_log_logstartoffset_value{", "kafka_log_logendoffset_value{"),
        ('kafka_log_Log_Value{name="LogStartOffset",', 'kafka_log_Log_Value{name="LogEndOffset",'),
    ],
)
@pytest.mark.parametrize("partitions", [2, 100])
def test_a_broker_s_log_start_and_end_are_one_row(start: str, end: str, partitions: int) -> None:
    lines = [
        f'{name}topic="t",partition="{at}"}} {at + more}\n'
        for name, more in ((start, 5), (end, 50))
        for at in range(partitions)
    ]
    rows, receipt = read("".join([*lines, 'kafka_log_Log_Value{name="Size",topic="t",partition="0"} 9\n']))
    assert told(rows, "kind", "reporter", "partition_id", "log_start_offset", "log_end_offset") == [
        ("log_offset", "jmx_broker", at, at + 5, at + 50) for at in range(partitions)
    ]
    assert receipt.ignored == 1


def test_a_sample_s_own_time_counts_in_milliseconds_and_in_openmetrics_in_seconds() -> None:
    line = 'kafka_topic_highwater{topic="t",partition="0"} 5'
    plain, _ = read(f"{line} 1769860800123\n", "no-time.prom")
    open_metrics = f"# TYPE kafka_topic_highwater gauge\n{line} 1769860800.123\n# EOF\n"
    ((one,),) = (family.samples for family in openmetrics_families(open_metrics))
    assert float(one.timestamp) == 1769860800.123
    with_seconds, _ = read(open_metrics, "no-time.prom")
    assert told(plain, "sampled_at") == told(with_seconds, "sampled_at") == [("2026-01-31T12:00:00.123",)]


def test_samples_of_several_times_are_rows_of_several_times() -> None:
    lines = [
        f'{metric}{{group="g",topic="t",partition="0"}} {at + more} {1769860800000 + at * 15000}\n'
        for metric, more in (("kafka_consumer_group_offset", 100), ("kafka_consumer_group_lag", 0))
        for at in range(100)
    ]
    rows, _ = read("".join(lines), "no-time.prom")
    assert len(rows) == 100
    assert told(rows[:2], "sampled_at", "committed_offset", "reported_lag") == [
        ("2026-01-31T12:00:00.000", 100, 0),
        ("2026-01-31T12:00:15.000", 101, 1),
    ]


def test_a_time_that_can_not_be_one_is_not_understood() -> None:
    line = 'kafka_topic_highwater{topic="t",partition="0"} 5'
    for time in ("NaN", "1e99", "999999999999999999", "soon"):
        rows, receipt = read(f"{line} {time}\n" * 100)
        assert ({row["kind"] for row in rows}, receipt.not_understood) == ({"unknown"}, 100)


def test_a_scrape_without_any_time_is_rejected_whole() -> None:
    rows, receipt = read('kafka_topic_highwater{topic="t",partition="0"} 5\njvm_threads{} 1\n', "metrics.prom")
    assert [row["kind"] for row in rows] == ["rejected_file"]
    assert "has no time" in rows[0]["problem"]
    assert (receipt.records, receipt.not_understood) == (2, 2)


def test_a_known_metric_that_names_no_partition_and_a_line_that_is_no_sample_are_kept_as_text() -> None:
    rows, receipt = read(
        'kafka_consumergroup_lag{consumergroup="g",topic="t"} 5\n'
        'kafka_consumergroup_lag{consumergroup="g",topic="t",partition="x"} 5\n'
        'kafka_consumergroup_lag{consumergroup="g",topic="t",partition="1"} five\n'
        '{"kafka.lag",topic="t"} 5\n'
        'other{topic="t"} 5\n'
    )
    assert told(rows, "kind", "source_position") == [("unknown", at) for at in (1, 2, 3, 4)]
    assert (receipt.understood, receipt.not_understood, receipt.ignored) == (0, 4, 1)
