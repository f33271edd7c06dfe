"""Compressed files of one or more frames, and truncated ones: what precedes the damage is read, and the damage is reported."""

import gzip
import io
import zlib
from collections.abc import Callable
from datetime import date
from typing import Any, BinaryIO

import pytest
import zstandard
from support.segment_reading import read_file, recorded_segments

from kafka_telemetry.formats.compression import damage_of, decompress
from kafka_telemetry.formats.logs.log_reader import read_log_file
from kafka_telemetry.formats.receipt import Reading
from kafka_telemetry.formats.segments.segment_reader import read_segment

LOG = "".join(
    f"[2026-11-18 10:00:{second},120] INFO [GroupCoordinator 1]: Stabilized group orders generation {second} "
    "(__consumer_offsets-2) with 2 members (kafka.coordinator.group.GroupCoordinator)\n"
    for second in range(10, 24)
).encode()
SKIPPABLE_FRAME = b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc"


def zstd(content: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(content)


def zstd_by_line(content: bytes) -> bytes:
    """One block per line, as a writer does that flushes."""
    compressor = zstandard.ZstdCompressor().compressobj()
    blocks = [
        compressor.compress(line) + compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        for line in content.splitlines(keepends=True)
    ]
    return b"".join(blocks) + compressor.flush()


def gzip_by_line(content: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=31)
    blocks = [
        compressor.compress(line) + compressor.flush(zlib.Z_SYNC_FLUSH) for line in content.splitlines(keepends=True)
    ]
    return b"".join(blocks) + compressor.flush()


def read_in_pieces(stream: BinaryIO) -> bytes:
    return b"".join(iter(lambda: stream.read(100), b""))


def read_log(file: BinaryIO) -> Reading:
    return read_log_file(file, "server.log", timezone="UTC", delivery_day=date(2026, 11, 18))


def rows_of(reading: Reading) -> list[dict[str, Any]]:
    return [row for batch in reading for row in batch.to_pylist()]


@pytest.mark.parametrize("compress", [zstd, zstd_by_line, gzip.compress, gzip_by_line])
def test_whole_files_are_read_to_their_end(compress: Callable[[bytes], bytes]) -> None:
    stream = decompress(io.BytesIO(compress(LOG)))
    assert stream.read() == LOG
    assert stream.read() == b""
    assert damage_of(stream) is None


@pytest.mark.parametrize(
    "compressed",
    [
        zstd(LOG[:999]) + zstd(LOG[999:]),
        zstd(b"") + zstd(LOG),
        zstd(LOG[:999]) + SKIPPABLE_FRAME + zstd(LOG[999:]),
        gzip.compress(LOG[:999]) + gzip.compress(LOG[999:]),
        gzip.compress(LOG) + b"\0" * 5000,
    ],
    ids=["two frames", "an empty frame first", "a frame to skip", "two members of gzip", "gzip padded with zeros"],
)
def test_all_frames_are_read(compressed: bytes) -> None:
    stream = decompress(io.BytesIO(compressed))
    assert read_in_pieces(stream) == LOG
    assert damage_of(stream) is None


@pytest.mark.parametrize("compress", [zstd, zstd_by_line, gzip.compress, gzip_by_line])
def test_every_prefix_is_reported_once_its_content_has_been_read(compress: Callable[[bytes], bytes]) -> None:
    compressed = compress(LOG)
    for size in range(2, len(compressed)):
        stream = decompress(io.BytesIO(compressed[:size]))
        content = read_in_pieces(stream)
        assert LOG.startswith(content)
        assert isinstance(damage_of(stream), EOFError)
        with pytest.raises(EOFError):
            decompress(io.BytesIO(compressed[:size])).read()


def test_every_prefix_of_two_frames_raises_except_at_the_end_of_the_first() -> None:
    first, second = zstd(LOG[:999]), zstd(LOG[999:])
    compressed = first + second
    for size in range(2, len(compressed)):
        stream = decompress(io.BytesIO(compressed[:size]))
        if size == len(first):
            assert stream.read() == LOG[:999]
        else:
            with pytest.raises(EOFError):
                stream.read()


@pytest.mark.parametrize("compress", [zstd_by_line, gzip_by_line])
def test_the_lines_before_the_end_of_a_truncated_log_are_read(compress: Callable[[bytes], bytes]) -> None:
    compressed = compress(LOG)
    whole = rows_of(read_log(io.BytesIO(LOG)))
    counts = set()
    for size in range(2, len(compressed)):
        stream = decompress(io.BytesIO(compressed[:size]))
        rows = rows_of(read_log(stream))
        # The last line may be cut.
        assert rows[:-1] == whole[: max(len(rows) - 1, 0)]
        counts.add(len(rows))
        assert isinstance(damage_of(stream), EOFError)
    assert counts == set(range(len(whole) + 1))


def test_the_records_before_the_end_of_a_truncated_segment_are_read() -> None:
    segment = max((read_file(path) for path in recorded_segments()), key=len)[:4000]
    whole = rows_of(read_segment(io.BytesIO(segment), "0.log"))
    compressor = zstandard.ZstdCompressor().compressobj()
    pieces = [segment[at : at + 20] for at in range(0, len(segment), 20)]
    blocks = [compressor.compress(piece) + compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK) for piece in pieces]
    compressed = b"".join(blocks) + compressor.flush()
    counts = set()
    for size in range(2, len(compressed)):
        stream = decompress(io.BytesIO(compressed[:size]))
        rows = rows_of(read_segment(stream, "0.log"))
        assert rows == whole[: len(rows)]
        counts.add(len(rows))
        assert isinstance(damage_of(stream), EOFError)
    assert {0, len(whole)} <= counts
    assert len(counts) > 10


@pytest.mark.parametrize("compress", [zstd, gzip.compress])
def test_damage_inside_raises_an_error_of_the_library(compress: Callable[[bytes], bytes]) -> None:
    compressed = bytearray(compress(LOG))
    raised = 0
    for at in range(12, len(compressed) - 8, 3):
        damaged = bytes(compressed[:at]) + bytes([compressed[at] ^ 0x55]) + bytes(compressed[at + 1 :])
        try:
            decompress(io.BytesIO(damaged)).read()
        except (EOFError, OSError, zlib.error, zstandard.ZstdError):
            raised += 1
    assert raised > 10


def test_a_text_that_begins_like_a_compressed_file_is_a_text() -> None:
    assert decompress(io.BytesIO(b"(")).read() == b"("
    assert decompress(io.BytesIO(b"(text")).read() == b"(text"
