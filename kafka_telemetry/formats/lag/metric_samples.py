"""Samples of metrics as columns, and the partition or group that a sample is about."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from kafka_telemetry.columns import Floats, Integers
from kafka_telemetry.formats.lag.metric_names import LABELS, NAMED_BY_LABEL, MetricMeaning, MetricNames

ROLES = tuple(LABELS)
_REQUIRED_ROLES = {
    "group_offset": {"group", "topic", "partition"},
    "log_offset": {"topic", "partition"},
    "group_state": {"group"},
}
# Relabelling gives all metrics of a scrape the same labels, but a log has no group and no client.
_POSSIBLE_ROLES = {
    "group_offset": ROLES,
    "log_offset": ("cluster", "topic", "partition"),
    "group_state": ("cluster", "group"),
}
_TWIN_ROLES = ("topic", "partition", "client")


class Samples(NamedTuple):
    """Samples of one metric. `series` is the index into `labels` and `details` that each sample belongs to."""

    meaning: MetricMeaning
    labels: Mapping[str, pa.Array]  # by role
    details: Mapping[str, pa.Array]  # details that come from labels, by key
    series: Integers
    times: Integers  # microseconds since 1970
    values: Floats
    positions: Integers


class UnusableLabelsError(Exception):
    """The labels of a known metric do not identify a partition or group."""


def metric_meaning(name: str, labels: Mapping[str, str], names: MetricNames) -> MetricMeaning | None:
    if NAMED_BY_LABEL.fullmatch(name) and "name" in labels:
        return names.meaning(f"{name}_{labels['name']}")
    return names.meaning(name)


def labels_by_role(labels: Mapping[str, str], meaning: MetricMeaning, names: MetricNames) -> dict[str, str]:
    """The name of the label that has each role."""
    by_role = {role: label for role in _POSSIBLE_ROLES[meaning.kind] if (label := names.label_of(role, labels))}
    required = _REQUIRED_ROLES[meaning.kind]
    if meaning.reporter == "jmx_client" or meaning.lag_meaning == "position":
        required = required - {"group"}  # the metrics of a client have no label for its group
    if missing := required - {role for role, label in by_role.items() if labels[label]}:
        raise UnusableLabelsError(f"no label for the {' and '.join(sorted(missing))}")
    partition = labels[by_role["partition"]] if "partition" in by_role else "0"
    if not (partition.isascii() and partition.isdigit() and len(partition) < 10):
        raise UnusableLabelsError(f"partition {partition!r} is not a number")
    return by_role


def text_column(texts: Sequence[str | None]) -> pa.Array:
    return pa.array(texts, pa.string())


def without_underscore_twins(samples: Sequence[Samples]) -> tuple[list[Samples], int]:
    """Removes the samples that Java clients report for a topic `a.b` a second time as `a_b`, and counts them.

    Kafka allows no topic `a_b` beside `a.b`.
    """
    keys_by_metric = [
        list(zip(*(metric.labels[role].to_pylist() for role in _TWIN_ROLES if role in metric.labels), strict=True))
        if metric.meaning.reporter == "jmx_client"
        else []
        for metric in samples
    ]
    twins = {
        (metric.meaning, topic.replace(".", "_"), *rest)
        for metric, keys in zip(samples, keys_by_metric, strict=True)
        for topic, *rest in keys
        if "." in topic
    }
    if not twins:
        return list(samples), 0
    remaining, removed = [], 0
    for metric, keys in zip(samples, keys_by_metric, strict=True):
        is_twin = np.array([(metric.meaning, *key) in twins for key in keys], bool)
        stays = ~is_twin[metric.series] if keys else np.ones(len(metric.series), bool)
        removed += int((~stays).sum())
        remaining.append(
            metric._replace(
                series=metric.series[stays],
                times=metric.times[stays],
                values=metric.values[stays],
                positions=metric.positions[stays],
            )
        )
    return remaining, removed
