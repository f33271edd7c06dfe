"""Day k of a recording: every time + k days, every offset and generation + k times the last one, delivered on that day."""

import datetime as dt
import re
from pathlib import Path

import zstandard

from kafka_telemetry.formats.segments.segment_shift import shift_segment

RECORDING = Path(__file__).parent.parent / "tests" / "recorded" / "kafka-4.3"
FIRST = dt.date(2026, 11, 18)

# Above the last offset and generation of the recording, so that days never overlap.
_OFFSETS = 5_000
_GENERATIONS = 100


def deliver_day(number: int, landing: Path, *, cluster: str = "recorded") -> dt.date:
    """Writes the delivery of day `number` (from 0): the final copies of the log, and the reports."""
    day = FIRST + dt.timedelta(number)
    moved = dt.timedelta(number) // dt.timedelta(milliseconds=1)
    for file in sorted((RECORDING / "offsets-raw").rglob("*.log*")):
        place = (
            landing
            / "offset_dumps"
            / f"cluster={cluster}"
            / f"date={day}"
            / file.relative_to(RECORDING / "offsets-raw")
        )
        base = re.match(r"\d+", file.name)
        assert base is not None
        name = f"{int(base[0]) + number * _OFFSETS:020}{file.name[20:].removesuffix('.zst')}"
        _write(
            place.with_name(name),
            shift_segment(
                _unpacked(file), milliseconds=moved, offsets=number * _OFFSETS, generations=number * _GENERATIONS
            ),
        )
    for file in sorted((RECORDING / "lag").iterdir()):
        name = re.sub(r"\d{8}(?=T\d{6}Z)", f"{day:%Y%m%d}", file.name)
        _write(
            landing / "lag_metrics" / f"cluster={cluster}" / f"date={day}" / name.removesuffix(".zst"), _unpacked(file)
        )
    return day


def _unpacked(file: Path) -> bytes:
    raw = file.read_bytes()
    return zstandard.ZstdDecompressor().stream_reader(raw).read() if file.suffix == ".zst" else raw


def _write(place: Path, content: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
