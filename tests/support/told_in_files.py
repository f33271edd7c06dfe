"""What describes, get-offsets and exporters say in their files, read naively, line by line."""

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import zstandard

RECORDED = Path(__file__).parents[1] / "recorded"

# (when, group or "", topic, partition, quantity, number)
Told = tuple[datetime, str, str, int, str, int]

_LABELS = {"consumergroup": "group", "group_id": "group", "topic_name": "topic", "partition_id": "partition"}
_QUANTITIES = {
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


def in_describes(recording: str) -> set[Told]:
    return {told for path, text in _files(recording, "lag/describe-*") for told in _describe(_at(path), text)}


def in_get_offsets(recording: str) -> set[Told]:
    found = set()
    for path, text in _files(recording, "lag/*-offsets-*"):
        if (end := re.match("(start|end)-offsets", path.name)) is None:
            continue
        for line in text.split():
            topic, partition, offset = line.rsplit(":", 2)
            found.add((_at(path), "", topic, int(partition), f"log_{end[1]}_offset", int(offset)))
    return found


def in_metrics(recording: str, exporter: str) -> set[Told]:
    found = set()
    for path, text in _files(recording, f"metrics/{exporter}/*"):
        for name, labels, value in re.findall(r"^(\w+)\{(.*)\} (\S+)$", text, re.MULTILINE):
            told = {_LABELS.get(key, key): text for key, text in re.findall(r'(\w+)="([^"]*)"', labels)}
            if name in _QUANTITIES and "partition" in told and float(value) >= 0:
                group = told.get("group", "") if "consumer" in name else ""
                number = int(float(value))
                found.add((_at(path), group, told["topic"], int(told["partition"]), _QUANTITIES[name], number))
    return found


def _describe(at: datetime, text: str) -> Iterator[Told]:
    columns: list[str] = []
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["GROUP"]:
            columns = words
        elif len(words) == len(columns) and "LAG" in columns:
            row = dict(zip(columns, words, strict=True))
            for column, quantity in (
                ("CURRENT-OFFSET", "committed_offset"),
                ("LOG-END-OFFSET", "log_end_offset"),
                ("LAG", "reported_lag"),
            ):
                if row.get(column, "-") != "-":
                    yield at, row["GROUP"], row["TOPIC"], int(row["PARTITION"]), quantity, int(row[column])


def _files(recording: str, pattern: str) -> Iterator[tuple[Path, str]]:
    found = sorted((RECORDED / recording).glob(pattern))
    assert found, f"nothing recorded matches {pattern}"
    for path in found:
        content = path.read_bytes()
        yield path, (zstandard.decompress(content) if path.suffix == ".zst" else content).decode()


def _at(path: Path) -> datetime:
    time = re.search(r"\d{8}T\d{6}Z", path.name)
    assert time, path
    return datetime.strptime(time[0], "%Y%m%dT%H%M%SZ")
