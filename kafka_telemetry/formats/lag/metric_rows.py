"""Samples of metrics to lag readings: what one reporter tells of one partition at one time becomes one row.

Series of two members or two clusters are two rows, since each is true in itself only.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.formats.lag.lag_reading import details_of, lag_readings
from kafka_telemetry.formats.lag.metric_names import CODES
from kafka_telemetry.formats.lag.metric_samples import ROLES, Numbers, Samples, Values

# Above it a 64-bit number was negative before it was written as unsigned; a double can't tell such numbers apart.
_WRAPPED = float(2**63)
_OFFSETS = ("committed_offset", "log_start_offset", "log_end_offset")
_COLUMNS = {
    "group": "group_id",
    "topic": "topic",
    "partition": "partition_id",
    "member": "owner_member_id",
    "client": "client_id",
    "host": "client_host",
}


def readings(samples: Sequence[Samples]) -> Iterator[pa.RecordBatch]:
    by_reporter: dict[str, list[Samples]] = defaultdict(list)
    for one in samples:
        if len(one.values):
            by_reporter[one.meaning.reporter].append(one)
    for reporter, together in by_reporter.items():
        sets = _Sets.of(together)
        rows = {
            kind: _Rows.of(sets, [place for place, one in enumerate(together) if one.meaning.kind == kind])
            for kind in dict.fromkeys(one.meaning.kind for one in together)
        }
        if "log_offset" in rows and "group_offset" in rows:
            rows["group_offset"].told.update(_ends_of_logs(sets, rows["log_offset"], rows["group_offset"]))
        for kind, of_kind in rows.items():
            yield from _batches(reporter, kind, sets, of_kind)


class _Sets(NamedTuple):
    """All samples of a reporter, end to end; the texts of each role as places in a dictionary."""

    samples: Sequence[Samples]
    starts: Numbers
    codes: Mapping[str, Numbers]
    texts: Mapping[str, pa.Array]
    times: Numbers

    @classmethod
    def of(cls, samples: Sequence[Samples]) -> "_Sets":
        series = np.cumsum([0] + [1 + int(one.series.max()) for one in samples])
        of_sample = np.concatenate([one.series + first for one, first in zip(samples, series[:-1], strict=True)])
        codes, texts = {}, {}
        for role in ROLES:
            if any(role in one.labels for one in samples):
                told = [
                    one.labels[role].slice(0, size) if role in one.labels else pa.repeat("", size)
                    for one, size in zip(samples, np.diff(series).tolist(), strict=True)
                ]
                encoded = pa.concat_arrays(told).dictionary_encode()
                codes[role], texts[role] = encoded.indices.to_numpy()[of_sample].astype(np.int64), encoded.dictionary
        starts = np.cumsum([0] + [len(one.values) for one in samples])
        return cls(samples, starts, codes, texts, np.concatenate([one.times for one in samples]))

    def keys(self, samples: Numbers, roles: Sequence[str]) -> Numbers:
        """A number a sample, the same where these roles and the time are the same."""
        key, bound = _dense(self.times)
        key = key[samples]
        for role in roles:
            if role in self.codes:
                if bound * len(self.texts[role]) >= 1 << 62:
                    raise OverflowError("more series than a 64-bit key can tell apart")
                key = key * len(self.texts[role]) + self.codes[role][samples]
                bound *= len(self.texts[role])
        return key


class _Rows(NamedTuple):
    first: Numbers  # the sample of each row that stands first
    positions: Numbers
    told: dict[str, Values]
    labelled: dict[str, pa.Array]
    lag_meaning: str | None

    @classmethod
    def of(cls, sets: _Sets, members: Sequence[int]) -> "_Rows":
        samples = np.concatenate([np.arange(sets.starts[place], sets.starts[place + 1]) for place in members])
        row_of, rows = _dense(sets.keys(samples, ROLES))
        first = np.empty(rows, np.int64)
        first[row_of[::-1]] = samples[::-1]
        told: dict[str, Values] = {}
        labelled: dict[str, pa.Array] = {}
        positions = np.concatenate([sets.samples[place].positions for place in members])
        of_row = np.empty(rows, np.int64)
        of_row[row_of[::-1]] = positions[::-1]
        start = 0
        for place in members:
            one = sets.samples[place]
            here = row_of[start : start + len(one.values)]
            start += len(one.values)
            told.setdefault(one.meaning.quantity, np.full(rows, np.nan))[here] = one.values
            for key, texts in one.told.items():
                of_series = np.full(rows, -1)
                of_series[here] = one.series
                labelled[key] = texts.take(pa.array(of_series, mask=of_series < 0))
        meanings = (sets.samples[place].meaning.lag_meaning for place in members)
        return cls(first, of_row, told, labelled, next((meaning for meaning in meanings if meaning), None))


def _dense(numbers: Numbers) -> tuple[Numbers, int]:
    """The same numbers renamed 0, 1, 2… in the order they come."""
    encoded = pa.array(numbers).dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), len(encoded.dictionary)


def _ends_of_logs(sets: _Sets, logs: _Rows, groups: _Rows) -> dict[str, Values]:
    """The ends of each row's log, as the same reporter told them at the same time."""
    roles = ("cluster", "topic", "partition")
    log = pc.index_in(pa.array(sets.keys(groups.first, roles)), value_set=pa.array(sets.keys(logs.first, roles)))
    place = log.fill_null(-1).to_numpy()
    return {column: np.where(place >= 0, values[place], np.nan) for column, values in logs.told.items()}


