"""Selecting and replacing rows of Arrow columns by numpy masks and row numbers."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Flags, Integers

NO_ROW = -1


def mask(values: pa.Array | pa.ChunkedArray) -> Flags:
    """A boolean column as a numpy mask; null becomes False."""
    filled = pc.fill_null(values, False)
    filled = filled.combine_chunks() if isinstance(filled, pa.ChunkedArray) else filled
    out: Flags = filled.to_numpy(zero_copy_only=False)
    return out


def take_or_null(values: pa.Array, rows: Integers) -> pa.Array:
    """The values of these rows, null for NO_ROW."""
    return values.take(pa.array(rows, mask=rows == NO_ROW))


def with_rows_replaced(values: pa.Array, rows: Integers, replacements: pa.Array) -> pa.Array:
    if len(rows) == len(values):
        return replacements
    source = np.arange(len(values))
    source[rows] = np.arange(len(values), len(values) + len(rows))
    return pa.concat_arrays([values, replacements]).take(pa.array(source))


def with_column_replaced(lines: pa.Table, name: str, where: Flags, values: pa.Array) -> pa.Table:
    """Replaces the values of a column where the mask is True."""
    column = pc.if_else(pa.array(where), values, lines[name].combine_chunks())
    return lines.set_column(lines.schema.get_field_index(name), name, column)


def byte_lengths(texts: pa.StringArray) -> Integers:
    """The length of each text in bytes, 0 for null."""
    out: Integers = pc.fill_null(pc.binary_length(texts), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    return out


def key_codes(keys: pa.Array) -> Integers:
    """Equal numbers for equal keys; null counts as a key of its own."""
    indices = pc.fill_null(keys.dictionary_encode().indices, NO_ROW)
    out: Integers = indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return out


def last_marked_row(codes: Integers, marked: Flags) -> Integers:
    """For each row the last marked row with the same code, up to the row itself."""
    if not len(codes):
        return codes
    order = np.argsort(codes, kind="stable")
    place = np.arange(len(order))
    last = np.maximum.accumulate(np.where(marked[order], place, NO_ROW))
    has_same_code = (last != NO_ROW) & (codes[order][np.maximum(last, 0)] == codes[order])
    out = np.full(len(order), NO_ROW)
    out[order] = np.where(has_same_code, order[np.maximum(last, 0)], NO_ROW)
    return out


def detail_column(lines: pa.Table, name: str) -> pa.Array:
    """One of the details of each line."""
    found = pc.map_lookup(lines["details"], pa.scalar(name), "first")
    return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found
