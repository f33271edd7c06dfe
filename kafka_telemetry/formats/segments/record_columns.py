"""The memory that columns are written into, and the record batch made of it without another copy."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafka_telemetry.formats.compiled import as_long, compiled
from kafka_telemetry.formats.offset_record import OFFSET_RECORD
from kafka_telemetry.formats.problems import TEXTS
from kafka_telemetry.formats.raw_memory import SLACK, eight_bytes_at, put_eight_bytes
from kafka_telemetry.formats.segments.compiled_schema import Numbers, Octets
from kafka_telemetry.formats.segments.value_json import Longs

# Which row of which array a column is.
LONGS = (
    "source_position",
    "record_offset",
    "recorded_at",
    "producer_id",
    "committed_offset",
    "committed_at",
    "expires_at",
)
SOURCE_POSITION, RECORD_OFFSET, RECORDED_AT, PRODUCER_ID, COMMITTED_OFFSET, COMMITTED_AT, EXPIRES_AT = range(7)

INTS = ("batch_leader_epoch", "partition_id", "leader_epoch")
BATCH_LEADER_EPOCH, PARTITION_ID, LEADER_EPOCH = range(3)

SHORTS = ("key_type", "value_version")
KEY_TYPE, VALUE_VERSION = range(2)

STRINGS = (
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

# Single bytes: codes of words, and flags.
CODES = ("kind", "marker", "problem", "transactional", "tombstone")
KIND, MARKER, PROBLEM_OF, TRANSACTIONAL_FLAG, TOMBSTONE = range(5)
_WORDS: dict[str, list[str | None]] = {
    "kind": ["commit", "group", "marker", "unknown", "damaged"],
    "marker": [None, "abort", "commit"],
    "problem": TEXTS,
}
_LONGEST_WORD = 8


def _short_words(words: list[str | None]) -> tuple[Octets, Longs]:
    table = np.zeros((len(words), _LONGEST_WORD), np.uint8)
    for place, word in enumerate(words):
        letters = (word or "").encode()
        table[place, : len(letters)] = list(letters)
    return table.reshape(-1), np.array([len(word or "") for word in words], np.int64)


_SHORT_WORDS = {name: _short_words(_WORDS[name]) for name in ("kind", "marker")}
COMMIT, GROUP, MARKER_KIND, UNKNOWN, DAMAGED = range(5)
# The type in a control record's key is one less.
ABORTED = 1

# Which columns may be null: each has a row of validity bytes.
NULLABLE = ("record_offset", "recorded_at", "producer_id", *LONGS[4:], *INTS, *SHORTS, *STRINGS, *CODES[3:])
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
V_TRANSACTIONAL = V_GROUP_ID + len(STRINGS)
V_TOMBSTONE = V_TRANSACTIONAL + 1

# Of a string column's region: where it begins, is filled to, ends, and for how many rows offsets are written.
BEGIN, FILLED, LIMIT, ROWS = range(4)


@compiled
def _spell(codes: Octets, words: Octets, lengths: Longs, offsets: Numbers, text: Octets) -> int:
    """A word a row, each written as one machine word."""
    filled = 0
    offsets[0] = 0
    for row in range(codes.shape[0]):
        code = as_long(codes[row])
        put_eight_bytes(text, filled, eight_bytes_at(words, 8 * code))
        filled += lengths[code]
        offsets[row + 1] = filled
    return filled


class Columns:
    """Room for `rows` rows. Arrow's own pool gives the memory, so what a consumer lets go is used again."""

    def __init__(self, rows: int, room: list[int]) -> None:
        self.longs = _memory(len(LONGS) * rows, np.int64).reshape(len(LONGS), rows)
        self.ints = _memory(len(INTS) * rows, np.int32).reshape(len(INTS), rows)
        self.shorts = _memory(len(SHORTS) * rows, np.int16).reshape(len(SHORTS), rows)
        self.codes = _memory(len(CODES) * rows, np.uint8).reshape(len(CODES), rows)
        self.valid = np.zeros((len(NULLABLE), rows), np.uint8)
        self.offsets = _memory(len(STRINGS) * (rows + 1), np.int32).reshape(len(STRINGS), rows + 1)
        self.text = _memory(sum(room), np.uint8)
        self.regions: Longs = np.zeros((len(STRINGS), 4), np.int64)
        self.regions[:, BEGIN] = self.regions[:, FILLED] = np.cumsum([0, *room[:-1]])
        # Strings are written in whole words.
        self.regions[:, LIMIT] = np.cumsum(room) - SLACK
        self.offsets[:, 0] = 0

    def record_batch(self, rows: int) -> pa.RecordBatch:
        return pa.RecordBatch.from_arrays([self._array(field, rows) for field in OFFSET_RECORD], schema=OFFSET_RECORD)

    def _array(self, field: pa.Field, rows: int) -> pa.Array:
        name = field.name
        if name in _WORDS:
            return self._words(name, rows)
        validity, nulls = self._validity(name, rows)
        if nulls == rows:
            return pa.nulls(rows, field.type)
        if name in STRINGS:
            return self._strings(name, field.type, rows, validity, nulls)
        if name in CODES:
            bits = np.packbits(self.codes[CODES.index(name), :rows], bitorder="little")
            return pa.Array.from_buffers(field.type, rows, [validity, pa.py_buffer(bits)], nulls)
        for names, arrays in ((LONGS, self.longs), (INTS, self.ints), (SHORTS, self.shorts)):
            if name in names:
                data = pa.py_buffer(arrays[names.index(name), :rows])
                return pa.Array.from_buffers(field.type, rows, [validity, data], nulls)
        raise LookupError(name)

    def _validity(self, name: str, rows: int) -> tuple[pa.Buffer | None, int]:
        if name not in NULLABLE:
            return None, 0
        valid = self.valid[NULLABLE.index(name), :rows]
        nulls = rows - int(np.count_nonzero(valid))
        return (pa.py_buffer(np.packbits(valid, bitorder="little")), nulls) if nulls else (None, 0)

    def _words(self, name: str, rows: int) -> pa.Array:
        codes = self.codes[CODES.index(name), :rows]
        words = _WORDS[name]
        if words[0] is None and not codes.any():
            return pa.nulls(rows, pa.string())
        if name not in _SHORT_WORDS:
            return pa.array(words, pa.string()).take(pa.array(codes))
        offsets = _memory(rows + 1, np.int32)
        text = _memory(_LONGEST_WORD * rows + SLACK, np.uint8)
        filled = _spell(codes, *_SHORT_WORDS[name], offsets, text)
        validity, nulls = None, 0
        if words[0] is None:
            nulls = rows - int(np.count_nonzero(codes))
            validity = pa.py_buffer(np.packbits(codes != 0, bitorder="little"))
        return pa.Array.from_buffers(
            pa.string(), rows, [validity, pa.py_buffer(offsets), pa.py_buffer(text[:filled])], nulls
        )

    def _strings(self, name: str, kind: pa.DataType, rows: int, validity: pa.Buffer | None, nulls: int) -> pa.Array:
        column = STRINGS.index(name)
        begin, filled, _, written = (int(number) for number in self.regions[column])
        # Rows after the last that has a value.
        self.offsets[column, written + 1 : rows + 1] = filled - begin
        offsets = pa.py_buffer(self.offsets[column, : rows + 1])
        return pa.Array.from_buffers(kind, rows, [validity, offsets, pa.py_buffer(self.text[begin:filled])], nulls)


def _memory(count: int, kind: npt.DTypeLike) -> npt.NDArray[Any]:
    kind = np.dtype(kind)
    return np.frombuffer(pa.allocate_buffer(count * kind.itemsize), kind)
