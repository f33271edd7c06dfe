"""Raw segments of `__consumer_offsets`: a stream of record batches -> columns of OFFSET_RECORD.

The file is read in windows, so memory is bounded by the largest batch. What damages a batch, and where that leaves the
next one, is found in `batch_scan`; what a record says, in `record_rows`.
"""

import io
from collections.abc import Generator
from typing import BinaryIO, cast

import numpy as np
import pyarrow as pa

from kafka_telemetry.formats import problems as problems
from kafka_telemetry.formats.raw_memory import SLACK
from kafka_telemetry.formats.receipt import Reading, Receipt
from kafka_telemetry.formats.segments import batch_scan as scanning
from kafka_telemetry.formats.segments.batch_codecs import BrokenError, NoRoomError, unpack
from kafka_telemetry.formats.segments.batch_layout import MAGIC_AT, filled_by_messages, filled_by_records
from kafka_telemetry.formats.segments.batch_scan import find_batch, first_not_zero, scan
from kafka_telemetry.formats.segments.compiled_schema import PROGRAM, Octets
from kafka_telemetry.formats.segments.record_columns import (
    COMMIT,
    DAMAGED,
    GROUP,
    KEY_BYTES,
    MARKER_KIND,
    STRINGS,
    UNKNOWN,
    VALUE_BYTES,
    VALUE_JSON,
    Columns,
)
from kafka_telemetry.formats.segments.record_rows import (
    BATCH,
    EXPECTED,
    FULL_COLUMN,
    HOLES,
    KINDS,
    MISSING,
    ORIGIN,
    RECORD,
    ROW_STATE,
    fill,
)
from kafka_telemetry.formats.segments.value_json import DEPTH, FRAME

WINDOW = 1 << 22
LARGEST_UNPACKED = 1 << 28
_UNPACK_ROOM = 1 << 24
_ROWS = 1 << 15
_BATCHES = 1 << 16
# Room a row has in a string column, on average; more is given when one is full.
_ROOM = {STRINGS[VALUE_JSON]: 256, STRINGS[KEY_BYTES]: 64, STRINGS[VALUE_BYTES]: 256}
_USUAL = [_ROOM.get(column, 48) for column in STRINGS]
_LEAST = 1 << 12
# What the search for a lost batch may look at: no longer batches than this, and so many bytes for CRCs in all.
_LONGEST_SOUGHT = 1 << 22
_CRC_BUDGET = 1 << 30
# A header may begin with as many: offset 0 and the upper bytes of the length.
_ZEROS_OF_A_HEADER = 11

Rows = Generator[pa.RecordBatch, None, None]


def read_segment(file: BinaryIO, name: str, window: int = WINDOW) -> Reading:
    """`name` is for the interface of readers only: a segment says all by its bytes."""
    del name
    segment = _Segment(file, window)
    yield from segment.rows()
    return segment.receipt()


