"""Reads 200 MB of broker and of client logs, 5 % of the entries relevant, beside a plain loop over the same lines.

The loop is what one would write with `re`: each line against the pattern of its layout, then, where its message begins
with the prefix of a coordinator or a consumer, against the same wordings one after another. It makes a row of what it
captures, and does less than the columns do: no reasons, no owners, no other layouts. Processor time, the best of three.

    python -m benchmarks.read_logs [megabytes]
"""

import io
import re
import sys
import time
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from pathlib import Path

import pyarrow as pa
import zstandard

from kafka_telemetry.formats.logs.log_reader import read_log_file
from kafka_telemetry.formats.logs.message_template import MessageTemplate
from kafka_telemetry.formats.logs.templates.broker_templates import BROKER_TEMPLATES
from kafka_telemetry.formats.logs.templates.java_client_templates import CLIENT_TEMPLATES

RECORDED = Path(__file__).parents[1] / "tests" / "recorded"
ROUNDS = 3
SHARE = 20  # one entry in so many is relevant
TIME = r"(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3})"
KAFKA = re.compile(rf"\[{TIME}\] (?P<level>[A-Z]+) (?P<message>.*) \((?P<logger>[\w.$]+)\)$")
LOG4J = re.compile(rf"{TIME} (?P<level>[A-Z]+) +\[(?P<thread>[^\]]*)\] (?P<logger>[\w.$]+) - (?P<message>.*)$")
BROKER_PREFIX = re.compile(r"\[Group(?:Coordinator|MetadataManager)[^\]]*\]:? (?P<body>.*)$")
CLIENT_PREFIX = re.compile(
    r"\[Consumer (?:instanceId=.*?, )?clientId=(?P<client>.*?), groupId=(?P<group>.*?)\] (?P<body>.*)$"
)


def entries(names: Iterable[str], head: str) -> tuple[list[str], list[str]]:
    """The relevant ones and the others of the recorded files."""
    relevant, others = [], []
    for name in names:
        text = zstandard.ZstdDecompressor().stream_reader((RECORDED / name).read_bytes()).read().decode()
        for entry in re.split(rf"(?m)^(?={head})", text):
            if "coordinator.group" in entry or ("[Consumer " in entry and "internals" in entry):
                relevant.append(entry)
            elif entry.strip() and "oordinator" not in entry and "onsumer" not in entry:
                others.append(entry)
    return relevant, others


def multiplied(relevant: list[str], others: list[str], size: int) -> tuple[bytes, int]:
    out, written, count = [], 0, 0
    while written < size:
        for entry in others:
            one = relevant[count // SHARE % len(relevant)] if count % SHARE == 0 else entry
            out.append(one)
            written += len(one)
            count += 1
    return "".join(out).encode(), count


def columns(text: bytes) -> int:
    batches = read_log_file(io.BytesIO(text), "server.log", timezone="UTC", delivery_day=date(2026, 11, 18))
    return sum(batch.num_rows for batch in batches)


def plain(text: bytes, frame: re.Pattern[str], prefix: re.Pattern[str], templates: Iterable[MessageTemplate]) -> int:
    known = [(template.event, re.compile(template.pattern.removeprefix("(?s)"))) for template in templates]
    rows: list[dict[str, object]] = []
    entry: dict[str, object] = {}
    for line in io.TextIOWrapper(io.BytesIO(text)):
        if not (found := frame.match(line)):
            entry["text"] = f"{entry.get('text', '')}{line}"
            continue
        entry = found.groupdict()
        if not (inside := prefix.match(str(entry["message"]))):
            continue
        for event, pattern in known:
            if said := pattern.match(inside["body"]):
                happened_at = datetime.fromisoformat(found["time"]).replace(tzinfo=UTC)
                rows.append(
                    entry | inside.groupdict() | said.groupdict() | {"event": event, "happened_at": happened_at}
                )
                break
    return len(rows)


def plain_broker(text: bytes) -> int:
    return plain(text, KAFKA, BROKER_PREFIX, BROKER_TEMPLATES)


def plain_client(text: bytes) -> int:
    return plain(text, LOG4J, CLIENT_PREFIX, CLIENT_TEMPLATES)


def timed(what: str, read: Callable[[bytes], int], text: bytes, count: int) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        began = time.process_time()
        rows = read(text)
        best = min(best, time.process_time() - began)
    print(f"  {what:<22}{len(text) / best / 1e6:8.0f} MB/s {count / best:12,.0f} entries/s {rows:10,} rows")
    return count / best


def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    pa.set_cpu_count(1)
    brokers = [f"{recording}/broker/server.log.zst" for recording in ("kafka-3.9", "kafka-4.3")]
    log4j = ("archive-verifier-1", "inventory-sync-1", "loyalty-points", "shipping-eta-1", "telemetry-rollup")
    clients = [f"kafka-4.3/clients/{app}/app.log.zst" for app in (*log4j, "warehouse-sync", "rates-cache-1")]
    for name, files, head, plain in (
        ("broker logs", brokers, r"\[\d{4}-", plain_broker),
        ("client logs", clients, r"\d{4}-", plain_client),
    ):
        text, count = multiplied(*entries(files, head), size * 1_000_000)
        lines = text.count(b"\n")
        print(
            f"{name}: {len(text) / 1e6:.0f} MB, {count:,} entries in {lines:,} lines, one in {SHARE} relevant, one core"
        )
        ratio = timed("columns", columns, text, count) / timed("a plain loop with re", plain, text, count)
        print(f"  ratio                 {ratio:8.1f}")


if __name__ == "__main__":
    main()
