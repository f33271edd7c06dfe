"""Lines of one metric to its samples.

Most have the labels of the first in the same order: those are cut at their quotes, as a column. What has escapes, or is
written in another way, is read line by line.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.formats.lag.exposition_line import sample
from kafka_telemetry.formats.lag.metric_names import INFO, Meaning, MetricNames
from kafka_telemetry.formats.lag.metric_samples import NotASeriesError, Numbers, Samples, column, meaning_of, roles_of

# Below so many lines the columns cost more than they save.
_A_COLUMN_PAYS = 64

# Microseconds of a sample's own time, or of the file's. A time that can't be one is a ValueError.
Clock = Callable[[str | None], int]


class Taken(NamedTuple):
    samples: list[Samples]
    strange: list[tuple[int, str]]
    ignored: int


def taken(metric: str, lines: list[bytes], first: int, names: MetricNames, clock: Clock) -> Taken:
    """`first` is the line number of the first line."""
    alike: list[Samples] = []
    others = list(range(len(lines)))
    if len(lines) >= _A_COLUMN_PAYS:
        alike, others = _alike(metric, lines, first, names, clock)
    one_by_one = _one_by_one(metric, [(first + place, lines[place].decode()) for place in others], names, clock)
    return one_by_one._replace(samples=[*alike, *one_by_one.samples])


def _alike(
    metric: str, lines: list[bytes], first: int, names: MetricNames, clock: Clock
) -> tuple[list[Samples], list[int]]:
    """The samples with the labels of the first line, and the places of the lines that are not like it."""
    everything = list(range(len(lines)))
    model, meaning = sample(lines[0].decode()), names.meaning(metric)
    if model is None or not model.labels or meaning is None or meaning.quantity == "info":
        return [], everything
    try:
        roles = roles_of(model.labels, meaning, names)
    except NotASeriesError:
        return [], everything

    labels = list(model.labels)
    parts = pc.split_pattern(pa.array(lines, pa.binary()).cast(pa.string()), '"')
    fits = pc.equal(pc.list_value_length(parts), 2 * len(labels) + 1)
    places = np.flatnonzero(fits.to_numpy(zero_copy_only=False))
    parts = parts if len(places) == len(lines) else parts.take(pa.array(places))
    cut = [pc.list_element(parts, part) for part in range(2 * len(labels) + 1)]

    fits = pc.equal(cut[0], f"{metric}{{{labels[0]}=")
    for part, label in zip(cut[2:-1:2], labels[1:], strict=True):
        fits = pc.and_(fits, pc.equal(part, f",{label}="))
    for value in cut[1::2]:
        fits = pc.and_(fits, pc.invert(pc.match_substring(value, "\\")))
    told = {role: cut[2 * labels.index(label) + 1] for role, label in roles.items()}
    for role in ("group", "topic"):
        if role in told:
            fits = pc.and_(fits, pc.not_equal(told[role], ""))
    if "partition" in told:
        fits = pc.and_(fits, pc.match_substring_regex(told["partition"], r"^[0-9]{1,9}$"))
    fits = pc.and_(fits, pc.match_substring_regex(cut[-1], r"^,?\} ?[^ \t{}]+(?: [0-9.-]+)?$"))
    if not pc.all(fits).as_py():
        places = places[fits.to_numpy(zero_copy_only=False)]
        told = {role: texts.filter(fits) for role, texts in told.items()}
        cut[-1] = cut[-1].filter(fits)
    if len(places) == 0:
        return [], everything
    try:
        values, times = _values_and_times(cut[-1], clock)
    except ValueError:
        return [], everything
    others = [] if len(places) == len(lines) else np.setdiff1d(everything, places).tolist()
    return [Samples(meaning, told, {}, np.arange(len(places)), times, values, places + first)], others


def _values_and_times(ends: pa.Array, clock: Clock) -> tuple[np.ndarray, Numbers]:
    """Of what stands behind the labels: `} value` or `} value time`."""
    texts = pc.utf8_ltrim(ends, "},  ")
    if not pc.any(pc.match_substring(texts, " ")).as_py():
        return texts.cast(pa.float64()).to_numpy(), np.full(len(texts), clock(None))
    words = [text.split(" ") for text in texts.to_pylist()]
    times = [clock(word[1] if len(word) == 2 else None) for word in words]
    return np.array([float(word[0]) for word in words]), np.array(times, np.int64)


def _one_by_one(metric: str, lines: list[tuple[int, str]], names: MetricNames, clock: Clock) -> Taken:
    strange: list[tuple[int, str]] = []
    ignored = 0
    rows: dict[tuple[Meaning, tuple[str, ...]], list[tuple[list[str], dict[str, str], int, float, int]]]
    rows = defaultdict(list)
    for number, line in lines:
        told = sample(line)
        if told is None:
            strange.append((number, line))
            continue
        meaning = meaning_of(metric, told.labels, names)
        if meaning is None:
            ignored += 1
            continue
        try:
            roles = roles_of(told.labels, meaning, names)
            time = clock(told.time)
        except (NotASeriesError, ValueError):
            strange.append((number, line))
            continue
        texts = [told.labels[label] for label in roles.values()]
        rows[meaning, tuple(roles)].append((texts, told.labels, time, told.value, number))
    samples = []
    for (meaning, found), of_meaning in rows.items():
        told_texts, labels, times, values, numbers = zip(*of_meaning, strict=True)
        details = INFO if meaning.quantity == "info" else {}
        samples.append(
            Samples(
                meaning,
                {role: column(told) for role, told in zip(found, zip(*told_texts, strict=True), strict=True)},
                {key: column([one.get(label) for one in labels]) for label, key in details.items()},
                np.arange(len(of_meaning)),
                np.array(times, np.int64),
                np.array(values, np.float64),
                np.array(numbers, np.int64),
            )
        )
    return Taken(samples, strange, ignored)
