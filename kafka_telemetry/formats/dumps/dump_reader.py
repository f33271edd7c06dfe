"""Recognises the format of a file that was delivered as an offset dump and reads it."""

import io
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, BinaryIO, cast

from kafka_telemetry.formats.receipt import Reading, Receipt

# Kafka's own files beside the segments, which contain no records.
_NO_SEGMENT = re.compile(
    r"(\.(index|timeindex|txnindex|snapshot|checkpoint)(\.deleted|\.swap|\.cleaned)?"
    r"|leader-epoch-checkpoint|partition\.metadata|[^/]*-checkpoint|meta\.properties|\.kafka_cleanshutdown|\.lock)$"
)
_UNFINISHED_CLEANING = re.compile(r"\.cleaned$")
_OTHER_COPY = re.compile(r"-(future|delete|stray)$")
_OFFSETS_FOLDER = re.compile(r"^__consumer_offsets-(\d+)$")
# Logs of Kafka's other coordinators: their keys begin alike but mean something else.
_OTHER_LOG = re.compile(r"^__(?!consumer_offsets-)[a-z_]+-\d+$")

# The size of the head that is searched for a record: tools may have printed warnings before the first one.
_HEAD = 1 << 18
_MAGIC_AT = 16
_NEWEST_MAGIC = 2
_DUMP_LOG = re.compile(
    rb"Dumping |(?:Log s|S)tarting offset: \d|baseOffset: \d+ lastOffset: |\| (?:offset: \d|key: )"
    rb"|offset: \d+ position: \d"
)
_CONSOLE_JSON = re.compile(rb'.*?\{"key":(?:\{"(?:type|version)":|null,|")')
_CONSOLE_TEXT = re.compile(rb"\[.*,\d+\]::(?:NULL\s*$|OffsetAndMetadata\()|.*::(?:GroupMetadata\(groupId=|NULL\s*$)")


def offsets_partition(path: str) -> int | None:
    """Returns the partition of `__consumer_offsets` from the name of a segment's folder."""
    for folder in reversed(PurePosixPath(path).parts[:-1]):
        match = _OFFSETS_FOLDER.match(folder)
        if match:
            return int(match[1])
    return None


def skip_reason(path: str) -> str | None:
    """Returns why a file isn't read if its name shows that it contains no records of this log. Receipts contain it."""
    parts = PurePosixPath(path.removesuffix(".gz").removesuffix(".zst")).parts
    if any(_OTHER_COPY.search(folder) for folder in parts[:-1]):
        return "other_copy"
    if any(_OTHER_LOG.match(folder) for folder in parts[:-1]):
        return "other_topic"
    if _NO_SEGMENT.search(parts[-1]):
        return "beside_the_log"
    return "unfinished_cleaning" if _UNFINISHED_CLEANING.search(parts[-1]) else None


def read_offset_dump(file: BinaryIO, name: str) -> Reading:
    reason = skip_reason(name)
    if reason:
        return Receipt(format=reason, records=0, understood=0)
    head = file.read(_HEAD)
    whole = cast(BinaryIO, io.BufferedReader(_PrefixedStream(head, file), _HEAD))
    receipt = yield from _recognise(head)(whole, name)
    is_unread_segment = receipt.format == "segment" and not receipt.understood and receipt.details["lost_bytes"]
    if is_unread_segment and not _begins_like_segment(head):
        return replace(receipt, format="unknown")
    return receipt


def _recognise(head: bytes) -> Callable[[BinaryIO, str], Reading]:
    """Returns the reader. No text contains zero bytes or begins like a segment; every header of a segment has zeros."""
    if _is_binary(head):
        from kafka_telemetry.formats.segments.segment_reader import read_segment

        return read_segment
    for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        if _DUMP_LOG.match(line):
            from kafka_telemetry.formats.dumps.kafka_dump_log import read_dump_log

            return read_dump_log
        if _CONSOLE_JSON.match(line):
            from kafka_telemetry.formats.dumps.console_json import read_console_json

            return read_console_json
        if _CONSOLE_TEXT.match(line):
            from kafka_telemetry.formats.dumps.console_text import read_console_text

            return read_console_text
    from kafka_telemetry.formats.dumps.unknown_text import read_unknown

    return read_unknown


def _begins_like_segment(head: bytes) -> bool:
    """Whether these bytes may begin a segment, or the zeros that a broker preallocates for one."""
    return len(head) <= _MAGIC_AT or (head[_MAGIC_AT] <= _NEWEST_MAGIC and head[0] < 0x80)


def _is_binary(head: bytes) -> bool:
    if len(head) <= _MAGIC_AT:
        # An empty file, or the start of a header.
        return not head or b"\0" in head
    return head[_MAGIC_AT] <= _NEWEST_MAGIC or b"\0" in head


class _PrefixedStream(io.RawIOBase):
    """The head, and then the rest of the file."""

    def __init__(self, head: bytes, file: BinaryIO) -> None:
        self._head = memoryview(head)
        self._file = cast(Any, file)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._head:
            return cast(int, self._file.readinto(buffer) or 0)
        size = min(len(buffer), len(self._head))
        buffer[:size] = self._head[:size]
        self._head = self._head[size:]
        return size
