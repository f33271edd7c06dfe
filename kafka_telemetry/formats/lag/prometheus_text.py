"""Prometheus text exposition and OpenMetrics: the response of an exporter at /metrics, one scrape per file."""

from collections.abc import Iterator
from functools import cache
from typing import BinaryIO

from kafka_telemetry.formats.lag.exposition_line import NAME
from kafka_telemetry.formats.lag.exposition_lines import read_metric_lines
from kafka_telemetry.formats.lag.file_name_times import UnusableNameError, time_in_name
from kafka_telemetry.formats.lag.lag_reading import rejected_file, unknown_lines
from kafka_telemetry.formats.lag.metric_names import DEFAULT_NAMES, NAMED_BY_LABEL, MetricNames
from kafka_telemetry.formats.lag.metric_rows import sample_readings
from kafka_telemetry.formats.lag.metric_samples import Samples, without_underscore_twins
from kafka_telemetry.formats.receipt import Reading, Receipt
from kafka_telemetry.formats.time_range import is_storable

_MAX_BLOCK_LINES = 1 << 19
_HASH, _SPACE = b"# "


def read(file: BinaryIO, name: str, metric_names: MetricNames = DEFAULT_NAMES) -> Reading:
    lines = _clean(file.read()).split(b"\n")
    records = sum(1 for line in lines if line and line[0] != _HASH and (line[0] > _SPACE or not line.isspace()))
    is_open_metrics = b"# EOF" in lines[-3:]  # its times are seconds, those of the older text format milliseconds

    @cache
    def clock(time: str | None) -> int:
        if time is None:
            return round(time_in_name(name).timestamp()) * 1_000_000
        microseconds = round(float(time) * (1_000_000 if is_open_metrics else 1_000))
        if not is_storable(microseconds):
            raise ValueError(f"{time} is not a time")
        return microseconds

    samples: list[Samples] = []
    not_understood: list[tuple[int, str]] = []
    ignored = 0
    try:
        for metric, start, end in _blocks(lines):
            if metric is None:
                numbered = enumerate(lines[start:end], start + 1)
                not_understood += [(number, line.decode()) for number, line in numbered if line.strip()]
            elif NAMED_BY_LABEL.fullmatch(metric) or metric_names.meaning(metric):
                block = read_metric_lines(metric, lines[start:end], start + 1, metric_names, clock)
                samples += block.samples
                not_understood += block.not_understood
                ignored += block.ignored
            else:
                ignored += end - start
    except UnusableNameError as error:
        yield from rejected_file(str(error), None)
        return Receipt("prometheus_text", records, 0, not_understood=records, details={"rejected_file": 1})

    samples, twins = without_underscore_twins(samples)
    yield from sample_readings(samples)
    yield from unknown_lines(not_understood, None)
    understood = sum(len(metric_samples.values) for metric_samples in samples)
    details = {"underscore_twins": twins} if twins else {}
    return Receipt("prometheus_text", records, understood, len(not_understood), ignored + twins, details)


def _clean(content: bytes) -> bytes:
    try:
        content.decode()
    except UnicodeDecodeError:
        content = content.decode(errors="replace").encode()
    return content.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")


def _blocks(lines: list[bytes]) -> Iterator[tuple[str | None, int, int]]:
    """Metric name, start and end of each run of lines with the same name; a line without a name (None) is a run of its own.
    Comments are skipped."""
    place = 0
    while place < len(lines):
        start, line = place, lines[place]
        place += 1
        if line[:1] == b"#":
            continue
        name = NAME.match(line)
        if name is None:
            yield None, start, place
            continue
        labelled = name[0] + b"{"
        end = min(len(lines), start + _MAX_BLOCK_LINES)
        while place < end and lines[place].startswith(labelled):
            place += 1
        yield name[0].decode(), start, place
