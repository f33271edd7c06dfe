"""Reads a file about lag in any known format, which is detected from the content and not from the name."""

import io
import re
from typing import BinaryIO

from kafka_telemetry.formats.lag import burrow, describe, exposition_line, get_offsets, prometheus_api, prometheus_text
from kafka_telemetry.formats.lag.lag_reading import unknown_lines
from kafka_telemetry.formats.lag.metric_names import DEFAULT_NAMES, MetricNames
from kafka_telemetry.formats.receipt import Reading, Receipt
from kafka_telemetry.formats.tool_output import NOISE, USAGE, split_lines

_HEAD_SIZE = 1 << 16


def detect_format(head: bytes) -> str | None:
    """The name of the format, from the first 64 KB; None if it is unknown."""
    lines = split_lines(head)
    text = "\n".join(lines)
    if text.lstrip().startswith("{"):
        if prometheus_api.looks_like(text):
            return "prometheus_api"
        return "burrow" if burrow.looks_like(text) else None
    for line in lines:
        if line == "" or line.isspace():
            continue
        if describe.looks_like(line):
            return "describe"
        if get_offsets.looks_like(line):
            return "get_offsets"
        if exposition_line.looks_like(line):
            return "prometheus_text"
        if USAGE.fullmatch(line):
            return "usage"
        if not NOISE.match(line):
            return None
    # Only messages: some of them are those of one tool.
    if re.search(r"(?m)^(?:Error occurred|Skip getting offsets|Topic \S+ does not)", text):
        return "get_offsets"
    return "describe" if re.search(r"\[AdminClient |ConsumerGroupCommand", text) else None


def read_lag_file(file: BinaryIO, name: str, metric_names: MetricNames = DEFAULT_NAMES) -> Reading:
    content = file.read()
    file_format = detect_format(content[:_HEAD_SIZE])
    match file_format:
        case "describe":
            return (yield from describe.read(io.BytesIO(content), name))
        case "get_offsets":
            return (yield from get_offsets.read(io.BytesIO(content), name))
        case "prometheus_text":
            return (yield from prometheus_text.read(io.BytesIO(content), name, metric_names))
        case "prometheus_api":
            return (yield from prometheus_api.read(io.BytesIO(content), metric_names))
        case "burrow":
            return (yield from burrow.read(io.BytesIO(content), name))
    lines = [(number, line) for number, line in enumerate(split_lines(content), 1) if line.strip()]
    if file_format == "usage":
        return Receipt("usage", len(lines), 0, 0, ignored=len(lines))
    yield from unknown_lines(lines, None)
    return Receipt("unknown", len(lines), 0, not_understood=len(lines))
