"""Reads raw segments of `__consumer_offsets`: a stream of record batches becomes columns of OFFSET_RECORD.

The file is read in windows, so memory is bounded by the largest batch. `batch_scan` finds batches and what damages them,
`record_rows` decodes their records.
"""

import io
from collections.abc import Generator
from typing import BinaryIO, cast

import numpy as np
import pyarrow as pa

from kafka_telemetry.formats import problems
from kafka_telemetry.formats.compiled import Int64Array, UInt8Array
from kafka_telemetry.formats.raw_memory import SLACK
from kafka_telemetry.formats.receipt import Reading, Receipt
from kafka_telemetry.formats.segments import batch_scan as scanning
from kafka_telemetry.formats.segments.batch_codecs import BufferTooSmallError, CorruptDataError, decompress_records
from kafka_telemetry.formats.segments.batch_layout import MAGIC_AT, count_messages, is_filled_by_records
from kafka_telemetry.formats.segments.batch_scan import find_batch, first_not_zero, scan_batches
from kafka_telemetry.formats.segments.compiled_schema import SCHEMA_PROGRAM
from kafka_telemetry.formats.segments.record_columns import (
    COMMIT_KIND,
    DAMAGED_KIND,
    GROUP_KIND,
    KEY_BYTES,
    KINDS,
    MARKER_KIND,
    STRING_COLUMNS,
    UNKNOWN_KIND,
    VALUE_BYTES,
    VALUE_JSON,
    RecordColumns,
)
from kafka_telemetry.formats.segments.record_rows import (
    FULL_COLUMN,
    HOLES,
    KIND_COUNTS,
    MISSING_OFFSETS,
    NEXT_BATCH,
    NEXT_OFFSET,
    NEXT_RECORD,
    ROW_STATE_SIZE,
    WINDOW_AT,
    decode_batches,
)
from kafka_telemetry.formats.segments.value_json import STACK_DEPTH, STACK_WIDTH

WINDOW = 1 << 22
LARGEST_DECOMPRESSED = 1 << 28
_DECOMPRESSED_ROOM = 1 << 24
_MOST_ROWS = 1 << 15
_MOST_BATCHES = 1 << 16
# Bytes per row that a string column has room for, on average; a column that is full gets more.
_ROOM = {STRING_COLUMNS[VALUE_JSON]: 256, STRING_COLUMNS[KEY_BYTES]: 64, STRING_COLUMNS[VALUE_BYTES]: 256}
_USUAL_ROOM = [_ROOM.get(column, 48) for column in STRING_COLUMNS]
_LEAST_ROOM = 1 << 12
# Limits of the search for a batch after damage: the length of the batch, and the number of bytes to compute CRCs of.
_LONGEST_SEARCHED = 1 << 22
_CRC_BUDGET = 1 << 30
# As many zeros may be the start of a header: offset 0 and the upper bytes of the length.
_ZEROS_IN_HEADER = 11

RecordBatches = Generator[pa.RecordBatch, None, None]


def read_segment(file: BinaryIO, name: str, window: int = WINDOW) -> Reading:
    """All readers take the file's name; a segment doesn't need it."""
    del name
    segment = _Segment(file, window)
    yield from segment.read()
    return segment.receipt()


