"""Samples of metrics to lag readings: the series of one partition at one time become one row.

A sample belongs to what its labels name: cluster, group, topic, partition, member, client, host. Series of two members
are two rows, since each is true in itself only.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from spark_jobs.wire.lag_reading import details_of, lag_readings
from spark_jobs.wire.metric_names import CODES, INFO, LABELS, NAMED_BY_LABEL, Meaning, MetricNames

ROLES = tuple(LABELS)
Identity = tuple[str, ...]
Floats = npt.NDArray[np.float64]

# Above it a 64-bit number was negative before it was written as unsigned; a double can't tell such numbers apart.
_WRAPPED = float(2**63)
_OFFSETS = ("committed_offset", "log_start_offset", "log_end_offset")


class Samples(NamedTuple):
    """Samples of one metric. `times` are microseconds since 1970."""

    meaning: Meaning
    identities: Sequence[Identity]
    times: Sequence[int]
    values: Sequence[float]
    positions: Sequence[int]
    labels: Mapping[str, str]  # of the series, if it is one


class NotASeriesError(Exception):
    """A known metric whose labels don't say which partition it is about."""


def meaning_of(name: str, labels: Mapping[str, str], names: MetricNames) -> Meaning | None:
    if NAMED_BY_LABEL.fullmatch(name) and "name" in labels:
        return names.meaning(f"{name}_{labels['name']}")
    return names.meaning(name)


def roles_of(labels: Mapping[str, str], meaning: Meaning, names: MetricNames) -> dict[str, str]:
    """The label that plays each role."""
    roles = {role: label for role in ROLES if (label := names.label_of(role, labels))}
    needed = {"group_state": {"group"}, "log_offset": {"topic", "partition"}}.get(
        meaning.kind, {"group", "topic", "partition"}
    )
    if meaning.reporter == "jmx_client" or meaning.lag_meaning == "position":
        needed = needed - {"group"}  # a client's own metrics don't say in which group it is
    missing = needed - set(roles)
    if missing:
        raise NotASeriesError(f"no label tells the {' and '.join(sorted(missing))}")
    kept = {"group_state": ("cluster", "group"), "log_offset": ("cluster", "topic", "partition")}.get(meaning.kind)
    return {role: label for role, label in roles.items() if kept is None or role in kept}


def identity_of(labels: Mapping[str, str], roles: Mapping[str, str]) -> Identity:
    identity = tuple(labels[roles[role]] if role in roles else "" for role in ROLES)
    partition = identity[ROLES.index("partition")]
    if "partition" in roles and not (partition.isascii() and partition.isdigit() and len(partition) < 10):
        raise NotASeriesError(f"partition {partition!r} is no number")
    return identity


def readings(samples: Sequence[Samples]) -> Iterator[pa.RecordBatch]:
    ends: dict[str, tuple[dict[Any, int], dict[str, Floats]]] = {}
    together: dict[tuple[str, str], list[Samples]] = defaultdict(list)
    for one in samples:
        together[one.meaning.reporter, one.meaning.kind].append(one)
    for (reporter, kind), group in sorted(together.items(), key=lambda item: item[0][1] != "log_offset"):
        index: dict[Any, int] = {}
        places = [
            np.fromiter((index.setdefault(key, len(index)) for key in zip(one.identities, one.times, strict=True)), int)
            for one in group
        ]
        told: dict[str, Floats] = {}
        positions = np.zeros(len(index), np.int64)
        for one, place in zip(reversed(group), reversed(places), strict=True):
            told.setdefault(one.meaning.quantity, np.full(len(index), np.nan))[place] = one.values
            positions[place] = one.positions
        if kind == "log_offset":
            ends[reporter] = index, told
        elif kind == "group_offset" and reporter in ends:
            told |= _log_ends(index, *ends[reporter])
        infos = [(one, place) for one, place in zip(group, places, strict=True) if one.meaning.quantity == "info"]
        yield from _rows(reporter, kind, index, positions, told, group, infos)


def _log_ends(index: dict[Any, int], ends: dict[Any, int], told: dict[str, Floats]) -> dict[str, Floats]:
    """The ends of each row's log, as the same reporter told them at the same time."""
    place = np.fromiter(
        (
            ends.get(((cluster, "", topic, partition, "", "", ""), time), -1)
            for (cluster, _, topic, partition, *_), time in index
        ),
        int,
    )
    return {column: np.where(place >= 0, values[place], np.nan) for column, values in told.items()}