def _batches(reporter: str, kind: str, sets: _Sets, rows: _Rows) -> Iterator[pa.RecordBatch]:
    told, size = rows.told, len(rows.first)
    columns: dict[str, Any] = {
        "kind": kind,
        "reporter": reporter,
        "source_position": rows.positions,
        "sampled_at": pa.array(sets.times[rows.first], pa.timestamp("us", tz="UTC")),
        "lag_meaning": rows.lag_meaning,
    }
    for role, column in _COLUMNS.items():
        columns[column] = _text(sets, rows, role)
    for column in _OFFSETS:
        if column in told:
            # -1 is "no offset": kafka_exporter's, Burrow's and the protocol's own.
            columns[column] = _whole(told[column], told[column] >= 0)
    details = {key: _texts(values.to_pylist()) for key, values in rows.labelled.items()}
    if (cluster := _text(sets, rows, "cluster")) is not None:
        details["cluster"] = cluster.to_pylist()
    if "reported_lag" in told:
        lag = told["reported_lag"]
        known = lag < _WRAPPED
        if (lag >= _WRAPPED).any():
            details["lag_problem"] = [_wrapped(value) for value in lag]
        if reporter == "kafka_exporter":
            # -1 says that nothing is committed, unless there is a commit: then the commit is one past the end.
            known &= (lag != -1) | (told.get("committed_offset", np.full(size, np.nan)) >= 0)
        columns["reported_lag"] = _whole(lag, known)
    if "lag_seconds" in told:
        columns["reported_lag_ms"] = _whole(np.round(told["lag_seconds"] * 1000), np.ones(size, bool))
    for quantity, values in told.items():
        if quantity in CODES:
            key, names = CODES[quantity]
            details[key] = [None if np.isnan(value) else names.get(value, f"{value:.0f}") for value in values]
        elif quantity not in (*_OFFSETS, "reported_lag", "lag_seconds", "info"):
            details[quantity] = [None if np.isnan(value) else _plain(value) for value in values.tolist()]
    columns["details"] = details_of(details, size)
    yield from lag_readings(size, columns)


def _text(sets: _Sets, rows: _Rows, role: str) -> pa.Array | None:
    """A role's text in each row; an empty label is none, as Prometheus has it."""
    if role not in sets.codes:
        return None
    texts = sets.texts[role]
    texts = pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)
    texts = texts.cast(pa.int32()) if role == "partition" else texts
    told = texts.take(pa.array(sets.codes[role][rows.first]))
    return None if told.null_count == len(told) else told


def _texts(texts: list[str | None]) -> list[str | None]:
    return [text or None for text in texts]


def _whole(values: Values, known: Any) -> pa.Array:
    known = known & np.isfinite(values) & (np.abs(values) < _WRAPPED)
    return pa.array(np.where(known, values, 0).astype(np.int64), mask=~known)


def _plain(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)


def _wrapped(value: float) -> str | None:
    return f"wrapped below zero: {value:.0f}" if value >= _WRAPPED else None
