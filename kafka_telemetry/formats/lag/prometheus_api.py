"""Answers of Prometheus' HTTP API, /api/v1/query and /api/v1/query_range: series with one value, or values in time."""

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from kafka_telemetry.formats.json_documents import IncompleteJsonError, parse_json_documents
from kafka_telemetry.formats.lag.lag_reading import rejected_file, unknown_lines
from kafka_telemetry.formats.lag.metric_names import DEFAULT, INFO, MetricNames
from kafka_telemetry.formats.lag.metric_rows import readings
from kafka_telemetry.formats.lag.metric_samples import (
    YEAR_9999,
    NotASeriesError,
    Samples,
    column,
    meaning_of,
    roles_of,
    without_underscore_twins,
)
from kafka_telemetry.formats.receipt import Reading, Receipt

# [seconds, "value"]. Inside a JSON string the quote would be escaped.
_A_VALUE = re.compile(rb'\[\s*-?\d[\d.eE+-]*\s*,\s*"')
# An answer says what became of it first, but for servers that keep Prometheus' API and not its order.
_ANSWER = re.compile(r'"status"\s*:\s*"(?:success|error)"')


def looks_like(head: str) -> bool:
    return _ANSWER.search(head) is not None and re.search(r'"(?:resultType|errorType)"\s*:', head) is not None


def read(file: BinaryIO, name: str, metric_names: MetricNames = DEFAULT) -> Reading:  # noqa: ARG001
    content = file.read()
    records = len(_A_VALUE.findall(content))
    samples: list[Samples] = []
    strange: list[tuple[int, str]] = []
    errors: list[str] = []
    ignored = place = 0
    try:
        for answer in parse_json_documents(content):
            if not isinstance(answer, dict) or answer.get("status") != "success":
                errors.append(_error(answer))
                continue
            for labels, values in _series(answer):
                try:
                    taken = _samples(labels, values, place, metric_names)
                except (NotASeriesError, ValueError, TypeError):
                    strange.append((place, json.dumps(labels, ensure_ascii=False)))
                else:
                    samples += taken
                    ignored += 0 if taken else len(values)
                place += 1
    except IncompleteJsonError as torn:
        strange.append((place, torn.rest))
    samples, twins = without_underscore_twins(samples)
    yield from readings(samples)
    yield from unknown_lines(strange, None)
    if errors:
        yield from rejected_file("; ".join(dict.fromkeys(errors)), None)
    understood = sum(len(one.values) for one in samples)
    ignored += twins
    # What is left: values of series without a name or a partition, scalars, and those of a torn document.
    return Receipt("prometheus_api", records, understood, records - understood - ignored, ignored)


def _series(answer: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Labels and [time, value] pairs. A scalar or a string is a value without labels that can tell anything."""
    data = answer.get("data")
    result = data.get("result") if isinstance(data, dict) else None
    for series in result if isinstance(result, list) else ():
        if isinstance(series, dict):
            yield series.get("metric"), series.get("values") or ([series["value"]] if "value" in series else [])


def _error(answer: Any) -> str:
    told = answer if isinstance(answer, dict) else {}
    return f"the API answered {told.get('errorType')}: {told.get('error')}"


def _samples(labels: Any, values: Any, place: int, names: MetricNames) -> list[Samples]:
    """The samples of a series; none if it is another metric."""
    if not isinstance(labels, dict) or not all(isinstance(text, str) for text in labels.values()):
        raise NotASeriesError("labels are texts by name")
    if "__name__" not in labels:
        raise NotASeriesError("an expression's result has no name")
    meaning = meaning_of(labels["__name__"], labels, names)
    if meaning is None or not values:
        return []
    roles = roles_of(labels, meaning, names)
    times, texts = zip(*values, strict=True)
    seconds = np.array(times)
    if seconds.dtype.kind not in "if" or not (np.abs(seconds) < YEAR_9999).all():
        raise ValueError("a value's time is no time")
    details = INFO if meaning.quantity == "info" else {}
    return [
        Samples(
            meaning,
            {role: column([labels[label]]) for role, label in roles.items()},
            {key: column([labels.get(label)]) for label, key in details.items()},
            np.zeros(len(times), np.int64),
            np.round(seconds * 1000).astype(np.int64) * 1000,
            pa.array(texts, pa.string()).cast(pa.float64()).to_numpy(),
            np.full(len(times), place),
        )
    ]
