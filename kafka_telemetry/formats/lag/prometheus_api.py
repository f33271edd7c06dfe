"""Responses of Prometheus' HTTP API, /api/v1/query and /api/v1/query_range: series with one value, or one per time."""

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from kafka_telemetry.formats.json_documents import IncompleteJsonError, json_excerpt, parse_json_documents
from kafka_telemetry.formats.lag.lag_reading import rejected_file, unknown_lines
from kafka_telemetry.formats.lag.metric_names import DEFAULT_NAMES, INFO, MetricNames
from kafka_telemetry.formats.lag.metric_rows import sample_readings
from kafka_telemetry.formats.lag.metric_samples import (
    Samples,
    UnusableLabelsError,
    labels_by_role,
    metric_meaning,
    text_column,
    without_underscore_twins,
)
from kafka_telemetry.formats.receipt import Reading, Receipt
from kafka_telemetry.formats.time_range import EARLIEST_TIME, LATEST_TIME

# [seconds, "value"]. Inside a JSON string the quote would be escaped.
_A_VALUE = re.compile(rb'\[\s*-?\d[\d.eE+-]*\s*,\s*"')
# Prometheus writes the status first; other servers with the same API may write it later.
_STATUS = re.compile(r'"status"\s*:\s*"(?:success|error)"')
# In seconds.
_EARLIEST, _LATEST = EARLIEST_TIME // 1000, LATEST_TIME // 1000


def looks_like(head: str) -> bool:
    return _STATUS.search(head) is not None and re.search(r'"(?:resultType|errorType)"\s*:', head) is not None


def read(file: BinaryIO, metric_names: MetricNames = DEFAULT_NAMES) -> Reading:
    content = file.read()
    records = len(_A_VALUE.findall(content))
    samples: list[Samples] = []
    not_understood: list[tuple[int, str]] = []
    errors: list[str] = []
    ignored = place = 0
    try:
        for response in parse_json_documents(content):
            if not isinstance(response, dict) or response.get("status") != "success":
                errors.append(_error(response))
                continue
            for labels, values in _series(response):
                try:
                    of_series = _samples(labels, values, place, metric_names)
                except (UnusableLabelsError, ValueError, TypeError):
                    not_understood.append((place, json_excerpt(labels)))
                else:
                    samples += of_series
                    ignored += 0 if of_series else len(values)
                place += 1
    except IncompleteJsonError as error:
        not_understood.append((place, error.rest))
    samples, twins = without_underscore_twins(samples)
    yield from sample_readings(samples)
    yield from unknown_lines(not_understood, None)
    if errors:
        yield from rejected_file("; ".join(dict.fromkeys(errors)), None)
    understood = sum(len(metric_samples.values) for metric_samples in samples)
    # Of a metric that is not about lag, all values count that look like some.
    ignored = min(ignored + twins, records - understood)
    # The rest: values of series without a name or a partition, scalars, and values of an incomplete document.
    return Receipt("prometheus_api", records, understood, records - understood - ignored, ignored)


def _series(response: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Labels and [time, value] pairs of each series. Scalars and strings have no labels and are skipped."""
    data = response.get("data")
    result = data.get("result") if isinstance(data, dict) else None
    for series in result if isinstance(result, list) else ():
        if isinstance(series, dict):
            yield series.get("metric"), series.get("values") or ([series["value"]] if "value" in series else [])


def _error(response: Any) -> str:
    fields = response if isinstance(response, dict) else {}
    problem, error = (
        text if text is None or isinstance(text, str) else json_excerpt(text)
        for text in (fields.get("errorType"), fields.get("error"))
    )
    return f"the API answered {problem}: {error}"


def _samples(labels: Any, values: Any, place: int, names: MetricNames) -> list[Samples]:
    """The samples of a series; an empty list for a metric that is not about lag."""
    if not isinstance(labels, dict) or not all(isinstance(text, str) for text in labels.values()):
        raise UnusableLabelsError("labels are texts by name")
    if "__name__" not in labels:
        raise UnusableLabelsError("an expression's result has no name")
    if not isinstance(values, list):
        raise TypeError("values are a list")
    meaning = metric_meaning(labels["__name__"], labels, names)
    if meaning is None or not values:
        return []
    by_role = labels_by_role(labels, meaning, names)
    times, texts = zip(*values, strict=True)
    seconds = np.array(times)
    if seconds.ndim != 1 or seconds.dtype.kind not in "if" or not ((seconds >= _EARLIEST) & (seconds <= _LATEST)).all():
        raise ValueError("a value's time is not a time")
    info = INFO if meaning.quantity == "info" else {}
    return [
        Samples(
            meaning,
            {role: text_column([labels[label]]) for role, label in by_role.items()},
            {key: text_column([labels.get(label)]) for label, key in info.items()},
            np.zeros(len(times), np.int64),
            np.round(seconds * 1000).astype(np.int64) * 1000,
            pa.array(texts, pa.string()).cast(pa.float64()).to_numpy(),
            np.full(len(times), place),
        )
    ]
