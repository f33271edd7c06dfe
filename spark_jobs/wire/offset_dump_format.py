"""What a file delivered as an offset dump is, and who reads it."""

import io
import re
from pathlib import PurePosixPath
from typing import BinaryIO

from spark_jobs.wire.receipt import Reading, Receipt

# Kafka's own files beside the segments: they tell of the log's shape, never of a record.
_BESIDE = re.compile(
    r"(\.(index|timeindex|txnindex|snapshot|checkpoint)(\.deleted|\.swap|\.cleaned)?"
    r"|leader-epoch-checkpoint|partition\.metadata|[^/]*-checkpoint|meta\.properties|\.kafka_cleanshutdown|\.lock)$"
)
_UNFINISHED = re.compile(r"\.cleaned$")
_NOT_THE_LOG = re.compile(r"-(future|delete|stray)$")
_OFFSETS_FOLDER = re.compile(r"^__consumer_offsets-(\d+)$")


def offsets_partition(path: str) -> int | None:
    """The partition that the folder of a segment names."""
    for folder in reversed(PurePosixPath(path).parts[:-1]):
        match = _OFFSETS_FOLDER.match(folder)
        if match:
            return int(match[1])
    return None


def not_read(path: str) -> str | None:
    """Why a file is left alone: what it is, if its name alone tells that it holds no record of the log."""
    parts = PurePosixPath(path.removesuffix(".gz").removesuffix(".zst")).parts
    if any(_NOT_THE_LOG.search(folder) for folder in parts[:-1]):
        return "other_copy"
    if _BESIDE.search(parts[-1]):
        return "beside_the_log"
    return "unfinished_cleaning" if _UNFINISHED.search(parts[-1]) else None


def read_offset_dump(file: BinaryIO, name: str) -> Reading:
    from spark_jobs.wire.segments import read_segment

    reason = not_read(name)
    if reason:
        return Receipt(format=reason, records=0, understood=0)
    buffered = file if isinstance(file, io.BufferedReader) else io.BufferedReader(file)  # type: ignore[type-var]
    return (yield from read_segment(buffered, name))