class _Segment:
    def __init__(self, file: BinaryIO, window: int) -> None:
        self._file = cast(io.BufferedIOBase, file)
        self._window_size = window
        # The window: bytes of the file, of which those from `_begin` to `_end` are not read yet.
        self._bytes: UInt8Array = np.zeros(window + SLACK, np.uint8)
        self._begin = self._end = 0
        self._at_eof = False
        self._scan_state = np.zeros(scanning.SCAN_STATE_SIZE, np.int64)
        self._scan_state[scanning.LAST_OFFSET] = -1
        self._scan_state[scanning.CRC_BUDGET] = _CRC_BUDGET
        self._batches = np.empty((_MOST_BATCHES, scanning.BATCH_COLUMNS), np.int64)
        self._row_state = np.zeros(ROW_STATE_SIZE, np.int64)
        self._row_state[NEXT_OFFSET] = -1
        self._decompressed: UInt8Array = np.zeros(SLACK, np.uint8)
        self._stack = np.zeros((STACK_DEPTH, STACK_WIDTH), np.int64)
        self._counts = dict.fromkeys(
            ("batches", "empty_batches", "packed_batches", "lost_bytes", "torn_bytes", "padding_bytes"), 0
        )
        self._records = 0

    def read(self) -> RecordBatches:
        needed = 0
        while True:
            self._load(max(needed, self._window_size))
            count = scan_batches(self._bytes, self._begin, self._end, self._at_eof, self._batches, self._scan_state)
            self._begin = int(self._scan_state[scanning.STOPPED_AT])
            reason = self._scan_state[scanning.STOP_REASON]
            needed = int(self._scan_state[scanning.BYTES_NEEDED])
            yield from self._read_batches(self._batches[:count])
            if reason == scanning.NO_BATCH:
                yield from self._skip_damage(self._position, int(self._scan_state[scanning.STOP_PROBLEM]))
            elif reason == scanning.ZEROS:
                yield from self._skip_zeros()
            elif reason == scanning.INCOMPLETE_AT_EOF:
                if self._ends_in_incomplete_batch():
                    return
                yield from self._skip_damage(self._position, problems.OVERLAPS_NEXT_BATCH)

    def receipt(self) -> Receipt:
        state = self._row_state
        kinds = state[KIND_COUNTS : KIND_COUNTS + KINDS]
        details = {
            **self._counts,
            "damaged_batches": int(kinds[DAMAGED_KIND]),
            "holes": int(state[HOLES]),
            "missing_offsets": int(state[MISSING_OFFSETS]),
            "commits": int(kinds[COMMIT_KIND]),
            "group_records": int(kinds[GROUP_KIND]),
            "markers": int(kinds[MARKER_KIND]),
            "unknown_records": int(kinds[UNKNOWN_KIND]),
        }
        if state[NEXT_OFFSET] >= 0:
            details["next_offset"] = int(state[NEXT_OFFSET])
        understood = int(kinds[COMMIT_KIND] + kinds[GROUP_KIND] + kinds[MARKER_KIND])
        not_understood = int(kinds[UNKNOWN_KIND] + kinds[DAMAGED_KIND])
        return Receipt("segment", self._records, understood, not_understood, details=details)

    @property
    def _position(self) -> int:
        """Position of `_begin` in the file."""
        return int(self._row_state[WINDOW_AT]) + self._begin

    def _load(self, needed: int) -> None:
        """Moves the window to `_begin` and fills it with at least `needed` bytes, or all that the file still has."""
        if self._at_eof or self._end - self._begin >= needed:
            return
        left = self._bytes[self._begin : self._end].copy()
        self._row_state[WINDOW_AT] += self._begin
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

    def _read_batches(self, batches: Int64Array) -> RecordBatches:
        """Decompresses batches into one buffer until it is full, and decodes all of them at once."""
        self._counts["batches"] += len(batches)
        compressed = np.flatnonzero(batches[:, scanning.COMPRESSED_BY])
        self._counts["packed_batches"] += len(compressed)
        done = used = 0
        for row in compressed:
            while True:
                try:
                    used += self._decompress(batches[row], used)
                except BufferTooSmallError:
                    if used:
                        yield from self._decode(batches[done:row])
                        done, used = int(row), 0
                        continue
                    if len(self._decompressed) < LARGEST_DECOMPRESSED:
                        # Start with enough for what a window usually decompresses to.
                        usual = min(4 * len(self._bytes), _DECOMPRESSED_ROOM)
                        size = min(max(usual, 4 * len(self._decompressed)), LARGEST_DECOMPRESSED)
                        self._decompressed = np.zeros(size + SLACK, np.uint8)
                        continue
                    batches[row, scanning.PROBLEM] = problems.DECOMPRESSED_TOO_LARGE
                except CorruptDataError:
                    batches[row, scanning.PROBLEM] = problems.DECOMPRESSION
                break
        yield from self._decode(batches[done:])
        if len(self._decompressed) > _DECOMPRESSED_ROOM + SLACK:
            self._decompressed = np.zeros(SLACK, np.uint8)

    def _decompress(self, batch: Int64Array, used: int) -> int:
        """Appends the records of a batch to the first `used` bytes of the buffer. Returns their size."""
        start, stop = int(batch[scanning.START]), int(batch[scanning.STOP])
        source = memoryview(self._bytes.data)[start:stop]
        out = memoryview(self._decompressed.data)[used:-SLACK]
        size = decompress_records(int(batch[scanning.COMPRESSED_BY]), source, out)
        end = used + size
        magic = self._bytes[batch[scanning.BATCH_AT] + MAGIC_AT]
        if magic == 2:
            is_filled = is_filled_by_records(self._decompressed, used, end, int(batch[scanning.RECORD_COUNT]))
        else:
            count, last_offset = count_messages(self._decompressed, used, end)
            batch[scanning.RECORD_COUNT], batch[scanning.LAST_INNER_OFFSET] = count, last_offset
            is_filled = count > 0
        if not is_filled:
            batch[scanning.PROBLEM] = problems.RECORDS
        batch[scanning.SOURCE], batch[scanning.START], batch[scanning.STOP] = 1, used, end
        return size

    def _decode(self, batches: Int64Array) -> RecordBatches:
        valid = batches[:, scanning.PROBLEM] == 0
        counts = batches[valid, scanning.RECORD_COUNT]
        # A damaged batch counts as one record: the count in its header may be anything.
        records = int(counts.sum()) + len(batches) - len(counts)
        self._records += records
        self._counts["empty_batches"] += int((counts == 0).sum())
        state = self._row_state
        state[NEXT_BATCH] = state[NEXT_RECORD] = 0
        most = min(records, _MOST_ROWS)
        usual = [max(room * most, _LEAST_ROOM) for room in _USUAL_ROOM]
        room = usual.copy()
        while state[NEXT_BATCH] < len(batches):
            columns = RecordColumns(most, room)
            rows = decode_batches(
                self._bytes, self._decompressed, batches, state, SCHEMA_PROGRAM, columns.arrays, self._stack
            )
            if rows:
                room = usual.copy()
                yield columns.record_batch(rows)
            else:
                room[int(state[FULL_COLUMN])] *= 2

    def _skip_damage(self, position: int, problem: int) -> RecordBatches:
        """Adds a row for the position where no batch can be read and goes on at the next batch with a matching CRC."""
        batches = np.zeros((1, scanning.BATCH_COLUMNS), np.int64)
        batches[0, scanning.BATCH_AT] = position - self._row_state[WINDOW_AT]
        batches[0, scanning.PROBLEM] = problem
        batches[0, scanning.START] = scanning.NOWHERE
        yield from self._read_batches(batches)
        self._begin = max(self._begin, position + 1 - int(self._row_state[WINDOW_AT]))
        while True:
            at = find_batch(self._bytes, self._begin, self._end, self._at_eof, _LONGEST_SEARCHED, self._scan_state)
            if at >= 0 or self._at_eof:
                break
            self._begin = int(self._scan_state[scanning.STOPPED_AT])
            self._load(self._end - self._begin + self._window_size)
        self._begin = at if at >= 0 else self._end
        self._counts["lost_bytes"] += self._position - position

    def _skip_zeros(self) -> RecordBatches:
        """Counts zeros up to the end as padding, which brokers preallocate; zeros before anything else are damage."""
        position = self._position
        while True:
            not_zero = first_not_zero(self._bytes, self._begin, self._end)
            if not_zero < self._end or self._at_eof:
                break
            self._begin = max(self._begin, self._end - _ZEROS_IN_HEADER)
            self._load(self._window_size)
        if not_zero == self._end:
            self._begin = self._end
            self._counts["padding_bytes"] += self._position - position
            return
        self._begin = max(self._begin, not_zero - _ZEROS_IN_HEADER)
        yield from self._skip_damage(position, problems.LENGTH)

    def _ends_in_incomplete_batch(self) -> bool:
        """Whether no complete batch follows. If one does, the length of the batch before it was wrong."""
        at = find_batch(self._bytes, self._begin + 1, self._end, True, _LONGEST_SEARCHED, self._scan_state)
        if at < 0:
            self._counts["torn_bytes"] += self._end - self._begin
        return at < 0
