"""Reads 200 MB of broker and of client logs, 5 % of the entries relevant, and says how fast beside a plain loop, in processor time.

The loop is what one would write with `re`: each line against the pattern of its layout, then, where the logger is one of
a coordinator or the message begins with a consumer's prefix, against the same wordings one after another.

    python -m benchmarks.read_logs [megabytes]
"""

import io
import re
import sys
import time
from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path

import pyarrow as pa
import zstandard

from spark_jobs.wire.broker_events import BROKER_TEMPLATES
from spark_jobs.wire.client_events import CLIENT_TEMPLATES
from spark_jobs.wire.log_format import read_log_file

RECORDED = Path(__file__).parents[1] / "tests" / "recorded"
SHARE = 20  # one entry in so many is relevant
KAFKA = re.compile(r"\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3})\] ([A-Z]+) (.*) \(([\w.$]+)\)$")
LOG4J = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) ([A-Z]+) +\[([^\]]*)\] ([\w.$]+) - (.*)$")
BROKER_PREFIX = re.compile(r"\[Group(?:Coordinator|MetadataManager)[^\]]*\]:? (.*)$")
CLIENT_PREFIX = re.compile(r"\[Consumer (?:instanceId=.*?, )?clientId=(.*?), groupId=(.*?)\] (.*)$")


def entries(names: Iterable[str], head: str) -> tuple[list[str], list[str]]:
    """The relevant ones and the others of the recorded files."""
    relevant, others = [], []
    for name in names:
        text = zstandard.ZstdDecompressor().stream_reader((RECORDED / name).read_bytes()).read().decode()
        for entry in re.split(rf"(?m)^(?={head})", text):
            if "coordinator.group" in entry or "[Consumer " in entry:
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


def plain_broker(text: bytes) -> int:
    patterns = [re.compile(re.sub(r"^\(\?s\)", "", template.pattern)) for template in BROKER_TEMPLATES]
    found = 0
    for line in io.TextIOWrapper(io.BytesIO(text)):
        if (frame := KAFKA.match(line)) and "oordinator" in frame[4]:
            body = prefix[1] if (prefix := BROKER_PREFIX.match(frame[3])) else frame[3]
            found += any(pattern.match(body) for pattern in patterns)
    return found


def plain_client(text: bytes) -> int:
    patterns = [re.compile(re.sub(r"^\(\?s\)", "", template.pattern)) for template in CLIENT_TEMPLATES]
    found = 0
    for line in io.TextIOWrapper(io.BytesIO(text)):
        if (frame := LOG4J.match(line)) and (prefix := CLIENT_PREFIX.match(frame[5])):
            found += any(pattern.match(prefix[3]) for pattern in patterns)
    return found


def timed(what: str, read: Callable[[bytes], int], text: bytes, count: int) -> float:
    began = time.process_time()
    rows = read(text)
    seconds = time.process_time() - began
    print(f"  {what:<22}{len(text) / seconds / 1e6:8.0f} MB/s {count / seconds:12,.0f} entries/s {rows:10,} events")
    return count / seconds


def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    pa.set_cpu_count(1)
    brokers = [f"{recording}/broker/server.log.zst" for recording in ("kafka-3.9", "kafka-4.3")]
    log4j = ("archive-verifier-1", "inventory-sync-1", "loyalty-points", "shipping-eta-1", "telemetry-rollup")
    clients = [f"kafka-4.3/clients/{app}/app.log.zst" for app in (*log4j, "warehouse-sync", "rates-cache-1")]
    columns(b"[2026-11-18 10:00:00,000] INFO x (a.B)\n")  # compiled, and kept for the next run
    for name, files, head, plain in (
        ("broker logs", brokers, r"\[\d{4}-", plain_broker),
        ("client logs", clients, r"\d{4}-", plain_client),
    ):
        text, count = multiplied(*entries(files, head), size * 1_000_000)
        lines = text.count(b"\n")
        print(f"{name}: {len(text) / 1e6:.0f} MB, {count:,} entries in {lines:,} lines, one in {SHARE} relevant, one core")
        ratio = timed("columns", columns, text, count) / timed("a plain loop with re", plain, text, count)
        print(f"  ratio                 {ratio:8.1f}")


if __name__ == "__main__":
    main()
