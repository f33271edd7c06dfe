"""Where the entries of a log file begin and end, and which of them can matter. The file is read in blocks.

An entry goes on until the next line that has its layout's head, so a stack trace or a printed configuration stays with
its first line. The last entry of a block waits for the next block, but not for ever: a huge one is cut.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Flags, Integers
from kafka_telemetry.formats.logs.entry_starts_fast import entry_heads, head_shape
from kafka_telemetry.formats.logs.keyword_scan_fast import with_a_word
from kafka_telemetry.formats.logs.log_layouts import BARE, LIBRDKAFKA, Layout, recognised
from kafka_telemetry.formats.text_bytes import PADDING, Bytes

BLOCK = 1 << 20
_LARGEST = 8 << 20
_SAMPLE_LINES = 2000
_LIBRDKAFKA_HEAD = head_shape(LIBRDKAFKA.head)

# These clients say of their group what no other would, without a name that gives them away.
_WANTED_OF = {
    "franz-go": r"group|joined|sync|heartbeat|revok",
    "sarama": r"consumergroup|client/coordinator",
}


class Block(NamedTuple):
    entries: int
    """Entries that begin in it, counted by their heads alone."""
    wanted: pa.StringArray
    lines: Integers
    """Numbers of the wanted entries' first lines."""
    clocks: Integers
    """Of every entry, the second of the day, where the layout shows the clock alone; else empty."""
    wanted_at: Integers
    """Which entries of the block the wanted ones are."""


def layout_of(head: bytes, patterns: Mapping[str, str]) -> Layout:
    lines = head.decode("utf-8", "replace").splitlines()[:_SAMPLE_LINES]
    return recognised(pa.array([line for line in lines if line.strip()], pa.string()), patterns)


def blocks(file: BinaryIO, first: bytes, layout: Layout, size: int = BLOCK) -> Iterator[Block]:
    """`first` is what was already read of the file, to recognise its layout."""
    rest, line = b"", 1
    for more in chain(_pieces(first, file, size), (b"",)):
        padded = b"".join((rest, more, PADDING))
        end = length = len(padded) - len(PADDING)
        if not length:
            return
        block = np.frombuffer(padded, np.uint8)
        starts, lines = _heads(padded, block, length, layout)
        before_end = 0
        if more:
            # Up to the last head, since what follows may still belong to it.
            end = int(starts[-1]) if len(starts) else 0
            if end == 0:
                rest = padded[:length]
                if length <= _LARGEST:
                    continue
                end = rest.rfind(b"\n") + 1 or length
            before_end = int(lines[-1]) if len(starts) and starts[-1] == end else padded.count(b"\n", 0, end)
            starts = starts[starts < end]
        yield _block(padded, block, starts, lines[: len(starts)] + line, end, layout)
        line += before_end
        rest = padded[end:length]


def _pieces(first: bytes, file: BinaryIO, size: int) -> Iterator[bytes]:
    for at in range(0, len(first), size):
        yield first[at : at + size]
    while more := file.read(size):
        yield more


def _heads(padded: bytes, block: Bytes, length: int, layout: Layout) -> tuple[Integers, Integers]:
    """Where entries begin, and how many lines end before each. The last line may be torn and counts all the same."""
    if layout.head:
        return entry_heads(block, length, head_shape(layout.head), _LIBRDKAFKA_HEAD)
    starts = np.concatenate([[0], np.flatnonzero(block[: length - 1] == ord("\n")) + 1])
    if layout == BARE:
        heads = ~np.isin(block[starts], np.frombuffer(b" \t\r\n", np.uint8))
    else:
        lines = _slices(padded, starts, length)
        heads = np.zeros(len(starts), dtype=bool)
        for pattern in layout.patterns:
            heads |= pc.match_substring_regex(lines, _with_ends(pattern)).to_numpy(zero_copy_only=False)
        heads |= np.array([padded[at : at + 1] == b"%" and padded[at + 2 : at + 3] == b"|" for at in starts])
    return starts[heads], np.flatnonzero(heads)


def _with_ends(pattern: str) -> str:
    """For lines that still have theirs, which a pattern that closes with $ does not know."""
    closes = pattern.endswith("$") and not pattern.endswith("\\$")
    return rf"{pattern[:-1]}\r?\n?$" if closes else pattern


def _block(padded: bytes, block: Bytes, starts: Integers, lines: Integers, end: int, layout: Layout) -> Block:
    entries = _slices(padded, starts, end)
    chosen = np.flatnonzero(_wanted(block, entries, starts, end, layout))
    return Block(
        entries=len(starts),
        wanted=_as_text(entries.take(pa.array(chosen))),
        lines=lines[chosen],
        clocks=_clock_seconds(block, starts) if layout.name == "logback" else np.empty(0, np.int64),
        wanted_at=chosen,
    )


def _wanted(block: Bytes, entries: pa.BinaryArray, starts: Integers, end: int, layout: Layout) -> Flags:
    out = with_a_word(block, end, starts)
    if layout.name in _WANTED_OF:
        out |= pc.match_substring_regex(entries, _WANTED_OF[layout.name]).to_numpy(zero_copy_only=False)
    return out


def _slices(text: bytes, starts: Integers, end: int) -> pa.BinaryArray:
    offsets = np.empty(len(starts) + 1, dtype=np.int32)
    offsets[:-1] = starts
    offsets[-1] = end
    return pa.Array.from_buffers(pa.binary(), len(starts), [None, pa.py_buffer(offsets), pa.py_buffer(text)])


def _as_text(entries: pa.BinaryArray) -> pa.StringArray:
    try:
        return entries.cast(pa.string())
    except pa.ArrowInvalid:  # not UTF-8 throughout
        return pa.array([entry.decode("utf-8", "replace") for entry in entries.to_pylist()], pa.string())


def _clock_seconds(block: Bytes, starts: Integers) -> Integers:
    def pair(place: int) -> Integers:
        tens, ones = block[starts + place].astype(np.int64), block[starts + place + 1].astype(np.int64)
        return (tens - ord("0")) * 10 + ones - ord("0")

    return pair(0) * 3600 + pair(3) * 60 + pair(6)
