"""What the metrics of each exporter mean."""

import pytest
from support.recorded_lag import read_lag, select, select_kind


def test_the_metrics_of_kafka_exporter_about_a_position_become_one_row() -> None:
    rows, receipt = read_lag(
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
    assert select(select_kind(rows, "group_offset"), *columns) == [
        ("g", 0, 1_200_000, 7, 5, 1_200_007),
        ("g", 1, None, None, None, None),
        ("g", 2, 11, -1, None, None),  # one past the log end, not the -1 for "no commit"
        ("simple", 0, None, None, 5, 1_200_007),
    ]
    assert select(select_kind(rows, "log_offset"), "topic", "partition_id", "log_start_offset", "log_end_offset") == [
        ("t", 0, 5, 1_200_007)
    ]
    assert select(select_kind(rows, "group_state"), "group_id", "details") == [("g", {"members": "2"})]
    assert {row["reporter"] for row in rows} == {"kafka_exporter"}
    assert (receipt.records, receipt.understood, receipt.ignored) == (12, 10, 2)


def test_kminion_has_any_namespace_a_clamped_lag_and_group_states_in_a_label() -> None:
    rows, _ = read_lag(
        """\
acme_kafka_consumer_group_topic_partition_lag{group_id="g",partition_id="3",topic_name="t"} 0
acme_kafka_topic_partition_high_water_mark{partition_id="3",topic_name="t"} 90
acme_kafka_topic_partition_low_water_mark{partition_id="3",topic_name="t"} 10
acme_kafka_consumer_group_info{coordinator_id="2",group_id="g",protocol="range",protocol_type="x",state="Empty"} 0
acme_kafka_consumer_group_members{group_id="g"} 0
"""
    )
    (position,) = select_kind(rows, "group_offset")
    assert (position["reporter"], position["lag_meaning"], position["reported_lag"]) == ("kminion", "clamped", 0)
    assert "committed_offset" not in position
    assert (position["log_start_offset"], position["log_end_offset"]) == (10, 90)
    (state,) = select_kind(rows, "group_state")
    assert state["details"] == {
        "state": "Empty",
        "assignor": "range",
        "protocol_type": "x",
        "coordinator_id": "2",
        "members": "0",
    }


def test_kafka_lag_exporter_reports_lag_in_time_member_and_cluster() -> None:
    labels = (
        'client_id="c",cluster_name="eu",consumer_id="c-1",group="g",member_host="/10.0.0.1",partition="0",topic="t"'
    )
    rows, _ = read_lag(
        f"kafka_consumergroup_group_lag{{{labels}}} 3\n"
        f"kafka_consumergroup_group_lag_seconds{{{labels}}} 1.2345\n"
        f"kafka_consumergroup_group_offset{{{labels}}} 17\n"
        'kafka_partition_latest_offset{cluster_name="us",partition="0",topic="t"} 99\n'
        'kafka_partition_latest_offset{cluster_name="eu",partition="0",topic="t"} 20\n'
    )
    assert select_kind(rows, "group_offset") == [
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


def test_series_of_an_old_and_a_new_member_become_two_rows() -> None:
    series = (("lag", "old", 9), ("lag", "new", 2), ("offset", "old", 1), ("offset", "new", 8))
    lines = [
        f'kafka_consumergroup_group_{metric}{{consumer_id="{member}",group="g",partition="0",topic="t"}} {value}\n'
        for metric, member, value in series
    ]
    rows, _ = read_lag("".join(lines))
    assert select(rows, "owner_member_id", "reported_lag", "committed_offset") == [("old", 9, 1), ("new", 2, 8)]


def test_a_burrow_lag_that_wrapped_below_zero_is_null_and_noted_in_the_details() -> None:
    labels = 'cluster="eu",consumer_group="g",partition="0",topic="t"'
    rows, _ = read_lag(
        f"burrow_kafka_consumer_partition_lag{{{labels}}} 1.8446744073709552e+19\n"
        f"burrow_kafka_consumer_current_offset{{{labels}}} 55\n"
        f"burrow_kafka_topic_partition_status{{{labels}}} 5\n"
        'burrow_kafka_consumer_status{cluster="eu",consumer_group="g"} 2\n'
    )
    assert select(rows, "kind", "committed_offset", "reported_lag", "lag_meaning", "details") == [
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
def test_the_lag_of_a_client_is_that_of_its_position_and_no_committed_offset(metric: str) -> None:
    rows, _ = read_lag(f"{metric} 12.0\n")
    assert select(rows, "reporter", "lag_meaning", "client_id", "topic", "partition_id", "reported_lag") == [
        ("jmx_client", "position", "c", "t", 3, 12)
    ]
    assert not {"committed_offset", "group_id", "log_end_offset"} & set(rows[0])


def test_a_nan_of_a_client_is_null_and_maxima_and_averages_are_ignored() -> None:
    name = "kafka_consumer_consumer_fetch_manager_metrics_records_lag"
    labels = 'client_id="c",topic="t",partition="3"'
    rows, receipt = read_lag(f'{name}{{{labels}}} NaN\n{name}_max{{client_id="c"}} NaN\n{name}_avg{{{labels}}} 1\n')
    assert select(rows, "partition_id", "reported_lag") == [(3, None)]
    assert (receipt.understood, receipt.ignored) == (1, 2)


@pytest.mark.parametrize("copies", [1, 40])
def test_a_topic_with_dots_that_clients_report_twice_becomes_one_row(copies: int) -> None:
    lines = [
        f'kafka_consumer_fetch_manager_records_lag{{clientid="c",topic="{topic}",partition="{partition}"}} 4\n'
        for topic in ("a.b", "a_b", "c_d")
        for partition in range(copies)
    ]
    rows, receipt = read_lag("".join(lines))
    assert select(rows, "topic", "partition_id") == [(topic, at) for topic in ("a.b", "c_d") for at in range(copies)]
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
def test_the_log_start_and_end_of_a_broker_become_one_row(start: str, end: str, partitions: int) -> None:
    lines = [
        f'{name}topic="t",partition="{at}"}} {at + more}\n'
        for name, more in ((start, 5), (end, 50))
        for at in range(partitions)
    ]
    rows, receipt = read_lag("".join([*lines, 'kafka_log_Log_Value{name="Size",topic="t",partition="0"} 9\n']))
    assert select(rows, "kind", "reporter", "partition_id", "log_start_offset", "log_end_offset") == [
        ("log_offset", "jmx_broker", at, at + 5, at + 50) for at in range(partitions)
    ]
    assert receipt.ignored == 1
