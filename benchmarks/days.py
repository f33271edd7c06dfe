"""A recording delivered on other days: on day k with every time k days later, and higher offsets and generations."""

import datetime as dt
import re
from collections.abc import Callable
from pathlib import Path

import zstandard

from kafka_telemetry.formats.segments.segment_shift import shift_segment

RECORDING = Path(__file__).parent.parent / "tests" / "recorded" / "kafka-4.3"
FIRST = dt.date(2026, 11, 18)

# Added per day; above the last offset and generation of the recording, so that days never overlap.
_OFFSETS_PER_DAY = 5_000
_GENERATIONS_PER_DAY = 100


def deliver_day(
    number: int,
    landing: Path,
    *,
    cluster: str = "recorded",
    include: Callable[[Path], bool] = lambda _: True,
    first: dt.date = FIRST,
) -> dt.date:
    """Writes the delivery of day `number` (from 0, which is `first`): all copies of the segments and the lag reports that
    pass `include`, which takes their path in the recording. Returns the day."""
    day = first + dt.timedelta(number)
    later_by_ms = (day - FIRST) // dt.timedelta(milliseconds=1)
    offsets, generations = number * _OFFSETS_PER_DAY, number * _GENERATIONS_PER_DAY
    dumps = landing / "offset_dumps" / f"cluster={cluster}" / f"date={day}"
    for file in filter(include, sorted((RECORDING / "offsets-raw").rglob("*.log*"))):
        base_offset = re.match(r"\d+", file.name)
        assert base_offset is not None
        name = f"{int(base_offset[0]) + offsets:020}{file.name[20:].removesuffix('.zst')}"
        shifted = shift_segment(_unpacked(file), milliseconds=later_by_ms, offsets=offsets, generations=generations)
        _write(dumps / file.relative_to(RECORDING / "offsets-raw").with_name(name), shifted)
    reports = landing / "lag_metrics" / f"cluster={cluster}" / f"date={day}"
    for file in filter(include, sorted((RECORDING / "lag").iterdir())):
        name = re.sub(r"\d{8}(?=T\d{6}Z)", f"{day:%Y%m%d}", file.name)
        _write(reports / name.removesuffix(".zst"), _unpacked(file))
    return day


def _unpacked(file: Path) -> bytes:
    content = file.read_bytes()
    return zstandard.ZstdDecompressor().stream_reader(content).read() if file.suffix == ".zst" else content


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
