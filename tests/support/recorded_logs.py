"""The recorded logs, and a reading of them: what the tests of the log readers share."""

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


def unpacked(path: Path) -> bytes:
    return zstandard.ZstdDecompressor().stream_reader(path.read_bytes()).read()


def broker_log(recording: str) -> str:
    return unpacked(RECORDED / recording / "broker" / "server.log.zst").decode()


def client_logs(recording: str) -> dict[str, str]:
    return {
        path.parent.name: unpacked(path).decode() for path in sorted((RECORDED / recording / "clients").glob("*/*.zst"))
    }


def groups_in_truth(recording: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RECORDED / recording / "truth.json").read_text())["groups"]
    return found


def journal(recording: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in unpacked(RECORDED / recording / "truth.jsonl.zst").decode().splitlines()]


def reading(
    text: str | bytes,
    *,
    timezone: str = "UTC",
    delivery_day: date = RECORDED_ON,
    patterns: Mapping[str, str] | None = None,
    **more: Any,
) -> tuple[list[dict[str, Any]], Receipt]:
    """The rows in the order of the file, maps as dicts, and the receipt."""
    content = text if isinstance(text, bytes) else text.encode()
    batches = read_log_file(
        io.BytesIO(content), "app.log", timezone=timezone, delivery_day=delivery_day, patterns=patterns or {}, **more
    )
    rows: list[dict[str, Any]] = []
    while True:
        try:
            batch = next(batches)
        except StopIteration as end:
            return sorted(rows, key=lambda row: row["source_position"]), end.value
        assert batch.schema.equals(LOG_LINE)
        rows += [_as_dicts(row) for row in pa.Table.from_batches([batch]).to_pylist()]


def _as_dicts(row: dict[str, Any]) -> dict[str, Any]:
    return row | {name: None if row[name] is None else dict(row[name]) for name in ("details", "settings")}
