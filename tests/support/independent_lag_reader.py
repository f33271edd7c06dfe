"""A second, naive reader of recorded lag files, line by line: an oracle for the tables, independent of the package."""

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import zstandard

RECORDED = Path(__file__).parents[1] / "recorded"


class ReportedNumber(NamedTuple):
    """One number that a tool or an exporter reported; `group_id` is empty for the ends of a log."""

    sampled_at: datetime
    group_id: str
    topic: str
    partition_id: int
    quantity: str
    value: int


_LABELS = {"consumergroup": "group", "group_id": "group", "topic_name": "topic", "partition_id": "partition"}
_METRIC_QUANTITIES = {
    "kafka_log_log_logendoffset": "log_end_offset",
    "kafka_log_log_logstartoffset": "log_start_offset",
    "kafka_consumergroup_group_offset": "committed_offset",
    "kafka_consumergroup_group_lag": "reported_lag",
    "kafka_partition_latest_offset": "log_end_offset",
    "kafka_partition_earliest_offset": "log_start_offset",
    "kafka_consumer_group_offset": "committed_offset",
    "kafka_consumer_group_lag": "reported_lag",
    "kafka_topic_highwater": "log_end_offset",
    "kafka_topic_lowwater": "log_start_offset",
}
_DESCRIBE_QUANTITIES = {
    "CURRENT-OFFSET": "committed_offset",
    "LOG-END-OFFSET": "log_end_offset",
    "LAG": "reported_lag",
}


def read_describes(recording: str) -> set[ReportedNumber]:
    """The numbers in the recorded outputs of `kafka-consumer-groups --describe`."""
    files = _files(recording, "lag/describe-*")
    return {number for path, text in files for number in _read_describe(_time_in_name(path), text)}


def read_get_offsets(recording: str) -> set[ReportedNumber]:
    """The numbers in the recorded outputs of `kafka-get-offsets`."""
    numbers = set()
    for path, text in _files(recording, "lag/*-offsets-*"):
        if (end := re.match("(start|end)-offsets", path.name)) is None:
            continue
        for line in text.split():
            topic, partition, offset = line.rsplit(":", 2)
            quantity = f"log_{end[1]}_offset"
            numbers.add(ReportedNumber(_time_in_name(path), "", topic, int(partition), quantity, int(offset)))
    return numbers


def read_metrics(recording: str, exporter: str) -> set[ReportedNumber]:
    """The offsets and lags of partitions in the recorded Prometheus metrics of an exporter."""
    numbers = set()
    for path, text in _files(recording, f"metrics/{exporter}/*"):
        for name, labels_text, value in re.findall(r"^(\w+)\{(.*)\} (\S+)$", text, re.MULTILINE):
            labels = {_LABELS.get(key, key): text for key, text in re.findall(r'(\w+)="([^"]*)"', labels_text)}
            if name in _METRIC_QUANTITIES and "partition" in labels and float(value) >= 0:
                group = labels.get("group", "") if "consumer" in name else ""
                partition, quantity = int(labels["partition"]), _METRIC_QUANTITIES[name]
                numbers.add(
                    ReportedNumber(_time_in_name(path), group, labels["topic"], partition, quantity, int(float(value)))
                )
    return numbers


def _read_describe(sampled_at: datetime, text: str) -> Iterator[ReportedNumber]:
    columns: list[str] = []
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["GROUP"]:
            columns = words
        elif len(words) == len(columns) and "LAG" in columns:
            row = dict(zip(columns, words, strict=True))
            for column, quantity in _DESCRIBE_QUANTITIES.items():
                if row.get(column, "-") != "-":
                    partition, value = int(row["PARTITION"]), int(row[column])
                    yield ReportedNumber(sampled_at, row["GROUP"], row["TOPIC"], partition, quantity, value)


def _files(recording: str, pattern: str) -> Iterator[tuple[Path, str]]:
    paths = sorted((RECORDED / recording).glob(pattern))
    assert paths, f"nothing recorded matches {pattern}"
    for path in paths:
        content = path.read_bytes()
        yield path, (zstandard.decompress(content) if path.suffix == ".zst" else content).decode()


def _time_in_name(path: Path) -> datetime:
    time = re.search(r"\d{8}T\d{6}Z", path.name)
    assert time, path
    return datetime.strptime(time[0], "%Y%m%dT%H%M%SZ")
