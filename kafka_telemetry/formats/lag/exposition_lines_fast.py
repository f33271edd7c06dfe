"""Reads lines of one metric as a column, where they have the labels of the first line in the same order.

This is the fast form of `exposition_lines.read_each_line`, for the way in which exporters really write: labels without
escapes, and one separator between the parts. It leaves all other lines to that function.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Floats, Integers
from kafka_telemetry.formats.lag.exposition_line import Clock, parse_sample
from kafka_telemetry.formats.lag.metric_names import MetricNames
from kafka_telemetry.formats.lag.metric_samples import Samples, UnusableLabelsError, labels_by_role


def read_lines_fast(
    metric: str, lines: list[bytes], first_number: int, names: MetricNames, clock: Clock
) -> tuple[list[Samples], list[int]]:
    """The samples of the lines that are written like the first one, and the indices of the other lines."""
    all_lines = list(range(len(lines)))
    model, meaning = parse_sample(lines[0].decode()), names.meaning(metric)
    if model is None or not model.labels or meaning is None or meaning.quantity == "info":
        return [], all_lines
    try:
        by_role = labels_by_role(model.labels, meaning, names)
    except UnusableLabelsError:
        return [], all_lines

    # Quotes cut a line into: name and first label, value, separator and next label, value, …, and what follows the labels.
    labels = list(model.labels)
    parts = pc.split_pattern(pa.array(lines, pa.binary()).cast(pa.string()), '"')
    fits = pc.equal(pc.list_value_length(parts), 2 * len(labels) + 1)
    places = np.flatnonzero(fits.to_numpy(zero_copy_only=False))
    parts = parts if len(places) == len(lines) else parts.take(pa.array(places))
    columns = [pc.list_element(parts, part) for part in range(2 * len(labels) + 1)]

    fits = pc.equal(columns[0], f"{metric}{{{labels[0]}=")
    for separator, label in zip(columns[2:-1:2], labels[1:], strict=True):
        fits = pc.and_(fits, pc.equal(separator, f",{label}="))
    for value in columns[1::2]:
        fits = pc.and_(fits, pc.invert(pc.match_substring(value, "\\")))
    texts = {role: columns[2 * labels.index(label) + 1] for role, label in by_role.items()}
    for role in ("group", "topic"):
        if role in texts:
            fits = pc.and_(fits, pc.not_equal(texts[role], ""))
    if "partition" in texts:
        fits = pc.and_(fits, pc.match_substring_regex(texts["partition"], r"^[0-9]{1,9}$"))
    ends = columns[-1]
    fits = pc.and_(fits, pc.match_substring_regex(ends, r"^,?\} ?[^ \t{}]+(?: [0-9.-]+)?$"))
    if not pc.all(fits).as_py():
        places = places[fits.to_numpy(zero_copy_only=False)]
        texts = {role: column.filter(fits) for role, column in texts.items()}
        ends = ends.filter(fits)
    if len(places) == 0:
        return [], all_lines
    try:
        values, times = _values_and_times(ends, clock)
    except ValueError:
        return [], all_lines
    others = [] if len(places) == len(lines) else np.setdiff1d(all_lines, places).tolist()
    return [Samples(meaning, texts, {}, np.arange(len(places)), times, values, places + first_number)], others


def _values_and_times(ends: pa.Array, clock: Clock) -> tuple[Floats, Integers]:
    """From what follows the labels: `} value` or `} value time`."""
    texts = pc.utf8_ltrim(ends, "},  ")
    if not pc.any(pc.match_substring(texts, " ")).as_py():
        return texts.cast(pa.float64()).to_numpy(), np.full(len(texts), clock(None))
    words = [text.split(" ") for text in texts.to_pylist()]
    times = [clock(word[1] if len(word) == 2 else None) for word in words]
    return np.array([float(word[0]) for word in words]), np.array(times, np.int64)
