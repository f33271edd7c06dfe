"""Rows put into an order by whole numbers, and what is equal in a row."""

from typing import cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

# What stands for null among numbers.
NONE = int(np.iinfo(np.int64).min)


def numbers(column: pa.ChunkedArray) -> Numbers:
    """Whole numbers or times; null is NONE."""
    plain = column.cast(pa.int64()) if not pa.types.is_date(column.type) else column.cast(pa.int32()).cast(pa.int64())
    return cast(Numbers, pc.fill_null(plain, NONE).to_numpy())


def codes(column: pa.ChunkedArray) -> Numbers:
    """Equal values have equal numbers, from 0 on; null is a value too."""
    encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    return cast(Numbers, encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64))


def ranks(column: pa.ChunkedArray) -> Numbers:
    """As codes, in the order of the values; null comes last."""
    encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    values = encoded.dictionary
    rank = np.empty(len(values), np.int64)
    rank[pc.sort_indices(values).to_numpy()] = np.arange(len(values))
    return cast(Numbers, rank[encoded.indices.to_numpy(zero_copy_only=False)])


def together(*columns: Numbers) -> Numbers:
    """One number for each combination of such codes."""
    code, *rest = columns
    for column in rest:
        code = codes(pa.chunked_array([pa.array(code * (int(column.max(initial=0)) + 1) + column)]))
    return code


def in_order(*keys: Numbers) -> Numbers:
    """Where the rows stand when they are sorted by these keys, all of them from 0 on."""
    bits = [int(key.max(initial=0)).bit_length() for key in keys]
    if sum(bits) > 62:
        return np.lexsort(keys[::-1])
    packed = keys[0]
    for key, size in zip(keys[1:], bits[1:], strict=True):
        packed = (packed << size) | key
    return np.argsort(packed, kind="stable")


def begins(*keys: Numbers) -> Flags:
    """Where rows begin that are equal in these keys."""
    new = np.zeros(len(keys[0]), np.bool_)
    new[:1] = True
    for key in keys:
        new[1:] |= key[1:] != key[:-1]
    return new


def beginning(new: Flags) -> Numbers:
    """For each row where those begin that it belongs to."""
    return np.maximum.accumulate(np.where(new, np.arange(len(new)), 0))
