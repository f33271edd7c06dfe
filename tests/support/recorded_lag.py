"""The recorded outputs of lag tools, and readers that are run to the end."""

import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import zstandard

from kafka_telemetry.formats.lag.lag_reader import read_lag_file
from kafka_telemetry.formats.lag.lag_reading import LAG_READING
from kafka_telemetry.formats.receipt import Reading, Receipt

RECORDED = Path(__file__).parents[1] / "recorded"
Row = dict[str, Any]


def recorded_files(pattern: str) -> list[tuple[str, bytes]]:
    """Names and contents of the files under tests/recorded that match; at least one."""
    files = [(str(path.relative_to(RECORDED)), path.read_bytes()) for path in sorted(RECORDED.glob(pattern))]
    assert files, f"nothing recorded matches {pattern}"
    return [
        (name.removesuffix(".zst"), zstandard.decompress(content) if name.endswith(".zst") else content)
        for name, content in files
    ]


def run_reader(reading: Reading) -> tuple[list[Row], Receipt]:
    """All rows, without null values, and the receipt, whose counts must add up."""
    batches = []
    while True:
        try:
            batches.append(next(reading))
        except StopIteration as end:
            receipt: Receipt = end.value
            break
    assert all(batch.schema == LAG_READING for batch in batches)
    assert receipt.records == receipt.understood + receipt.not_understood + receipt.ignored
    rows = pa.Table.from_batches(batches, LAG_READING).to_pylist()
    return [{key: _plain(key, value) for key, value in row.items() if value is not None} for row in rows], receipt


def read_lag(content: str | bytes, name: str = "x-20260131T120000Z.txt", **options: Any) -> tuple[list[Row], Receipt]:
    encoded = content.encode() if isinstance(content, str) else content
    return run_reader(read_lag_file(io.BytesIO(encoded), name, **options))


def select(rows: list[Row], *columns: str) -> list[tuple[Any, ...]]:
    """The values of these columns in each row, None where a row has no value."""
    return [tuple(row.get(column) for column in columns) for row in rows]


def select_kind(rows: list[Row], kind: str) -> list[Row]:
    return [row for row in rows if row["kind"] == kind]


def _plain(key: str, value: Any) -> Any:
    if key == "details":
        return dict(value)
    return value.strftime("%Y-%m-%dT%H:%M:%S.%f")[:23] if key == "sampled_at" else value
