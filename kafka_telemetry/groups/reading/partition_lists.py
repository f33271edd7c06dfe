"""The lists of partitions that clients log: `[orders-0, orders-1]`, or Python's `{TopicPartition(topic='orders', partition=0)}`."""

import re

from kafka_telemetry.formats.integer_ranges import parse_integer
from kafka_telemetry.groups.assignors.assignor_inputs import TopicPartition

_PYTHON = re.compile(r"topic='([^']*)', partition=(\d+)")


def parse_partitions(text: str | None) -> list[TopicPartition]:
    """What is no partition is left out."""
    text = text or ""
    pairs = _PYTHON.findall(text) or (name.strip(" []").rpartition("-")[::2] for name in text.split(","))
    parsed = ((topic, parse_integer(number, 32)) for topic, number in pairs)
    return [(topic, number) for topic, number in parsed if topic and number is not None and number >= 0]
