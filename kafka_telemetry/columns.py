"""Sorting and grouping Arrow columns through numpy integers."""

from typing import cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

# Represents null in integer columns.
NULL = int(np.iinfo(np.int64).min)


def integers(column: pa.ChunkedArray, null: int = NULL) -> Integers:
    """An integer, time or date column as int64, with `null` in place of nulls."""
    plain = column.cast(pa.int64()) if not pa.types.is_date(column.type) else column.cast(pa.int32()).cast(pa.int64())
    return cast(Integers, pc.fill_null(plain, null).to_numpy())


def flags(column: pa.ChunkedArray) -> Flags:
    """A boolean column; null becomes False."""
    return cast(Flags, pc.fill_null(column, False).to_numpy())


def value_codes(column: pa.ChunkedArray) -> Integers:
    """Numbers the distinct values from 0: equal values get equal numbers. Null counts as a value."""
    encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    return cast(Integers, encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64))


def value_ranks(column: pa.ChunkedArray) -> Integers:
    """Like `value_codes`, but numbered in sort order; null comes last."""
    encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    values = encoded.dictionary
    rank = np.empty(len(values), np.int64)
    rank[pc.sort_indices(values).to_numpy()] = np.arange(len(values))
    return cast(Integers, rank[encoded.indices.to_numpy(zero_copy_only=False)])


def combined_codes(*columns: Integers) -> Integers:
    """Numbers the distinct combinations of several code columns."""
    code, *rest = columns
    for column in rest:
        code = value_codes(pa.chunked_array([pa.array(code * (int(column.max(initial=0)) + 1) + column)]))
    return code


def sort_order(*keys: Integers) -> Integers:
    """The indices that sort rows by these keys, whose values are 0 or more."""
    bits = [int(key.max(initial=0)).bit_length() for key in keys]
    if sum(bits) > 62:
        return np.lexsort(keys[::-1])
    packed = keys[0]
    for key, size in zip(keys[1:], bits[1:], strict=True):
        packed = (packed << size) | key
    return np.argsort(packed, kind="stable")


def run_starts(*keys: Integers) -> Flags:
    """Marks the first row of each run of rows with equal keys."""
    new = np.zeros(len(keys[0]), np.bool_)
    new[:1] = True
    for key in keys:
        new[1:] |= key[1:] != key[:-1]
    return new


def start_of_run(new: Flags) -> Integers:
    """For each row the index of the first row of its run."""
    return np.maximum.accumulate(np.where(new, np.arange(len(new)), 0))
