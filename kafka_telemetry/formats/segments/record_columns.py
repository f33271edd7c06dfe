"""The memory that compiled code writes columns into, and the Arrow record batch built on it without another copy."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafka_telemetry.formats.compiled import Int16Array, Int32Array, Int64Array, UInt8Array, as_long, compiled
from kafka_telemetry.formats.offset_record import OFFSET_RECORD
from kafka_telemetry.formats.problems import TEXTS
from kafka_telemetry.formats.raw_memory import SLACK, eight_bytes_at, put_eight_bytes

# The columns of each array, in order: a column is a row of its array.
INT64_COLUMNS = (
    "source_position",
    "record_offset",
    "recorded_at",
    "producer_id",
    "committed_offset",
    "committed_at",
    "expires_at",
)
SOURCE_POSITION, RECORD_OFFSET, RECORDED_AT, PRODUCER_ID, COMMITTED_OFFSET, COMMITTED_AT, EXPIRES_AT = range(7)

INT32_COLUMNS = ("batch_leader_epoch", "partition_id", "leader_epoch")
BATCH_LEADER_EPOCH, PARTITION_ID, LEADER_EPOCH = range(3)

INT16_COLUMNS = ("key_type", "value_version")
KEY_TYPE, VALUE_VERSION = range(2)

STRING_COLUMNS = (
    "group_id",
    "topic",
    "metadata",
    "topic_id",
    "member_id",
    "regular_expression",
    "value_json",
    "key_bytes",
    "value_bytes",
)
GROUP_ID, TOPIC, METADATA, TOPIC_ID, MEMBER_ID, REGULAR_EXPRESSION, VALUE_JSON, KEY_BYTES, VALUE_BYTES = range(9)

NO_COLUMN = -1

# Single bytes: codes of labels, and flags.
BYTE_COLUMNS = ("kind", "marker", "problem", "transactional", "tombstone")
KIND, MARKER, PROBLEM_CODE, IS_TRANSACTIONAL, IS_TOMBSTONE = range(5)
_LABELS: dict[str, list[str | None]] = {
    "kind": ["commit", "group", "marker", "unknown", "damaged"],
    "marker": [None, "abort", "commit"],
    "problem": TEXTS,
}
_LONGEST_SHORT_LABEL = 8


def _short_labels(labels: list[str | None]) -> tuple[UInt8Array, Int64Array]:
    table = np.zeros((len(labels), _LONGEST_SHORT_LABEL), np.uint8)
    for row, label in enumerate(labels):
        letters = (label or "").encode()
        table[row, : len(letters)] = list(letters)
    return table.reshape(-1), np.array([len(label or "") for label in labels], np.int64)


_SHORT_LABELS = {name: _short_labels(_LABELS[name]) for name in ("kind", "marker")}
# Codes of `kind`.
COMMIT_KIND, GROUP_KIND, MARKER_KIND, UNKNOWN_KIND, DAMAGED_KIND = range(5)
KINDS = 5
# The code of `marker`; the type in the key of a control record is one less.
ABORTED = 1

# The columns that may be null. V_…: the row of their validity bytes.
NULLABLE_COLUMNS = (
    *("record_offset", "recorded_at", "producer_id", *INT64_COLUMNS[4:]),
    *(*INT32_COLUMNS, *INT16_COLUMNS, *STRING_COLUMNS, *BYTE_COLUMNS[3:]),
)
(
    V_RECORD_OFFSET,
    V_RECORDED_AT,
    V_PRODUCER_ID,
    V_COMMITTED_OFFSET,
    V_COMMITTED_AT,
    V_EXPIRES_AT,
    V_BATCH_LEADER_EPOCH,
    V_PARTITION_ID,
    V_LEADER_EPOCH,
    V_KEY_TYPE,
    V_VALUE_VERSION,
    V_GROUP_ID,
) = range(12)
V_IS_TRANSACTIONAL = V_GROUP_ID + len(STRING_COLUMNS)
V_IS_TOMBSTONE = V_IS_TRANSACTIONAL + 1

# The region of a string column in the text buffer: where it begins, is filled to and ends, and the number of rows that
# have offsets.
BEGIN, FILLED, LIMIT, ROWS = range(4)


class ColumnArrays(NamedTuple):
    """The arrays that compiled code writes to. Each has a row per column, except `text`."""

    int64s: Int64Array
    int32s: Int32Array
    int16s: Int16Array
    uint8s: UInt8Array
    valid: UInt8Array
    # Of string columns. All share the text buffer.
    offsets: Int32Array
    regions: Int64Array
    text: UInt8Array


@compiled
def _write_labels(
    codes: UInt8Array, labels: UInt8Array, lengths: Int64Array, offsets: Int32Array, text: UInt8Array
) -> int:
    """Writes a label per row, eight bytes at a time."""
    filled = 0
    offsets[0] = 0
    for row in range(codes.shape[0]):
        code = as_long(codes[row])
        put_eight_bytes(text, filled, eight_bytes_at(labels, 8 * code))
        filled += lengths[code]
        offsets[row + 1] = filled
    return filled


class RecordColumns:
    """Memory for a number of rows, allocated from Arrow's pool, which reuses what consumers release."""

    def __init__(self, rows: int, room: list[int]) -> None:
        """`room` is the number of bytes for each string column."""
        regions: Int64Array = np.zeros((len(STRING_COLUMNS), 4), np.int64)
        regions[:, BEGIN] = regions[:, FILLED] = np.cumsum([0, *room[:-1]])
        # Strings are written eight bytes at a time.
        regions[:, LIMIT] = np.cumsum(room) - SLACK
        self.arrays = ColumnArrays(
            int64s=_array(len(INT64_COLUMNS), rows, np.int64),
            int32s=_array(len(INT32_COLUMNS), rows, np.int32),
            int16s=_array(len(INT16_COLUMNS), rows, np.int16),
            uint8s=_array(len(BYTE_COLUMNS), rows, np.uint8),
            valid=np.zeros((len(NULLABLE_COLUMNS), rows), np.uint8),
            offsets=_array(len(STRING_COLUMNS), rows + 1, np.int32),
            regions=regions,
            text=_memory(sum(room), np.uint8),
        )
        self.arrays.offsets[:, 0] = 0

    def record_batch(self, rows: int) -> pa.RecordBatch:
        columns = [self._column(field, rows) for field in OFFSET_RECORD]
        return pa.RecordBatch.from_arrays(columns, schema=OFFSET_RECORD)

    def _column(self, field: pa.Field, rows: int) -> pa.Array:
        name = field.name
        if name in _LABELS:
            return self._label_column(name, rows)
        validity, nulls = self._validity(name, rows)
        if nulls == rows:
            return pa.nulls(rows, field.type)
        if name in STRING_COLUMNS:
            return self._string_column(name, field.type, rows, validity, nulls)
        if name in BYTE_COLUMNS:
            bits = np.packbits(self.arrays.uint8s[BYTE_COLUMNS.index(name), :rows], bitorder="little")
            return pa.Array.from_buffers(field.type, rows, [validity, pa.py_buffer(bits)], nulls)
        for names, array in (
            (INT64_COLUMNS, self.arrays.int64s),
            (INT32_COLUMNS, self.arrays.int32s),
            (INT16_COLUMNS, self.arrays.int16s),
        ):
            if name in names:
                data = pa.py_buffer(array[names.index(name), :rows])
                return pa.Array.from_buffers(field.type, rows, [validity, data], nulls)
        raise LookupError(name)

    def _validity(self, name: str, rows: int) -> tuple[pa.Buffer | None, int]:
        if name not in NULLABLE_COLUMNS:
            return None, 0
        valid = self.arrays.valid[NULLABLE_COLUMNS.index(name), :rows]
        nulls = rows - int(np.count_nonzero(valid))
        return (pa.py_buffer(np.packbits(valid, bitorder="little")), nulls) if nulls else (None, 0)

    def _label_column(self, name: str, rows: int) -> pa.Array:
        codes = self.arrays.uint8s[BYTE_COLUMNS.index(name), :rows]
        labels = _LABELS[name]
        if labels[0] is None and not codes.any():
            return pa.nulls(rows, pa.string())
        if name not in _SHORT_LABELS:
            return pa.array(labels, pa.string()).take(pa.array(codes))
        offsets = _memory(rows + 1, np.int32)
        text = _memory(_LONGEST_SHORT_LABEL * rows + SLACK, np.uint8)
        filled = _write_labels(codes, *_SHORT_LABELS[name], offsets, text)
        validity, nulls = None, 0
        if labels[0] is None:
            nulls = rows - int(np.count_nonzero(codes))
            validity = pa.py_buffer(np.packbits(codes != 0, bitorder="little"))
        return pa.Array.from_buffers(
            pa.string(), rows, [validity, pa.py_buffer(offsets), pa.py_buffer(text[:filled])], nulls
        )

    def _string_column(
        self, name: str, kind: pa.DataType, rows: int, validity: pa.Buffer | None, nulls: int
    ) -> pa.Array:
        column = STRING_COLUMNS.index(name)
        begin, filled, _, written = (int(number) for number in self.arrays.regions[column])
        # The rows after the last one that has a value.
        self.arrays.offsets[column, written + 1 : rows + 1] = filled - begin
        offsets = pa.py_buffer(self.arrays.offsets[column, : rows + 1])
        text = pa.py_buffer(self.arrays.text[begin:filled])
        return pa.Array.from_buffers(kind, rows, [validity, offsets, text], nulls)


def _array(columns: int, rows: int, kind: npt.DTypeLike) -> npt.NDArray[Any]:
    return _memory(columns * rows, kind).reshape(columns, rows)


def _memory(count: int, kind: npt.DTypeLike) -> npt.NDArray[Any]:
    kind = np.dtype(kind)
    return np.frombuffer(pa.allocate_buffer(count * kind.itemsize), kind)
