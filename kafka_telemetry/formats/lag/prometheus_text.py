"""Prometheus text exposition and OpenMetrics: what an exporter answers at /metrics, one scrape a file."""

from collections.abc import Iterator
from functools import cache
from typing import BinaryIO

from kafka_telemetry.formats.lag.exposition_line import NAME
from kafka_telemetry.formats.lag.exposition_lines import taken
from kafka_telemetry.formats.lag.file_name_times import UnusableNameError, taken_at
from kafka_telemetry.formats.lag.lag_reading import rejected_file, unknown_lines
from kafka_telemetry.formats.lag.metric_names import DEFAULT, NAMED_BY_LABEL, MetricNames
from kafka_telemetry.formats.lag.metric_rows import readings
from kafka_telemetry.formats.lag.metric_samples import YEAR_9999, Samples, without_underscore_twins
from kafka_telemetry.formats.receipt import Reading, Receipt

_LINES_AT_ONCE = 1 << 19
_HASH, _BLANK = b"# "


def read(file: BinaryIO, name: str, metric_names: MetricNames = DEFAULT) -> Reading:
    lines = _clean(file.read()).split(b"\n")
    records = sum(1 for line in lines if line and line[0] != _HASH and (line[0] > _BLANK or not line.isspace()))
    seconds = b"# EOF" in lines[-3:]  # OpenMetrics; the older text has milliseconds

    @cache
    def clock(time: str | None) -> int:
        if time is None:
            return round(taken_at(name).timestamp()) * 1_000_000
        microseconds = round(float(time) * (1_000_000 if seconds else 1_000))
        if abs(microseconds) >= YEAR_9999 * 1_000_000:
            raise ValueError(f"{time} is no time")
        return microseconds

    samples: list[Samples] = []
    strange: list[tuple[int, str]] = []
    ignored = 0
    try:
        for metric, start, end in _blocks(lines):
            if metric is None:
                strange += [(at, line.decode()) for at, line in enumerate(lines[start:end], start + 1) if line.strip()]
            elif NAMED_BY_LABEL.fullmatch(metric) or metric_names.meaning(metric):
                found = taken(metric, lines[start:end], start + 1, metric_names, clock)
                samples += found.samples
                strange += found.strange
                ignored += found.ignored
            else:
                ignored += end - start
    except UnusableNameError as why:
        yield from rejected_file(str(why), None)
        return Receipt("prometheus_text", records, 0, not_understood=records, details={"rejected_file": 1})

    samples, twins = without_underscore_twins(samples)
    yield from readings(samples)
    yield from unknown_lines(strange, None)
    understood = sum(len(one.values) for one in samples)
    details = {"underscore_twins": twins} if twins else {}
    return Receipt("prometheus_text", records, understood, len(strange), ignored + twins, details)


def _clean(content: bytes) -> bytes:
    try:
        content.decode()
    except UnicodeDecodeError:
        content = content.decode(errors="replace").encode()
    return content.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")


def _blocks(lines: list[bytes]) -> Iterator[tuple[str | None, int, int]]:
    """Runs of lines with the same metric name; those without one by themselves. Comments are left out."""
    place = 0
    while place < len(lines):
        start, line = place, lines[place]
        place += 1
        if line[:1] == b"#":
            continue
        found = NAME.match(line)
        if found is None:
            yield None, start, place
            continue
        labelled = found[0] + b"{"
        end = min(len(lines), start + _LINES_AT_ONCE)
        while place < end and lines[place].startswith(labelled):
            place += 1
        yield found[0].decode(), start, place
