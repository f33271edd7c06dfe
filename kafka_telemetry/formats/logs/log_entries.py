"""Splits a log file into entries, and picks those that can be relevant. The file is read in blocks.

An entry ends where the next line begins as its layout prescribes, so a stack trace or a printed configuration stays with
its first line. The last entry of a block is carried over to the next block; only a huge one is cut.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Flags, Integers
from kafka_telemetry.formats.logs.arrow_masks import mask
from kafka_telemetry.formats.logs.entry_starts import find_entry_starts, parse_line_start
from kafka_telemetry.formats.logs.keyword_scan import has_keyword
from kafka_telemetry.formats.logs.log_layouts import LIBRDKAFKA_LAYOUT, UNKNOWN_LAYOUT, LogLayout, detect_layout
from kafka_telemetry.formats.text_bytes import PADDING, Bytes

BLOCK_BYTES = 1 << 20
_LARGEST_ENTRY = 8 << 20
_SAMPLE_LINES = 2000
_LIBRDKAFKA_START = parse_line_start(LIBRDKAFKA_LAYOUT.line_start)

# The relevant lines of these clients contain no name that only they use.
_KEYWORD_PATTERNS = {
    "franz-go": r"group|joined|sync|heartbeat|revok",
    "sarama": r"consumergroup|client/coordinator",
}


class EntryBlock(NamedTuple):
    entry_count: int
    """The number of entries that begin in the block, counted by their starts alone."""
    clock_seconds: Integers
    """The second of the day of each entry, if the layout prints a time without a date; else empty."""
    positions: Integers
    """Which of the block's entries are relevant. The next two columns are of these."""
    texts: pa.StringArray
    line_numbers: Integers
    """The numbers of their first lines in the file."""


def layout_of_file(first_bytes: bytes, custom_patterns: Mapping[str, str]) -> LogLayout:
    lines = first_bytes.decode("utf-8", "replace").splitlines()[:_SAMPLE_LINES]
    return detect_layout(pa.array([line for line in lines if line.strip()], pa.string()), custom_patterns)


def read_entries(
    file: BinaryIO, first_bytes: bytes, layout: LogLayout, block_bytes: int = BLOCK_BYTES
) -> Iterator[EntryBlock]:
    """`first_bytes` were read from the file before, to detect its layout."""
    carried, line_number = b"", 1
    for more in chain(_pieces(first_bytes, file, block_bytes), (b"",)):
        padded = b"".join((carried, more, PADDING))
        end = length = len(padded) - len(PADDING)
        if not length:
            return
        block = np.frombuffer(padded, np.uint8)
        starts, lines_before = _entry_starts(padded, block, length, layout)
        lines_to_end = 0
        if more:
            # The next block may continue the last entry.
            end = int(starts[-1]) if len(starts) else 0
            if end == 0:
                carried = padded[:length]
                if length <= _LARGEST_ENTRY:
                    continue
                end = carried.rfind(b"\n") + 1 or length
            ends_at_start = len(starts) and starts[-1] == end
            lines_to_end = int(lines_before[-1]) if ends_at_start else padded.count(b"\n", 0, end)
            starts = starts[starts < end]
        yield _entry_block(padded, block, starts, lines_before[: len(starts)] + line_number, end, layout)
        line_number += lines_to_end
        carried = padded[end:length]


def _pieces(first_bytes: bytes, file: BinaryIO, size: int) -> Iterator[bytes]:
    for at in range(0, len(first_bytes), size):
        yield first_bytes[at : at + size]
    while more := file.read(size):
        yield more


def _entry_starts(padded: bytes, block: Bytes, length: int, layout: LogLayout) -> tuple[Integers, Integers]:
    """Returns where entries begin, and how many lines end before each of them. The last line may be incomplete."""
    if layout.line_start:
        return find_entry_starts(block, length, parse_line_start(layout.line_start), _LIBRDKAFKA_START)
    starts = np.concatenate([[0], np.flatnonzero(block[: length - 1] == ord("\n")) + 1])
    if layout == UNKNOWN_LAYOUT:
        is_entry = ~np.isin(block[starts], np.frombuffer(b" \t\r\n", np.uint8))
    else:
        lines = _slices(padded, starts, length)
        is_entry = np.zeros(len(starts), dtype=bool)
        for pattern in layout.patterns:
            is_entry |= mask(pc.match_substring_regex(lines, _with_line_end(pattern)))
        is_entry |= np.array([padded[at : at + 1] == b"%" and padded[at + 2 : at + 3] == b"|" for at in starts])
    return starts[is_entry], np.flatnonzero(is_entry)


def _with_line_end(pattern: str) -> str:
    """The lines still have their line ends here, in front of which $ does not match."""
    ends_line = pattern.endswith("$") and not pattern.endswith("\\$")
    return rf"{pattern[:-1]}\r?\n?$" if ends_line else pattern


def _entry_block(
    padded: bytes, block: Bytes, starts: Integers, line_numbers: Integers, end: int, layout: LogLayout
) -> EntryBlock:
    entries = _slices(padded, starts, end)
    positions = np.flatnonzero(_is_relevant(block, entries, starts, end, layout))
    return EntryBlock(
        entry_count=len(starts),
        clock_seconds=_clock_seconds(block, starts) if layout.name == "logback" else np.empty(0, np.int64),
        positions=positions,
        texts=_as_text(entries.take(pa.array(positions))),
        line_numbers=line_numbers[positions],
    )


def _is_relevant(block: Bytes, entries: pa.BinaryArray, starts: Integers, end: int, layout: LogLayout) -> Flags:
    out = has_keyword(block, end, starts)
    if layout.name in _KEYWORD_PATTERNS:
        out |= mask(pc.match_substring_regex(entries, _KEYWORD_PATTERNS[layout.name]))
    return out


def _slices(text: bytes, starts: Integers, end: int) -> pa.BinaryArray:
    """The bytes from each start to the next one, without copying them."""
    offsets = np.empty(len(starts) + 1, dtype=np.int32)
    offsets[:-1] = starts
    offsets[-1] = end
    return pa.Array.from_buffers(pa.binary(), len(starts), [None, pa.py_buffer(offsets), pa.py_buffer(text)])


def _as_text(entries: pa.BinaryArray) -> pa.StringArray:
    try:
        return entries.cast(pa.string())
    except pa.ArrowInvalid:  # some of them are not UTF-8
        return pa.array([entry.decode("utf-8", "replace") for entry in entries.to_pylist()], pa.string())


def _clock_seconds(block: Bytes, starts: Integers) -> Integers:
    """The seconds since midnight of times as 99:99:99 at the beginning of entries."""

    def two_digits(offset: int) -> Integers:
        tens, ones = block[starts + offset].astype(np.int64), block[starts + offset + 1].astype(np.int64)
        return (tens - ord("0")) * 10 + ones - ord("0")

    return two_digits(0) * 3600 + two_digits(3) * 60 + two_digits(6)
