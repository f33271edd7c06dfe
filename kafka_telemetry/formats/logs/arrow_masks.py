"""Arrow columns asked in numpy's words: masks, the codes of equal values, and the last that came before."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Mask = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.int64]
NO_ROW = -1


def mask(values: pa.Array | pa.ChunkedArray) -> Mask:
    """Null counts as no."""
    filled = pc.fill_null(values, False)
    filled = filled.combine_chunks() if isinstance(filled, pa.ChunkedArray) else filled
    out: Mask = filled.to_numpy(zero_copy_only=False)
    return out


def taken(values: pa.Array, rows: Rows) -> pa.Array:
    """Null where there is no row."""
    return values.take(pa.array(rows, mask=rows == NO_ROW))


def spread(values: pa.Array, rows: Rows, others: pa.Array) -> pa.Array:
    """The values, but the others at these rows."""
    if len(rows) == len(values):
        return others
    at = np.arange(len(values))
    at[rows] = np.arange(len(values), len(values) + len(rows))
    return pa.concat_arrays([values, others]).take(pa.array(at))


def lengths(texts: pa.StringArray) -> Rows:
    """In bytes; of a null 0."""
    out: Rows = pc.fill_null(pc.binary_length(texts), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    return out


def codes(keys: pa.Array) -> Rows:
    """Equal numbers for equal values; null has one of its own."""
    out: Rows = pc.fill_null(keys.dictionary_encode().indices, NO_ROW).to_numpy(zero_copy_only=False).astype(np.int64)
    return out


def last_before(code: Rows, gives: Mask) -> Rows:
    """For each place the last place before it, of the same code, that gives; places stand in the order of time."""
    if not len(code):
        return code
    order = np.argsort(code, kind="stable")
    place = np.arange(len(order))
    last = np.maximum.accumulate(np.where(gives[order], place, NO_ROW))
    fits = (last != NO_ROW) & (code[order][np.maximum(last, 0)] == code[order])
    out = np.full(len(order), NO_ROW)
    out[order] = np.where(fits, order[np.maximum(last, 0)], NO_ROW)
    return out


def replaced(lines: pa.Table, name: str, where: Mask, values: pa.Array) -> pa.Table:
    column = pc.if_else(pa.array(where), values, lines[name].combine_chunks())
    return lines.set_column(lines.schema.get_field_index(name), name, column)


def detail(lines: pa.Table, name: str) -> pa.Array:
    found = pc.map_lookup(lines["details"], pa.scalar(name), "first")
    return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found