class _Segment:
    def __init__(self, file: BinaryIO, window: int) -> None:
        self._file = cast(io.BufferedIOBase, file)
        self._window = window
        self._bytes: Octets = np.zeros(window + SLACK, np.uint8)
        self._begin = self._end = 0
        self._at_eof = False
        self._found = np.zeros(scanning.STATE_COLUMNS, np.int64)
        self._found[scanning.LAST_OFFSET] = -1
        self._found[scanning.CRC_BUDGET] = _CRC_BUDGET
        self._table = np.empty((_BATCHES, scanning.BATCH_COLUMNS), np.int64)
        self._state = np.zeros(ROW_STATE, np.int64)
        self._state[EXPECTED] = -1
        self._unpacked: Octets = np.zeros(SLACK, np.uint8)
        self._frames = np.zeros((DEPTH, FRAME), np.int64)
        self._counts = dict.fromkeys(
            ("batches", "empty_batches", "packed_batches", "lost_bytes", "torn_bytes", "padding_bytes"), 0
        )
        self._records = 0

    def rows(self) -> Rows:
        needed = 0
        while True:
            self._load(max(needed, self._window))
            batches = scan(self._bytes, self._begin, self._end, self._at_eof, self._table, self._found)
            self._begin = int(self._found[scanning.STOPPED_AT])
            because = self._found[scanning.STOPPED_BECAUSE]
            needed = int(self._found[scanning.NEEDED])
            yield from self._decoded(self._table[:batches])
            if because == scanning.LOST:
                yield from self._skip_from(self._position, int(self._found[scanning.STOPPED_PROBLEM]))
            elif because == scanning.ZEROS:
                yield from self._after_zeros()
            elif because == scanning.TAIL:
                if self._is_torn_tail():
                    return
                yield from self._skip_from(self._position, problems.NOT_THE_END)

    def receipt(self) -> Receipt:
        kinds = self._state[KINDS : KINDS + 5]
        details = {
            **self._counts,
            "damaged_batches": int(kinds[DAMAGED]),
            "holes": int(self._state[HOLES]),
            "missing_offsets": int(self._state[MISSING]),
            "commits": int(kinds[COMMIT]),
            "group_records": int(kinds[GROUP]),
            "markers": int(kinds[MARKER_KIND]),
            "unknown_records": int(kinds[UNKNOWN]),
        }
        if self._state[EXPECTED] >= 0:
            details["next_offset"] = int(self._state[EXPECTED])
        understood = int(kinds[COMMIT] + kinds[GROUP] + kinds[MARKER_KIND])
        return Receipt("segment", self._records, understood, int(kinds[UNKNOWN] + kinds[DAMAGED]), details=details)

    @property
    def _position(self) -> int:
        """Where `_begin` is in the file."""
        return int(self._state[ORIGIN]) + self._begin

    def _load(self, needed: int) -> None:
        """At least `needed` bytes from `_begin` on, or all that is left."""
        if self._at_eof or self._end - self._begin >= needed:
            return
        left = self._bytes[self._begin : self._end].copy()
        self._state[ORIGIN] += self._begin
        if len(self._bytes) != needed + SLACK:
            self._bytes = np.zeros(needed + SLACK, np.uint8)
        self._bytes[: len(left)] = left
        self._begin, self._end = 0, len(left)
        room = memoryview(self._bytes.data)
        while self._end < needed:
            size = self._file.readinto(room[self._end : needed])
            if not size:
                self._at_eof = True
                return
            self._end += size

    def _decoded(self, table: scanning.Batches) -> Rows:
        """Packed batches are unpacked side by side until the room for them is full."""
        self._counts["batches"] += len(table)
        packed = np.flatnonzero(table[:, scanning.PACKED])
        self._counts["packed_batches"] += len(packed)
        done = used = 0
        for row in packed:
            while True:
                try:
                    used += self._unpack(table[row], used)
                except NoRoomError:
                    if used:
                        yield from self._filled(table[done:row])
                        done, used = int(row), 0
                        continue
                    if len(self._unpacked) < LARGEST_UNPACKED:
                        # At once enough for what a window usually unpacks to.
                        usual = min(4 * len(self._bytes), _UNPACK_ROOM)
                        size = min(max(usual, 4 * len(self._unpacked)), LARGEST_UNPACKED)
                        self._unpacked = np.zeros(size + SLACK, np.uint8)
                        continue
                    table[row, scanning.PROBLEM] = problems.UNPACKS_TOO_LARGE
                except BrokenError:
                    table[row, scanning.PROBLEM] = problems.UNPACK
                break
        yield from self._filled(table[done:])
        if len(self._unpacked) > _UNPACK_ROOM + SLACK:
            self._unpacked = np.zeros(SLACK, np.uint8)

    def _unpack(self, batch: scanning.Batches, used: int) -> int:
        start, stop = int(batch[scanning.START]), int(batch[scanning.STOP])
        source = memoryview(self._bytes.data)[start:stop]
        out = memoryview(self._unpacked.data)[used:-SLACK]
        size = unpack(int(batch[scanning.PACKED]), source, out)
        end = used + size
        magic = self._bytes[batch[scanning.AT] + MAGIC_AT]
        if magic == 2:
            filled = filled_by_records(self._unpacked, used, end, int(batch[scanning.RECORDS_IN]))
        else:
            count, last = filled_by_messages(self._unpacked, used, end)
            batch[scanning.RECORDS_IN], batch[scanning.LAST_INNER] = count, last
            filled = count > 0
        if not filled:
            batch[scanning.PROBLEM] = problems.RECORDS
        batch[scanning.SOURCE], batch[scanning.START], batch[scanning.STOP] = 1, used, end
        return size

    def _filled(self, table: scanning.Batches) -> Rows:
        right = table[:, scanning.PROBLEM] == 0
        counts = table[right, scanning.RECORDS_IN]
        # A damaged batch counts as one: its header may say anything.
        self._records += int(counts.sum()) + len(table) - len(counts)
        self._counts["empty_batches"] += int((counts == 0).sum())
        state, program = self._state, PROGRAM
        state[BATCH] = state[RECORD] = 0
        most = min(int(counts.sum()) + len(table) - len(counts), _ROWS)
        usual = [max(room * most, _LEAST) for room in _USUAL]
        room = usual.copy()
        while state[BATCH] < len(table):
            columns = Columns(most, room)
            rows = fill(
                self._bytes,
                self._unpacked,
                table,
                state,
                program.code,
                program.tags,
                program.texts,
                program.values,
                program.embedded,
                columns.longs,
                columns.ints,
                columns.shorts,
                columns.codes,
                columns.valid,
                columns.offsets,
                columns.text,
                columns.regions,
                self._frames,
            )
            if rows:
                room = usual.copy()
                yield columns.record_batch(rows)
            else:
                room[int(state[FULL_COLUMN])] *= 2

    def _skip_from(self, position: int, problem: int) -> Rows:
        """A row for the place where no batch can be read, then on to the next batch that its CRC confirms."""
        table = np.zeros((1, scanning.BATCH_COLUMNS), np.int64)
        table[0, scanning.AT] = position - self._state[ORIGIN]
        table[0, scanning.PROBLEM] = problem
        table[0, scanning.START] = scanning.NOWHERE
        yield from self._decoded(table)
        self._begin = max(self._begin, position + 1 - int(self._state[ORIGIN]))
        while True:
            at = find_batch(self._bytes, self._begin, self._end, self._at_eof, _LONGEST_SOUGHT, self._found)
            if at >= 0 or self._at_eof:
                break
            self._begin = int(self._found[scanning.STOPPED_AT])
            self._load(self._end - self._begin + self._window)
        self._begin = at if at >= 0 else self._end
        self._counts["lost_bytes"] += self._position - position

    def _after_zeros(self) -> Rows:
        """Preallocated room at the end, unless something follows."""
        position = self._position
        while True:
            something = first_not_zero(self._bytes, self._begin, self._end)
            if something < self._end or self._at_eof:
                break
            self._begin = max(self._begin, self._end - _ZEROS_OF_A_HEADER)
            self._load(self._window)
        if something == self._end:
            self._begin = self._end
            self._counts["padding_bytes"] += self._position - position
            return
        self._begin = max(self._begin, something - _ZEROS_OF_A_HEADER)
        yield from self._skip_from(position, problems.LENGTH)

    def _is_torn_tail(self) -> bool:
        """Behind a torn batch there is no whole one; if there is, the length before it was wrong."""
        at = find_batch(self._bytes, self._begin + 1, self._end, True, _LONGEST_SOUGHT, self._found)
        if at < 0:
            self._counts["torn_bytes"] += self._end - self._begin
        return at < 0
