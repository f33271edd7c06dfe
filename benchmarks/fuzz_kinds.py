"""The kinds of telemetry that are fuzzed: whole pieces of each, mostly recorded ones, and the reader of their files."""

import gzip
import io
import json
import random
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import BinaryIO, NamedTuple

import zstandard

from benchmarks.fuzz_mutations import mutate
from benchmarks.fuzz_records import damage_batch, record_batches
from benchmarks.fuzz_samples import (
    API_RESPONSES,
    BURROW_RESPONSES,
    EXPORTER_LINES,
    OLD_CONSOLE,
    OLD_DUMP,
    template_lines,
)
from kafka_telemetry.formats.compression import decompress
from kafka_telemetry.formats.dumps.dump_reader import read_offset_dump
from kafka_telemetry.formats.lag.lag_reader import read_lag_file
from kafka_telemetry.formats.logs.log_reader import read_log_file
from kafka_telemetry.formats.receipt import Reading

RECORDED = Path(__file__).parents[1] / "tests" / "recorded"
RECORDED_ON = date(2026, 11, 18)
_LINE = re.compile(rb"(?<=\n)")
_CONSOLE_OBJECT = re.compile(rb'(?=\{"key":)')


class FuzzedKind(NamedTuple):
    """`pieces` are damaged one by one, and so many of them are a file. `head` is in front of each file."""

    name: str
    table: str
    read: Callable[[BinaryIO, str], Reading]
    pieces: Sequence[bytes]
    pieces_in_file: int
    share: float
    file_name: str = "server.log"
    head: bytes = b""
    damage: Callable[[bytes, bytes, random.Random], bytes] = mutate


def fuzzed_kinds(chance: random.Random) -> list[FuzzedKind]:
    kafka, log4j = rb"(?m)^(?=\[\d{4}-)", rb"(?m)^(?=\d{4}-)"
    client_entries = _entries("*/clients/*/app.log.zst", log4j)
    lag = "lag-20261118T112900Z.txt"
    segments = FuzzedKind(
        "segments", "bronze.offset_records", read_offset_dump, record_batches(chance), 4, 0.15,
        "__consumer_offsets-1/0.log", damage=damage_batch,
    )  # fmt: skip
    broker_log = _logs("broker log", _entries("*/broker/server.log.zst", kafka), 0.08)
    return [
        broker_log,
        _truncated(broker_log),
        _logs("client logs", client_entries, 0.08),
        _logs("printed configurations", [entry for entry in client_entries if b"Config values" in entry], 0.02),
        _logs("JSON lines", list(_as_json(client_entries)), 0.06),
        *(_logs(f"templates of {name}", lines, 0.04) for name, lines in template_lines(chance).items()),
        _dumps("kafka-dump-log", _lines("*/offsets-dump/*.txt.zst"), 0.1, "Dumping a/__consumer_offsets-1/0.log\n"),
        _dumps("kafka-dump-log up to 3.7", OLD_DUMP.encode().splitlines(keepends=True), 0.04),
        _dumps("console JSON", _split("*/console-consumer/*.zst", _CONSOLE_OBJECT), 0.08),
        _dumps("console text", OLD_CONSOLE.encode().splitlines(keepends=True), 0.04, "[g,t,1]::NULL\n"),
        segments,
        _truncated(segments),
        *(
            FuzzedKind(f"describe {view}", "bronze.lag_readings", read_lag_file, *_table(f"*/lag/describe*{view}-*", lag))
            for view in ("offsets", "members", "state")
        ),
        FuzzedKind("get-offsets", "bronze.lag_readings", read_lag_file, _lines("*/lag/end-*"), 10, 0.04, f"end-{lag}"),
        FuzzedKind("Prometheus text", "bronze.lag_readings", read_lag_file, _lag_metrics(), 20, 0.08, lag),
        FuzzedKind("exporters", "bronze.lag_readings", read_lag_file, EXPORTER_LINES, 20, 0.05, lag),
        FuzzedKind("Prometheus API", "bronze.lag_readings", read_lag_file, API_RESPONSES, 1, 0.05, lag),
        FuzzedKind("Burrow", "bronze.lag_readings", read_lag_file, BURROW_RESPONSES, 1, 0.05, "burrow.json"),
    ]  # fmt: skip


def _logs(name: str, pieces: Sequence[bytes], share: float) -> FuzzedKind:
    return FuzzedKind(name, "bronze.log_lines", _read_log, pieces, 60, share)


def _dumps(name: str, pieces: Sequence[bytes], share: float, head: str = "") -> FuzzedKind:
    return FuzzedKind(name, "bronze.offset_records", read_offset_dump, pieces, 12, share, "dump.txt", head.encode())


def _truncated(kind: FuzzedKind) -> FuzzedKind:
    """The same files, compressed and cut off somewhere. How is decided by the content, so that a failure is repeatable."""

    def read(file: BinaryIO, name: str) -> Reading:
        content = file.read()
        number = zlib.crc32(content)
        compressed = gzip.compress(content, 1) if number % 2 else zstandard.compress(content)
        return kind.read(decompress(io.BytesIO(compressed[: number % (len(compressed) + 1)])), name)

    return kind._replace(name=f"truncated {kind.name}", read=read, share=0.03)


def _read_log(file: BinaryIO, name: str) -> Reading:
    return read_log_file(file, name, timezone="America/New_York", delivery_day=RECORDED_ON)


def _recorded(pattern: str) -> Iterator[bytes]:
    for path in sorted(RECORDED.glob(pattern)):
        with path.open("rb") as file:
            yield decompress(file).read()


def _split(pattern: str, separator: "re.Pattern[bytes]") -> list[bytes]:
    return [piece for content in _recorded(pattern) for piece in re.split(separator, content) if piece.strip()]


def _lines(pattern: str) -> list[bytes]:
    return _split(pattern, _LINE)


def _entries(pattern: str, start: bytes) -> list[bytes]:
    entries = _split(pattern, re.compile(start))
    return [entry for entry in entries if b"oordinator" in entry or b"onsumer" in entry]


def _table(pattern: str, file_name: str) -> tuple[list[bytes], int, float, str, bytes]:
    lines = _lines(pattern)
    header = next(line for line in lines if line.startswith(b"GROUP "))
    return lines, 8, 0.04, file_name, header


def _lag_metrics() -> list[bytes]:
    return [line for line in _lines("*/metrics/*/*") if b"{" in line and (b"offset" in line or b"lag" in line)]


def _as_json(entries: Sequence[bytes]) -> Iterator[bytes]:
    for entry in entries:
        match = re.match(r"(\S+ \S+) (\w+) +\[(.*?)\] (\S+) - (.*)", entry.decode(), re.DOTALL)
        if match:
            time, level, thread, logger, message = match.groups()
            names = {"@timestamp": time, "level": level, "thread_name": thread, "logger_name": logger}
            yield json.dumps({**names, "message": message.rstrip()}).encode() + b"\n"
