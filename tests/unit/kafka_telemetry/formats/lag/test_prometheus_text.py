"""Text exposition: recorded scrapes compared with prometheus_client's parser, and cases that no recording contains."""

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics_families
from prometheus_client.parser import text_string_to_metric_families
from support.recorded_lag import Row, read_lag, recorded_files, select, select_kind

from kafka_telemetry.formats.lag.exposition_line import parse_sample

SCRAPES = recorded_files("*/metrics/*/*")
Key = tuple[Any, ...]


def client_samples(text: str) -> Iterator[tuple[str, dict[str, str], float]]:
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            yield sample.name, dict(sample.labels), float(sample.value)


def by_key(rows: list[Row], column: str) -> dict[Key, int]:
    keys = ("reporter", "group_id", "topic", "partition_id", "client_id")
    return {select([row], *keys)[0]: row[column] for row in rows if column in row}


# By metric: the reporter, kind and column that its number must be read into.
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


def test_every_recorded_number_of_a_partition_is_read() -> None:
    numbers: dict[str, int] = defaultdict(int)
    for name, content in SCRAPES:
        expected: dict[tuple[str, str], dict[Key, int]] = defaultdict(dict)
        count = 0
        for metric, labels, value in client_samples(content.decode()):
            count += 1
            if metric in RECORDED_METRICS and not math.isnan(value):
                reporter, kind, column = RECORDED_METRICS[metric]
                key = (labels.get("group"), labels["topic"], int(labels["partition"]), labels.get("client_id") or None)
                expected[kind, column][reporter, *key] = int(value)
                numbers[metric] += 1
        rows, receipt = read_lag(content, name)
        for (kind, column), values in expected.items():
            numbers_read = by_key(select_kind(rows, kind), column)
            assert {key: numbers_read.get(key) for key in values} == values, (name, kind, column)
        assert (receipt.records, receipt.not_understood) == (count, 0), name
        assert {row["sampled_at"] for row in rows} <= {_time_of(name)}
    assert set(numbers) == set(RECORDED_METRICS)
    assert sum(numbers.values()) > 15_000


def _time_of(name: str) -> str:
    stamp = name.rpartition("/")[2]
    return f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}T{stamp[9:11]}:{stamp[11:13]}:{stamp[13:15]}.000"


def test_no_two_recorded_rows_have_the_same_key() -> None:
    for name, content in SCRAPES:
        rows, _ = read_lag(content, name)
        keys = select(rows, "kind", "reporter", "group_id", "topic", "partition_id", "client_id", "owner_member_id")
        assert len(keys) == len(set(keys)), name


def test_every_recorded_line_is_parsed_as_by_prometheus_client() -> None:
    lines = 0
    for _, content in SCRAPES:
        text = content.decode()
        samples = [parse_sample(line) for line in text.splitlines() if line and not line.startswith("#")]
        expected = list(client_samples(text))
        assert [repr((sample.name, sample.labels, sample.value)) for sample in samples if sample] == [
            repr(sample) for sample in expected
        ]
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
def test_labels_with_escapes_are_parsed_as_by_prometheus_client(
    difficult: list[tuple[str, int, str, bool]], plain: int
) -> None:
    series = [("plain group", 100 + at, "5", False) for at in range(plain)] + difficult
    lines = [
        f'kafka_consumer_group_offset{{{ZONE if with_zone else ""}group="{escaped(group)}",partition="{partition}",'
        f'topic="a.{at}"}} {value}'
        for at, (group, partition, value, with_zone) in enumerate(series)
    ]
    text = "# TYPE kafka_consumer_group_offset gauge\n" + "".join(f"{line}\n" for line in lines)
    expected = {
        (labels["group"], labels["topic"], int(labels["partition"])): int(value)
        for _, labels, value in client_samples(text)
        if math.isfinite(value) and value >= 0
    }
    rows, receipt = read_lag(text)
    offsets = {
        key: row["committed_offset"]
        for row, key in zip(rows, select(rows, "group_id", "topic", "partition_id"), strict=True)
        if "committed_offset" in row
    }
    assert offsets == expected
    assert (receipt.understood, receipt.not_understood) == (len(lines), 0)


def test_the_time_of_a_sample_is_in_milliseconds_and_in_openmetrics_in_seconds() -> None:
    line = 'kafka_topic_highwater{topic="t",partition="0"} 5'
    plain, _ = read_lag(f"{line} 1769860800123\n", "no-time.prom")
    open_metrics = f"# TYPE kafka_topic_highwater gauge\n{line} 1769860800.123\n# EOF\n"
    ((sample,),) = (family.samples for family in openmetrics_families(open_metrics))
    assert float(sample.timestamp) == 1769860800.123
    with_seconds, _ = read_lag(open_metrics, "no-time.prom")
    assert select(plain, "sampled_at") == select(with_seconds, "sampled_at") == [("2026-01-31T12:00:00.123",)]


def test_samples_of_several_times_become_rows_of_several_times() -> None:
    lines = [
        f'{metric}{{group="g",topic="t",partition="0"}} {at + more} {1769860800000 + at * 15000}\n'
        for metric, more in (("kafka_consumer_group_offset", 100), ("kafka_consumer_group_lag", 0))
        for at in range(100)
    ]
    rows, _ = read_lag("".join(lines), "no-time.prom")
    assert len(rows) == 100
    assert select(rows[:2], "sampled_at", "committed_offset", "reported_lag") == [
        ("2026-01-31T12:00:00.000", 100, 0),
        ("2026-01-31T12:00:15.000", 101, 1),
    ]


def test_a_line_with_an_impossible_time_is_not_understood() -> None:
    line = 'kafka_topic_highwater{topic="t",partition="0"} 5'
    for time in ("NaN", "1e99", "999999999999999999", "soon"):
        rows, receipt = read_lag(f"{line} {time}\n" * 100)
        assert ({row["kind"] for row in rows}, receipt.not_understood) == ({"unknown"}, 100)


def test_a_whole_scrape_without_any_time_is_rejected() -> None:
    rows, receipt = read_lag('kafka_topic_highwater{topic="t",partition="0"} 5\njvm_threads{} 1\n', "metrics.prom")
    assert [row["kind"] for row in rows] == ["rejected_file"]
    assert "has no time" in rows[0]["problem"]
    assert (receipt.records, receipt.not_understood) == (2, 2)


def test_a_known_metric_without_a_partition_and_a_line_that_is_not_a_sample_are_stored_as_text() -> None:
    rows, receipt = read_lag(
        'kafka_consumergroup_lag{consumergroup="g",topic="t"} 5\n'
        'kafka_consumergroup_lag{consumergroup="g",topic="t",partition="x"} 5\n'
        'kafka_consumergroup_lag{consumergroup="g",topic="t",partition="1"} five\n'
        '{"kafka.lag",topic="t"} 5\n'
        'other{topic="t"} 5\n'
    )
    assert select(rows, "kind", "source_position") == [("unknown", at) for at in (1, 2, 3, 4)]
    assert (receipt.understood, receipt.not_understood, receipt.ignored) == (0, 4, 1)
