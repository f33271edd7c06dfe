"""Files that are truncated, or that a reader fails on: they are reported, and never raise."""

import datetime as dt
import gzip
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pytest
import zstandard

from kafka_telemetry.formats.receipt import Reading
from spark_jobs.bronze import log_lines, offset_records
from spark_jobs.bronze.parse import FileReceipt, parse_file
from spark_jobs.bronze.source import Source
from spark_jobs.landing import LandedFile, list_landing
from spark_jobs.settings import Settings, load

LOG = "".join(
    f"[2026-11-18 10:00:{second},120] INFO [GroupCoordinator 1]: Stabilized group orders generation {second} "
    "(__consumer_offsets-2) with 2 members (kafka.coordinator.group.GroupCoordinator)\n"
    for second in range(10, 40)
).encode()


def landed(tmp_path: Path, source: Source, name: str, content: bytes) -> tuple[list[dict[str, Any]], FileReceipt]:
    file = tmp_path / source.name / "cluster=c" / "date=2026-11-18" / name
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    settings = load(landing=str(tmp_path), environment={})
    receipts: list[FileReceipt] = []
    batches = list(parse_file(settings, list_landing(settings.landing).files[0], source, receipts.append))
    [receipt] = receipts
    return pa.Table.from_batches(batches).to_pylist() if batches else [], receipt


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_a_complete_file_has_no_problem(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    rows, receipt = landed(tmp_path, log_lines.SOURCE, "server.log.packed", compress(LOG))
    assert (len(rows), receipt.problem) == (30, None)


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_a_truncated_log_is_read_only_in_part(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    compressed = compress(LOG[:1500]) + compress(LOG[1500:])
    rows, receipt = landed(tmp_path, log_lines.SOURCE, "server.log.packed", compressed[:-9])
    assert 5 < len(rows) < 31
    assert (receipt.receipt.format, receipt.receipt.understood) == ("log: kafka", len(rows))
    assert receipt.problem == ("read only in part: Compressed file ended before the end of its last frame was reached")


@pytest.mark.parametrize("size", [2, 3, 4, 10, 100, 1000])
def test_a_truncated_segment_is_read_only_in_part(tmp_path: Path, size: int) -> None:
    compressed = zstandard.compress(random.Random(1).randbytes(2000))[:size]
    _, receipt = landed(tmp_path, offset_records.SOURCE, "__consumer_offsets-1/0.log.zst", compressed)
    assert receipt.problem is not None
    assert receipt.problem.startswith("read only in part")


def test_rows_before_an_error_of_a_reader_are_stored_and_the_error_is_reported(tmp_path: Path) -> None:
    def read_file(file: BinaryIO, landed: LandedFile, settings: Settings) -> Reading:
        yield from log_lines.SOURCE.read_file(file, landed, settings)
        raise RecursionError("too deep\nand a second line")

    rows, receipt = landed(tmp_path, replace(log_lines.SOURCE, read_file=read_file), "server.log", LOG)
    assert len(rows) == 30
    assert (receipt.receipt.format, receipt.receipt.records, receipt.receipt.understood) == ("torn", 30, 30)
    assert receipt.problem == "read only in part: too deep"


def test_a_batch_that_can_not_be_stored_is_reported(tmp_path: Path) -> None:
    def add_columns(_batch: pa.RecordBatch, _file: LandedFile) -> dict[str, pa.Array]:
        raise KeyError("origin")

    rows, receipt = landed(tmp_path, replace(log_lines.SOURCE, add_columns=add_columns), "server.log", LOG)
    assert rows == []
    assert receipt.receipt.records == 0
    assert receipt.problem == "read only in part: 'origin'"


@pytest.mark.parametrize("year", ["0001", "1969", "2029", "9999"])
def test_a_line_of_a_time_that_can_not_be_has_the_day_of_the_line_before(tmp_path: Path, year: str) -> None:
    """Silver looks at the days around an event day, and there is none before year 1 or after year 9999."""
    lines = LOG.splitlines(keepends=True)
    content = lines[0] + lines[1].replace(b"2026-11-18", f"{year}-12-31".encode()) + lines[2]
    rows, receipt = landed(tmp_path, log_lines.SOURCE, "server.log", content)
    assert len(rows) == 3
    assert receipt.rows == {(dt.date(2026, 11, 18), "event"): 3}
