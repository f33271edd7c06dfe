"""The values that message templates capture, collected by field and returned as columns."""

from collections import defaultdict
from collections.abc import Collection, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Flags, Integers
from kafka_telemetry.formats.integer_ranges import integers_fit
from kafka_telemetry.formats.logs.arrow_masks import NO_ROW, mask, take_or_null
from kafka_telemetry.formats.logs.message_template import LIST_FIELDS, OPTIONAL_FIELDS

_NONE = pa.array(["None", "null", "Optional.empty", "OptionalInt.empty", "<nil>", "not provided", ""])


class Captures:
    """The captured values of each field, by row. A value replaces an earlier one of the same row and field."""

    def __init__(self) -> None:
        self._parts: dict[str, list[tuple[Integers, pa.Array]]] = defaultdict(list)

    def add(self, name: str, rows: Integers, values: pa.Array) -> None:
        self._parts[name].append((rows, _unwrapped(name, values)))

    def column(self, name: str, length: int) -> pa.Array:
        if name not in self._parts:
            return pa.nulls(length, pa.string())
        rows, values = self._last_values(name, length)
        source = np.full(length, NO_ROW, dtype=np.int64)
        source[rows] = np.arange(len(rows))
        return take_or_null(values, source)

    def maps(self, excluded: Collection[str], length: int) -> pa.MapArray:
        """One map per row from the names of all fields that are not excluded to their values."""
        fields = sorted(self._parts.keys() - set(excluded))
        rows, names, values = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [pa.array([], pa.string())]
        for number, field in enumerate(fields):
            field_rows, field_values = self._last_values(field, length)
            rows.append(field_rows)
            names.append(np.full(len(field_rows), number, dtype=np.int64))
            values.append(field_values)
        row, name = np.concatenate(rows), np.concatenate(names)
        order = pa.array(np.argsort(row, kind="stable"))
        offsets = np.zeros(length + 1, dtype=np.int32)
        np.cumsum(np.bincount(row, minlength=length), out=offsets[1:])
        keys = pa.array(fields or [""], pa.string()).take(pa.array(name)).take(order)
        return pa.MapArray.from_arrays(pa.array(offsets), keys, pa.concat_arrays(values).take(order))

    def rows_with_impossible_integers(self, bits: Mapping[str, int], length: int) -> Flags:
        """Marks the rows that have an integer of more bits than its field has."""
        out = np.zeros(length, np.bool_)
        for name in self._parts.keys() & bits.keys():
            rows, values = zip(*self._parts[name], strict=True)
            out[np.concatenate(rows)[~integers_fit(pa.concat_arrays(values), bits[name])]] = True
        return out

    def drop(self, marked: Flags, kept_fields: Collection[str]) -> None:
        """Drops the values of marked rows, except those of some fields."""
        for name in self._parts.keys() - set(kept_fields):
            self._parts[name] = [
                (rows[~marked[rows]], values.filter(pa.array(~marked[rows]))) for rows, values in self._parts[name]
            ]

    def _last_values(self, name: str, length: int) -> tuple[Integers, pa.Array]:
        """The rows that have a value of the field, each once, and their last values."""
        parts = self._parts[name]
        rows = np.concatenate([rows for rows, _ in parts])
        values = pa.concat_arrays([values for _, values in parts])
        valid = np.flatnonzero(mask(values.is_valid()))
        if len(parts) > 1:
            last = np.empty(length, dtype=np.int64)
            last[rows[valid]] = valid
            valid = valid[last[rows[valid]] == valid]
        if len(valid) == len(rows):
            return rows, values
        return rows[valid], values.take(pa.array(valid))


def _unwrapped(name: str, values: pa.Array) -> pa.Array:
    """Strips what Scala and Java print around options and lists; an empty option becomes null."""
    if name in OPTIONAL_FIELDS:
        if _any_starts_with(values, "Some(", "Optional"):
            values = pc.replace_substring_regex(
                values, r"(?s)^(?:Some\((.*)\)|Optional\[(.*)\]|OptionalInt\[(.*)\])$", r"\1\2\3"
            )
        return pc.if_else(pc.is_in(values, _NONE), None, values)
    if name in LIST_FIELDS and _any_starts_with(values, "[", "Set(", "HashSet("):
        return pc.replace_substring_regex(values, r"(?s)^(?:\[(.*)\]|(?:Hash)?Set\((.*)\))$", r"\1\2")
    return values


def _any_starts_with(values: pa.Array, *openings: str) -> bool:
    return any(pc.any(pc.starts_with(values, opening)).as_py() for opening in openings)
