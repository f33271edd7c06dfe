"""Which tool wrote a file about lag. Told by the content; a name alone says nothing."""

import io
import re
from typing import BinaryIO

from spark_jobs.wire import describe, get_offsets
from spark_jobs.wire.lag_reading import unknown_lines
from spark_jobs.wire.receipt import Reading, Receipt
from spark_jobs.wire.tool_output import NOISE, lines_of

_HEAD = 1 << 16
_READERS = {"describe": describe.read, "get_offsets": get_offsets.read}


def recognise(head: bytes, name: str) -> str | None:  # noqa: ARG001
    """The name of the format, by the first 64 KB."""
    lines = [line for line in lines_of(head) if line.strip()]
    for line in lines:
        if describe.looks_like(line):
            return "describe"
        if get_offsets.looks_like(line):
            return "get_offsets"
        if not NOISE.match(line):
            return None
    return "describe" if any(re.search(r"\[AdminClient |ConsumerGroupCommand", line) for line in lines) else None


def read_lag_file(file: BinaryIO, name: str) -> Reading:
    content = file.read()
    known = recognise(content[:_HEAD], name)
    if known is None:
        lines = [(number, line) for number, line in enumerate(lines_of(content), 1) if line.strip()]
        yield from unknown_lines(lines, None)
        return Receipt("unknown", len(lines), 0, not_understood=len(lines))
    return (yield from _READERS[known](io.BytesIO(content), name))
