"""Answers of Prometheus' HTTP API, /api/v1/query and /api/v1/query_range: series with one value, or values in time."""

import json
import re
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np

from spark_jobs.wire.json_documents import TornJsonError, documents
from spark_jobs.wire.lag_reading import rejected_file, unknown_lines
from spark_jobs.wire.metric_names import DEFAULT, INFO, MetricNames
from spark_jobs.wire.metric_rows import readings
from spark_jobs.wire.metric_samples import (
    NotASeriesError,
    Samples,
    column,
    meaning_of,
    roles_of,
    without_underscore_twins,
)
from spark_jobs.wire.receipt import Reading, Receipt

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
        for answer in documents(content):
            if not isinstance(answer, dict) or answer.get("status") != "success":
                errors.append(_error(answer))
                continue
            data = answer.get("data") or {}
            if data.get("resultType") not in ("vector", "matrix"):
                ignored += 1  # a scalar or a string has no labels
                continue
            for series in data["result"]:
                values = series["values"] if "values" in series else [series["value"]] if "value" in series else []
                try:
                    taken = _samples(series["metric"], values, place, metric_names)
                except (NotASeriesError, ValueError, TypeError):
                    strange.append((place, json.dumps(series["metric"], ensure_ascii=False)))
                else:
                    samples += taken
                    ignored += 0 if taken else len(values)
                place += 1
    except TornJsonError as torn:
        strange.append((place, torn.rest))
    samples, twins = without_underscore_twins(samples)
    yield from readings(samples)
    yield from unknown_lines(strange, None)
    if errors:
        yield from rejected_file("; ".join(dict.fromkeys(errors)), None)
    understood = sum(len(one.values) for one in samples)
    ignored += twins
    # What is left: values of series without a name or a partition, and those of a torn document.
    return Receipt("prometheus_api", records, understood, records - understood - ignored, ignored)


def _error(answer: Any) -> str:
    told = answer if isinstance(answer, dict) else {}
    return f"the API answered {told.get('errorType')}: {told.get('error')}"


def _samples(labels: Mapping[str, str], values: Any, place: int, names: MetricNames) -> list[Samples]:
    """The samples of a series; none if it is another metric."""
    if "__name__" not in labels:
        raise NotASeriesError("an expression's result has no name")
    meaning = meaning_of(labels["__name__"], labels, names)
    if meaning is None or not values:
        return []
    roles = roles_of(labels, meaning, names)
    times, texts = zip(*values, strict=True)
    details = INFO if meaning.quantity == "info" else {}
    return [
        Samples(
            meaning,
            {role: column([labels[label]]) for role, label in roles.items()},
            {key: column([labels.get(label)]) for label, key in details.items()},
            np.zeros(len(times), np.int64),
            np.round(np.array(times, np.float64) * 1000).astype(np.int64) * 1000,
            np.array([float(text) for text in texts]),
            np.full(len(times), place),
        )
    ]
