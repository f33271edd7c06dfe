"""What a container's runtime writes before each line of a log: `2026-11-18T10:00:01.120456789Z stdout F ` is taken off."""

import io
import re
from typing import BinaryIO, cast

_BEFORE = re.compile(rb"(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(?:Z|[+-]\d\d:\d\d) std(?:out|err) [FP] ")
_FIRST_LOOK = 1 << 16


def unwrapped(file: BinaryIO) -> BinaryIO:
    first = file.read(_FIRST_LOOK)
    wrapped = 2 * len(_BEFORE.findall(first)) > first.count(b"\n") + 1
    return cast(BinaryIO, _Unwrapped(first, file) if wrapped else _Again(first, file))


class _Again:
    """A file of which the first bytes were read already."""

    def __init__(self, first: bytes, file: BinaryIO) -> None:
        self._first, self._file = first, file

    def read(self, size: int) -> bytes:
        """So many bytes, fewer only at the end."""
        told, self._first = self._first[:size], self._first[size:]
        return told + self._file.read(size - len(told)) if len(told) < size else told


class _Unwrapped(_Again):
    def __init__(self, first: bytes, file: BinaryIO) -> None:
        super().__init__(first, file)
        self._line, self._ready = b"", io.BytesIO()

    def read(self, size: int) -> bytes:
        """Cut at line ends, so that no line is torn before its beginning is seen."""
        told = self._ready.read(size)
        while not told:
            more = super().read(size)
            whole, end, self._line = (self._line + more).rpartition(b"\n") if more else (self._line, b"", b"")
            self._ready = io.BytesIO(_BEFORE.sub(b"", whole + end))
            told = self._ready.read(size)
            if not more:
                break
        return told
