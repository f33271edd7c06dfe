"""Strips what a container runtime writes in front of each log line: `2026-11-18T10:00:01.120456789Z stdout F `."""

import io
import re
from typing import BinaryIO, cast

_PREFIX = re.compile(rb"(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(?:Z|[+-]\d\d:\d\d) std(?:out|err) [FP] ")
_SAMPLE_BYTES = 1 << 16


def strip_container_prefix(file: BinaryIO) -> BinaryIO:
    """Returns a file without the prefix if most of the first lines have it."""
    sample = file.read(_SAMPLE_BYTES)
    has_prefix = 2 * len(_PREFIX.findall(sample)) > sample.count(b"\n") + 1
    return cast(BinaryIO, _StrippedFile(sample, file) if has_prefix else _SampledFile(sample, file))


class _SampledFile:
    """A file whose first bytes have already been read."""

    def __init__(self, sample: bytes, file: BinaryIO) -> None:
        self._sample, self._file = sample, file

    def read(self, size: int) -> bytes:
        """Returns so many bytes, fewer only at the end."""
        out, self._sample = self._sample[:size], self._sample[size:]
        return out + self._file.read(size - len(out)) if len(out) < size else out


class _StrippedFile(_SampledFile):
    def __init__(self, sample: bytes, file: BinaryIO) -> None:
        super().__init__(sample, file)
        self._line, self._ready = b"", io.BytesIO()

    def read(self, size: int) -> bytes:
        """Strips whole lines only, so that no prefix is missed that a read has cut in two."""
        out = self._ready.read(size)
        while not out:
            more = super().read(size)
            whole, end, self._line = (self._line + more).rpartition(b"\n") if more else (self._line, b"", b"")
            self._ready = io.BytesIO(_PREFIX.sub(b"", whole + end))
            out = self._ready.read(size)
            if not more:
                break
        return out