def _rows(
    reporter: str,
    kind: str,
    index: dict[Any, int],
    positions: npt.NDArray[np.int64],
    told: dict[str, Floats],
    group: Sequence[Samples],
    infos: Sequence[tuple[Samples, npt.NDArray[np.int64]]],
) -> Iterator[pa.RecordBatch]:
    rows = len(index)
    identities, times = zip(*index, strict=True)
    cluster, group_id, topic, partition, member, client, host = (
        None if set(values) == {""} else [value or None for value in values] for values in zip(*identities, strict=True)
    )
    columns: dict[str, Any] = {
        "kind": kind,
        "reporter": reporter,
        "source_position": positions,
        "sampled_at": pa.array(times, pa.timestamp("us", tz="UTC")),
        "group_id": group_id,
        "topic": topic,
        "partition_id": partition and pa.array(partition, pa.string()).cast(pa.int32()),
        "owner_member_id": member,
        "client_id": client,
        "client_host": host,
        "lag_meaning": next((one.meaning.lag_meaning for one in group if one.meaning.lag_meaning), None),
    }
    details: dict[str, list[str | None]] = {} if cluster is None else {"cluster": cluster}
    for column in _OFFSETS:
        if column in told:
            # -1 is "no offset": kafka_exporter's, Burrow's and the protocol's own.
            columns[column] = _whole(told[column], told[column] >= 0)
    if "reported_lag" in told:
        lag = told["reported_lag"]
        wrapped = lag >= _WRAPPED
        known = ~wrapped
        if reporter == "kafka_exporter":
            # -1 says that nothing is committed, unless there is a commit: then it is a commit one past the end.
            known &= (lag != -1) | (told.get("committed_offset", np.full(rows, np.nan)) >= 0)
        columns["reported_lag"] = _whole(lag, known)
        if wrapped.any():
            details["lag_problem"] = [f"wrapped below zero: {text:.0f}" if bad else None
                                      for text, bad in zip(lag, wrapped, strict=True)]  # fmt: skip
    if "lag_seconds" in told:
        columns["reported_lag_ms"] = _whole(np.round(told["lag_seconds"] * 1000), True)
    for quantity, values in told.items():
        if quantity in CODES:
            key, texts = CODES[quantity]
            details[key] = [None if value != value else texts.get(value, f"{value:.0f}") for value in values]
        elif quantity not in (*_OFFSETS, "reported_lag", "lag_seconds", "info"):
            details[quantity] = [None if value != value else _plain(value) for value in values]
    for one, place in infos:
        for label, key in INFO.items():
            if one.labels.get(label):
                for row in place:
                    details.setdefault(key, [None] * rows)[row] = one.labels[label]
    columns["details"] = details_of(details, rows)
    yield from lag_readings(rows, columns)


def _whole(values: Floats, known: Any) -> pa.Array:
    known = known & np.isfinite(values) & (np.abs(values) < _WRAPPED)
    return pa.array(np.where(known, values, 0).astype(np.int64), mask=~known)


def _plain(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(float(value))


def without_underscore_twins(samples: Sequence[Samples]) -> tuple[list[Samples], int]:
    """Java clients report a topic `a.b` a second time as `a_b` (Kafka allows no topic of that name beside it)."""
    client, topic, partition = (ROLES.index(role) for role in ("client", "topic", "partition"))
    twins = {
        (one.meaning, identity[client], identity[topic].replace(".", "_"), identity[partition])
        for one in samples
        if one.meaning.reporter == "jmx_client"
        for identity in one.identities
        if "." in identity[topic]
    }
    if not twins:
        return list(samples), 0
    kept, dropped = [], 0
    for one in samples:
        keep = [
            (one.meaning, identity[client], identity[topic], identity[partition]) not in twins
            for identity in one.identities
        ]
        dropped += keep.count(False)
        if any(keep):
            kept.append(
                one._replace(
                    identities=list(compress(one.identities, keep)),
                    times=list(compress(one.times, keep)),
                    values=list(compress(one.values, keep)),
                    positions=list(compress(one.positions, keep)),
                )
            )
    return kept, dropped
