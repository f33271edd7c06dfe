"""Combines samples of metrics into lag readings: one row for what a reporter reported about a partition at one time.

Series of two members or of two clusters become two rows, because their values must not be mixed.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Flags, Floats, Integers
from kafka_telemetry.formats.lag.lag_reading import details_column, reading_batches
from kafka_telemetry.formats.lag.metric_names import CODES
from kafka_telemetry.formats.lag.metric_samples import ROLES, Samples

# From here on a 64-bit number was negative before it was written as unsigned; a double can't tell such numbers apart.
_WRAPPED = float(2**63)
_LARGEST_KEY = 1 << 62
_OFFSETS = ("committed_offset", "log_start_offset", "log_end_offset")
_COLUMNS = {
    "group": "group_id",
    "topic": "topic",
    "partition": "partition_id",
    "member": "owner_member_id",
    "client": "client_id",
    "host": "client_host",
}


def sample_readings(samples: Sequence[Samples]) -> Iterator[pa.RecordBatch]:
    by_reporter: dict[str, list[Samples]] = defaultdict(list)
    for metric in samples:
        if len(metric.values):
            by_reporter[metric.meaning.reporter].append(metric)
    for reporter, metrics in by_reporter.items():
        joined = _join(metrics)
        rows = {
            kind: _rows(joined, [place for place, metric in enumerate(metrics) if metric.meaning.kind == kind])
            for kind in dict.fromkeys(metric.meaning.kind for metric in metrics)
        }
        if "log_offset" in rows and "group_offset" in rows:
            rows["group_offset"].quantities.update(_log_ends(joined, rows["log_offset"], rows["group_offset"]))
        for kind, of_kind in rows.items():
            yield from _batches(reporter, kind, joined, of_kind)


class _Joined(NamedTuple):
    """All samples of a reporter, one metric after the other; the labels of each role as indices into a dictionary."""

    metrics: Sequence[Samples]
    starts: Integers  # the first sample of each metric
    codes: Mapping[str, Integers]
    texts: Mapping[str, pa.Array]
    times: Integers

    def keys(self, samples: Integers, roles: Sequence[str]) -> Integers:
        """A number per sample, equal for samples with equal labels of these roles and the same time."""
        time, times = _renumbered(self.times)
        sizes = {role: len(self.texts[role]) for role in roles if role in self.codes}
        if times * math.prod(sizes.values()) < _LARGEST_KEY:
            key = time[samples]
            for role, size in sizes.items():
                key = key * size + self.codes[role][samples]
            return key
        # More combinations than a key has room for: after each role those are numbered that occur.
        key = time
        for role, size in sizes.items():
            key, _ = _renumbered(key * size + self.codes[role])
        return key[samples]


def _join(metrics: Sequence[Samples]) -> _Joined:
    first_series = np.cumsum([0] + [1 + int(metric.series.max()) for metric in metrics])
    series = np.concatenate([metric.series + first for metric, first in zip(metrics, first_series[:-1], strict=True)])
    codes, texts = {}, {}
    for role in ROLES:
        if any(role in metric.labels for metric in metrics):
            labels = [
                metric.labels[role].slice(0, size) if role in metric.labels else pa.repeat("", size)
                for metric, size in zip(metrics, np.diff(first_series).tolist(), strict=True)
            ]
            encoded = pa.concat_arrays(labels).dictionary_encode()
            codes[role], texts[role] = encoded.indices.to_numpy()[series].astype(np.int64), encoded.dictionary
    starts = np.cumsum([0] + [len(metric.values) for metric in metrics])
    return _Joined(metrics, starts, codes, texts, np.concatenate([metric.times for metric in metrics]))


class _Rows(NamedTuple):
    """Rows of one kind; NaN where a quantity was not reported."""

    first: Integers  # the first sample of each row
    positions: Integers
    quantities: dict[str, Floats]
    label_details: dict[str, pa.Array]
    lag_meaning: str | None


def _rows(joined: _Joined, metrics: Sequence[int]) -> _Rows:
    samples = np.concatenate([np.arange(joined.starts[place], joined.starts[place + 1]) for place in metrics])
    row, row_count = _renumbered(joined.keys(samples, ROLES))
    first = np.empty(row_count, np.int64)
    first[row[::-1]] = samples[::-1]
    quantities: dict[str, Floats] = {}
    label_details: dict[str, pa.Array] = {}
    sample_positions = np.concatenate([joined.metrics[place].positions for place in metrics])
    positions = np.empty(row_count, np.int64)
    positions[row[::-1]] = sample_positions[::-1]
    start = 0
    for place in metrics:
        metric = joined.metrics[place]
        rows_of_metric = row[start : start + len(metric.values)]
        start += len(metric.values)
        quantities.setdefault(metric.meaning.quantity, np.full(row_count, np.nan))[rows_of_metric] = metric.values
        for key, texts in metric.details.items():
            series = np.full(row_count, -1)
            series[rows_of_metric] = metric.series
            label_details[key] = texts.take(pa.array(series, mask=series < 0))
    lag_meanings = (joined.metrics[place].meaning.lag_meaning for place in metrics)
    return _Rows(first, positions, quantities, label_details, next((value for value in lag_meanings if value), None))


def _renumbered(numbers: Integers) -> tuple[Integers, int]:
    """The numbers replaced by 0, 1, 2… in the order of their first occurrence, and how many different ones there are."""
    encoded = pa.array(numbers).dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), len(encoded.dictionary)


def _log_ends(joined: _Joined, logs: _Rows, groups: _Rows) -> dict[str, Floats]:
    """The offsets of each group row's log, as the same reporter reported them at the same time."""
    roles = ("cluster", "topic", "partition")
    log = pc.index_in(pa.array(joined.keys(groups.first, roles)), value_set=pa.array(joined.keys(logs.first, roles)))
    place = log.fill_null(-1).to_numpy()
    return {name: np.where(place >= 0, values[place], np.nan) for name, values in logs.quantities.items()}


