"""Where the entries of a log file begin and end, and which of them can matter. The file is read in blocks.

An entry goes on until the next line that has its layout's head, so a stack trace or a printed configuration stays with
its first line. The last entry of a block waits for the next block, but not for ever: a huge one is cut.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_jobs.wire.log_frames import BARE, LIBRDKAFKA, Bytes, Layout, Mask, Places, recognised, shaped

BLOCK = 4 << 20
_LARGEST = 8 << 20
_SAMPLE_LINES = 2000

# A word that every line that could matter has somewhere. One pass over all bytes looks for it; the rest is cheap.
_WANTED = (
    r"oordinator|\[(?:Share)?Consumer |ConsumerConfig values|Setting offset for|GroupMetadata|OffsetMetadata"
    r"|ClassicGroup|StickyAssignor"
)
_WANTED_OF = {
    "librdkafka": r"^%[0-7]\|",
    "franz-go": r"group|joined|sync|heartbeat|revok",
    "sarama": r"consumergroup|client/coordinator",
}
_LIBRDKAFKA_FACILITY = r"^%[0-7]\|[^|]*\|[A-Z]"


class Block(NamedTuple):
    entries: int
    """Entries that begin in it, counted by their heads alone."""
    wanted: pa.StringArray
    lines: Places
    """Numbers of the wanted entries' first lines."""
    clocks: Places
    """Of every entry, the second of the day, where the layout shows the clock alone; else empty."""
    wanted_at: Places
    """Which entries of the block the wanted ones are."""


def layout_of(head: bytes, patterns: Sequence[str]) -> Layout:
    lines = head.decode("utf-8", "replace").splitlines()[:_SAMPLE_LINES]
    return recognised(pa.array([line for line in lines if line.strip()], pa.string()), patterns)


def blocks(file: BinaryIO, first: bytes, layout: Layout, size: int = BLOCK) -> Iterator[Block]:
    """`first` is what was already read of the file, to recognise its layout."""
    rest, line = b"", 1
    for more in chain(_pieces(first, file, size), (b"",)):
        text = rest + more
        if not text:
            return
        block = np.frombuffer(text, np.uint8)
        starts = _line_starts(block)
        at = np.flatnonzero(_heads(text, block, starts, layout))
        end = len(text)
        if more:
            # Up to the last head, since what follows may still belong to it.
            end = int(starts[at[-1]]) if len(at) else 0
            if end == 0:
                rest = text
                if len(text) <= _LARGEST:
                    continue
                end = int(starts[-1]) or len(text)
            at = at[starts[at] < end]
        yield _block(text, block, starts, at, end, line, layout)
        line += text.count(b"\n", 0, end)
        rest = text[end:]


def _pieces(first: bytes, file: BinaryIO, size: int) -> Iterator[bytes]:
    for at in range(0, len(first), size):
        yield first[at : at + size]
    while more := file.read(size):
        yield more


def _line_starts(block: Bytes) -> Places:
    """The last line of a block may be torn: it is a start all the same, and waits for the next block."""
    ends = np.flatnonzero(block == ord("\n"))
    starts = np.empty(len(ends) + 1, dtype=np.int64)
    starts[0] = 0
    starts[1:] = ends + 1
    return starts[:-1] if starts[-1] == len(block) else starts


def _heads(text: bytes, block: Bytes, starts: Places, layout: Layout) -> Mask:
    if layout.head:
        return shaped(block, starts, layout.head) | shaped(block, starts, LIBRDKAFKA.head)
    if layout == BARE:
        return ~np.isin(block[starts], np.frombuffer(b" \t\r\n", np.uint8))
    lines = _slices(text, starts, len(text))
    found = np.zeros(len(starts), dtype=bool)
    for pattern in layout.patterns:
        found |= pc.match_substring_regex(lines, pattern).to_numpy(zero_copy_only=False)
    return found | shaped(block, starts, LIBRDKAFKA.head)


def _block(text: bytes, block: Bytes, starts: Places, at: Places, end: int, first_line: int, layout: Layout) -> Block:
    entry_starts = starts[at]
    entries = _slices(text, entry_starts, end)
    pattern = _WANTED_OF.get(layout.name, rf"{_WANTED}|{_LIBRDKAFKA_FACILITY}")
    if layout.name.startswith("pattern"):
        pattern = "|".join((_WANTED, *_WANTED_OF.values()))
    wanted = pc.match_substring_regex(entries, pattern).to_numpy(zero_copy_only=False)
    chosen = np.flatnonzero(wanted)
    clocks = _clock_seconds(block, entry_starts) if layout.name == "logback" else np.empty(0, np.int64)
    return Block(
        entries=len(at),
        wanted=_as_text(entries.take(pa.array(chosen))),
        lines=at[chosen] + first_line,
        clocks=clocks,
        wanted_at=chosen,
    )


def _slices(text: bytes, starts: Places, end: int) -> pa.BinaryArray:
    offsets = np.empty(len(starts) + 1, dtype=np.int32)
    offsets[:-1] = starts
    offsets[-1] = end
    return pa.Array.from_buffers(pa.binary(), len(starts), [None, pa.py_buffer(offsets), pa.py_buffer(text)])


def _as_text(entries: pa.BinaryArray) -> pa.StringArray:
    try:
        return entries.cast(pa.string())
    except pa.ArrowInvalid:  # not UTF-8 throughout
        return pa.array([entry.decode("utf-8", "replace") for entry in entries.to_pylist()], pa.string())


def _clock_seconds(block: Bytes, starts: Places) -> Places:
    def pair(place: int) -> Places:
        tens, ones = block[starts + place].astype(np.int64), block[starts + place + 1].astype(np.int64)
        return (tens - ord("0")) * 10 + ones - ord("0")

    return pair(0) * 3600 + pair(3) * 60 + pair(6)
