"""Substrings of Arrow string arrays, cut by byte position in compiled code."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Integers
from kafka_telemetry.formats.compiled import compiled

Bytes = npt.NDArray[np.uint8]

# Blocks of a file are padded with it, so that compiled code may read ahead of a position without a check.
PADDING = bytes(512)


def substrings(texts: pa.StringArray, starts: Integers, ends: Integers) -> pa.StringArray:
    """Returns the bytes from `starts` to `ends` of each text, counted from its first byte. Null stays null."""
    out = substrings_of_rows(texts, np.arange(len(texts)), starts, ends)
    return pc.if_else(texts.is_null(), None, out) if texts.null_count else out


def substrings_of_rows(
    texts: pa.StringArray,
    rows: Integers,
    starts: npt.NDArray[np.signedinteger[Any]],
    ends: npt.NDArray[np.signedinteger[Any]],
) -> pa.StringArray:
    """Returns the same of the texts at these rows, none of which is null."""
    _, offsets, data = texts.buffers()
    first = np.frombuffer(offsets, np.int32, len(texts) + 1, texts.offset * 4)[rows].astype(np.int64)
    out_offsets = np.zeros(len(rows) + 1, dtype=np.int32)
    np.cumsum(np.maximum(ends - starts, 0), out=out_offsets[1:])
    out = np.empty(int(out_offsets[-1]), dtype=np.uint8)
    if len(out):
        _copy(np.frombuffer(data, np.uint8), first + starts, out_offsets, out)
    return pa.Array.from_buffers(pa.string(), len(rows), [None, pa.py_buffer(out_offsets), pa.py_buffer(out)])


def first_line_lengths(texts: pa.StringArray) -> Integers:
    """Returns the length in bytes of each text's first line, without its line feed."""
    texts = texts if texts.offset == 0 else pa.concat_arrays([texts])
    offsets = np.frombuffer(texts.buffers()[1], np.int32, len(texts) + 1)
    out = np.diff(offsets).astype(np.int64)
    if offsets[-1] > offsets[0]:
        _shorten_to_first_line(np.frombuffer(texts.buffers()[2], np.uint8), offsets, out)
    return out


@compiled
def _copy(data: Bytes, starts: Integers, offsets: npt.NDArray[np.int32], out: Bytes) -> None:
    for row in range(len(starts)):
        length = offsets[row + 1] - offsets[row]
        source = data[starts[row] : starts[row] + length]
        target = out[offsets[row] : offsets[row] + length]
        for i in range(length):
            target[i] = source[i]


@compiled
def _shorten_to_first_line(data: Bytes, offsets: npt.NDArray[np.int32], lengths: Integers) -> None:
    for row in range(len(lengths)):
        for at in range(offsets[row], offsets[row + 1]):
            if data[at] == 10:
                lengths[row] = at - offsets[row]
                break
