"""The recorded logs with their journals, and a function that reads a log for tests."""

import io
import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import zstandard

from kafka_telemetry.formats.logs.log_line import LOG_LINE
from kafka_telemetry.formats.logs.log_reader import read_log_file
from kafka_telemetry.formats.receipt import Receipt

RECORDED = Path(__file__).parents[1] / "recorded"
RECORDINGS = ("kafka-3.9", "kafka-3.9-lag-exporter", "kafka-4.3")
RECORDED_ON = date(2026, 11, 18)


def broker_log(recording: str) -> str:
    return _text(RECORDED / recording / "broker" / "server.log.zst")


def client_logs(recording: str) -> dict[str, str]:
    return {path.parent.name: _text(path) for path in sorted((RECORDED / recording / "clients").glob("*/*.zst"))}


def groups_in_truth(recording: str) -> dict[str, Any]:
    groups: dict[str, Any] = json.loads((RECORDED / recording / "truth.json").read_text())["groups"]
    return groups


def journal(recording: str) -> list[dict[str, Any]]:
    """What the applications themselves recorded, in order."""
    return [json.loads(line) for line in _text(RECORDED / recording / "truth.jsonl.zst").splitlines()]


def _text(path: Path) -> str:
    return zstandard.ZstdDecompressor().stream_reader(path.read_bytes()).read().decode()


def read_log(
    text: str | bytes,
    *,
    timezone: str = "UTC",
    delivery_day: date = RECORDED_ON,
    patterns: Mapping[str, str] | None = None,
    **options: Any,
) -> tuple[list[dict[str, Any]], Receipt]:
    """Returns the rows in the order of the file, with maps as dicts, and the receipt."""
    content = text if isinstance(text, bytes) else text.encode()
    batches = read_log_file(
        io.BytesIO(content), "app.log", timezone=timezone, delivery_day=delivery_day, patterns=patterns or {}, **options
    )
    rows: list[dict[str, Any]] = []
    while True:
        try:
            batch = next(batches)
        except StopIteration as end:
            return sorted(rows, key=lambda row: row["source_position"]), end.value
        assert batch.schema.equals(LOG_LINE)
        rows += [_with_dicts(row) for row in pa.Table.from_batches([batch]).to_pylist()]


def _with_dicts(row: dict[str, Any]) -> dict[str, Any]:
    return row | {name: None if row[name] is None else dict(row[name]) for name in ("details", "settings")}
