"""Reads the lines of one metric in Prometheus' text exposition."""

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from kafka_telemetry.formats.lag.exposition_line import Clock, Sample, parse_sample
from kafka_telemetry.formats.lag.exposition_lines_fast import read_lines_fast
from kafka_telemetry.formats.lag.metric_names import INFO, MetricMeaning, MetricNames
from kafka_telemetry.formats.lag.metric_samples import (
    Samples,
    UnusableLabelsError,
    labels_by_role,
    metric_meaning,
    text_column,
)

# For fewer lines the columns cost more than they save.
_FAST_FROM = 64


class MetricLines(NamedTuple):
    samples: list[Samples]
    not_understood: list[tuple[int, str]]
    ignored: int


class _Row(NamedTuple):
    texts: list[str]  # of the labels, in the order of the roles
    sample: Sample
    time: int
    number: int


def read_metric_lines(
    metric: str, lines: list[bytes], first_number: int, names: MetricNames, clock: Clock
) -> MetricLines:
    """Reads the lines of a metric; `first_number` is the line number of the first."""
    fast: list[Samples] = []
    others = list(range(len(lines)))
    if len(lines) >= _FAST_FROM:
        fast, others = read_lines_fast(metric, lines, first_number, names, clock)
    numbered = [(first_number + place, lines[place].decode()) for place in others]
    result = read_each_line(metric, numbered, names, clock)
    return result._replace(samples=[*fast, *result.samples])


def read_each_line(metric: str, lines: list[tuple[int, str]], names: MetricNames, clock: Clock) -> MetricLines:
    """Reads lines of any form one by one; `lines` are line numbers and texts."""
    not_understood: list[tuple[int, str]] = []
    ignored = 0
    rows: dict[tuple[MetricMeaning, tuple[str, ...]], list[_Row]] = defaultdict(list)
    for number, line in lines:
        sample = parse_sample(line)
        if sample is None:
            not_understood.append((number, line))
            continue
        meaning = metric_meaning(metric, sample.labels, names)
        if meaning is None:
            ignored += 1
            continue
        try:
            by_role = labels_by_role(sample.labels, meaning, names)
            time = clock(sample.time)
        except (UnusableLabelsError, ValueError):
            not_understood.append((number, line))
            continue
        texts = [sample.labels[label] for label in by_role.values()]
        rows[meaning, tuple(by_role)].append(_Row(texts, sample, time, number))
    samples = [_samples(meaning, roles, of_meaning) for (meaning, roles), of_meaning in rows.items()]
    return MetricLines(samples, not_understood, ignored)


def _samples(meaning: MetricMeaning, roles: tuple[str, ...], rows: list[_Row]) -> Samples:
    by_role = zip(roles, zip(*(row.texts for row in rows), strict=True), strict=True)
    info = INFO if meaning.quantity == "info" else {}
    return Samples(
        meaning,
        {role: text_column(texts) for role, texts in by_role},
        {key: text_column([row.sample.labels.get(label) for row in rows]) for label, key in info.items()},
        np.arange(len(rows)),
        np.array([row.time for row in rows], np.int64),
        np.array([row.sample.value for row in rows], np.float64),
        np.array([row.number for row in rows], np.int64),
    )