def _batches(reporter: str, kind: str, joined: _Joined, rows: _Rows) -> Iterator[pa.RecordBatch]:
    quantities, size = rows.quantities, len(rows.first)
    columns: dict[str, Any] = {
        "kind": kind,
        "reporter": reporter,
        "source_position": rows.positions,
        "sampled_at": pa.array(joined.times[rows.first], pa.timestamp("us", tz="UTC")),
        "lag_meaning": rows.lag_meaning,
    }
    for role, column in _COLUMNS.items():
        columns[column] = _label_column(joined, rows, role)
    for column in _OFFSETS:
        if column in quantities:
            # -1 means "no offset" to kafka_exporter, Burrow and the protocol.
            columns[column] = _whole_numbers(quantities[column], quantities[column] >= 0)
    if "reported_lag" in quantities:
        lag = quantities["reported_lag"]
        known = lag < _WRAPPED
        if reporter == "kafka_exporter":
            # -1 means that nothing is committed; beside a committed offset it means one past the log end.
            known &= (lag != -1) | (quantities.get("committed_offset", np.full(size, np.nan)) >= 0)
        columns["reported_lag"] = _whole_numbers(lag, known)
    if "lag_seconds" in quantities:
        columns["reported_lag_ms"] = _whole_numbers(np.round(quantities["lag_seconds"] * 1000), np.ones(size, bool))
    columns["details"] = details_column(_details(joined, rows), size)
    yield from reading_batches(size, columns)


def _details(joined: _Joined, rows: _Rows) -> dict[str, list[str | None]]:
    details = {key: [text or None for text in texts.to_pylist()] for key, texts in rows.label_details.items()}
    if (cluster := _label_column(joined, rows, "cluster")) is not None:
        details["cluster"] = cluster.to_pylist()
    if "reported_lag" in rows.quantities and (rows.quantities["reported_lag"] >= _WRAPPED).any():
        details["lag_problem"] = [_wrapped_lag(value) for value in rows.quantities["reported_lag"]]
    for quantity, values in rows.quantities.items():
        if quantity in CODES:
            key, names = CODES[quantity]
            details[key] = [None if np.isnan(value) else names.get(value, f"{value:.0f}") for value in values]
        elif quantity not in (*_OFFSETS, "reported_lag", "lag_seconds", "info"):
            details[quantity] = [None if np.isnan(value) else _plain(value) for value in values.tolist()]
    return details


def _label_column(joined: _Joined, rows: _Rows, role: str) -> pa.Array | None:
    """The label of a role in each row. To Prometheus an empty label is the same as none, so it is null."""
    if role not in joined.codes:
        return None
    texts = joined.texts[role]
    texts = pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)
    texts = texts.cast(pa.int32()) if role == "partition" else texts
    column = texts.take(pa.array(joined.codes[role][rows.first]))
    return None if column.null_count == len(column) else column


def _whole_numbers(values: Floats, known: Flags) -> pa.Array:
    known = known & np.isfinite(values) & (np.abs(values) < _WRAPPED)
    return pa.array(np.where(known, values, 0).astype(np.int64), mask=~known)


def _plain(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)


def _wrapped_lag(value: float) -> str | None:
    return f"wrapped below zero: {value:.0f}" if value >= _WRAPPED else None
