"""Samples of metrics, as columns, and which partition or group a sample is about."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafka_telemetry.formats.lag.metric_names import LABELS, NAMED_BY_LABEL, Meaning, MetricNames

ROLES = tuple(LABELS)
Numbers = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]


class Samples(NamedTuple):
    """Samples of one metric; `series` says to which of the series in `labels` and `told` each belongs."""

    meaning: Meaning
    labels: Mapping[str, pa.Array]  # by role
    told: Mapping[str, pa.Array]  # details that stand in labels, not in the value
    series: Numbers
    times: Numbers  # microseconds since 1970
    values: Values
    positions: Numbers


YEAR_9999 = 253_370_764_800  # in seconds; no sample is of a later time


class NotASeriesError(Exception):
    """A known metric whose labels don't say what it is about."""


def meaning_of(name: str, labels: Mapping[str, str], names: MetricNames) -> Meaning | None:
    if NAMED_BY_LABEL.fullmatch(name) and "name" in labels:
        return names.meaning(f"{name}_{labels['name']}")
    return names.meaning(name)


_NEEDED = {
    "group_offset": {"group", "topic", "partition"},
    "log_offset": {"topic", "partition"},
    "group_state": {"group"},
}
# Relabelling gives every metric of a scrape the same labels: a log has no group and no client for all that.
_KEPT = {
    "group_offset": ROLES,
    "log_offset": ("cluster", "topic", "partition"),
    "group_state": ("cluster", "group"),
}


def roles_of(labels: Mapping[str, str], meaning: Meaning, names: MetricNames) -> dict[str, str]:
    """The label that plays each role."""
    roles = {role: label for role in _KEPT[meaning.kind] if (label := names.label_of(role, labels))}
    needed = _NEEDED[meaning.kind]
    if meaning.reporter == "jmx_client" or meaning.lag_meaning == "position":
        needed = needed - {"group"}  # a client's own metrics don't say in which group it is
    if missing := needed - {role for role, label in roles.items() if labels[label]}:
        raise NotASeriesError(f"no label tells the {' and '.join(sorted(missing))}")
    partition = labels[roles["partition"]] if "partition" in roles else "0"
    if not (partition.isascii() and partition.isdigit() and len(partition) < 10):
        raise NotASeriesError(f"partition {partition!r} is no number")
    return roles


def column(texts: Sequence[str | None]) -> pa.Array:
    return pa.array(texts, pa.string())


def without_underscore_twins(samples: Sequence[Samples]) -> tuple[list[Samples], int]:
    """Java clients report a topic `a.b` a second time as `a_b` (Kafka allows no topic of that name beside it)."""
    keys = [
        list(zip(*(one.labels[role].to_pylist() for role in _TWIN_ROLES if role in one.labels), strict=True))
        if one.meaning.reporter == "jmx_client"
        else []
        for one in samples
    ]
    twins = {
        (one.meaning, topic.replace(".", "_"), *rest)
        for one, of_series in zip(samples, keys, strict=True)
        for topic, *rest in of_series
        if "." in topic
    }
    if not twins:
        return list(samples), 0
    kept, dropped = [], 0
    for one, of_series in zip(samples, keys, strict=True):
        is_twin = np.array([(one.meaning, *key) in twins for key in of_series], bool)
        keep = ~is_twin[one.series] if of_series else np.ones(len(one.series), bool)
        dropped += int((~keep).sum())
        kept.append(
            one._replace(
                series=one.series[keep],
                times=one.times[keep],
                values=one.values[keep],
                positions=one.positions[keep],
            )
        )
    return kept, dropped


_TWIN_ROLES = ("topic", "partition", "client")
