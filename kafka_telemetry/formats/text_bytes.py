"""Texts as the bytes they are: cut, compiled. A block of a file is padded, so that looking ahead never leaves it."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.formats.compiled import compiled

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Offsets = npt.NDArray[np.signedinteger[Any]]
Eights = npt.NDArray[np.int64]

PADDING = bytes(512)


def cut(texts: pa.StringArray, starts: Places, ends: Places) -> pa.StringArray:
    """Of each text the bytes from start to end, counted from its own first; null where it is null."""
    out = cut_from(texts, np.arange(len(texts)), starts, ends)
    return pc.if_else(texts.is_null(), None, out) if texts.null_count else out


def cut_from(texts: pa.StringArray, rows: Places, starts: Offsets, ends: Offsets) -> pa.StringArray:
    """The same of some of the texts, none of them null."""
    _, offsets, data = texts.buffers()
    first = np.frombuffer(offsets, np.int32, len(texts) + 1, texts.offset * 4)[rows].astype(np.int64)
    out_offsets = np.zeros(len(rows) + 1, dtype=np.int32)
    np.cumsum(np.maximum(ends - starts, 0), out=out_offsets[1:])
    out = np.empty(int(out_offsets[-1]), dtype=np.uint8)
    if len(out):
        _copy(np.frombuffer(data, np.uint8), first + starts, out_offsets, out)
    return pa.Array.from_buffers(pa.string(), len(rows), [None, pa.py_buffer(out_offsets), pa.py_buffer(out)])


def line_ends(texts: pa.StringArray) -> Places:
    """Of each text the length of its first line."""
    texts = texts if texts.offset == 0 else pa.concat_arrays([texts])
    offsets = np.frombuffer(texts.buffers()[1], np.int32, len(texts) + 1)
    out = np.diff(offsets).astype(np.int64)
    if offsets[-1] > offsets[0]:
        _first_lines(np.frombuffer(texts.buffers()[2], np.uint8), offsets, out)
    return out


@compiled
def _copy(data: Bytes, starts: Places, offsets: npt.NDArray[np.int32], out: Bytes) -> None:
    for row in range(len(starts)):
        length = offsets[row + 1] - offsets[row]
        source = data[starts[row] : starts[row] + length]
        target = out[offsets[row] : offsets[row] + length]
        for place in range(length):
            target[place] = source[place]


@compiled
def _first_lines(data: Bytes, offsets: npt.NDArray[np.int32], out: Places) -> None:
    for row in range(len(out)):
        for at in range(offsets[row], offsets[row + 1]):
            if data[at] == 10:
                out[row] = at - offsets[row]
                break
