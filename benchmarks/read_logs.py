"""Reads 200 MB of broker logs and of client logs, 5 % of the entries relevant, beside a plain loop over the same lines.

The loop is what one would write with `re`: it matches each line against the pattern of its layout and, if its message has
the prefix of a coordinator or a consumer, against the same message templates one after another. It builds a row of the
captured fields and does less than the reader: no reasons, no missing groups, no other layouts. Processor time, best of 3.

    python -m benchmarks.read_logs [megabytes]
"""

import io
import re
import sys
import time
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from functools import partial
from typing import NamedTuple

import pyarrow as pa

from benchmarks.sample_logs import BROKER_LOGS, CLIENT_LOGS, RELEVANT_SHARE, LogKind, mixed_entries, recorded_entries
from kafka_telemetry.formats.logs.log_reader import read_log_file
from kafka_telemetry.formats.logs.message_template import MessageTemplate
from kafka_telemetry.formats.logs.templates.broker_templates import BROKER_TEMPLATES
from kafka_telemetry.formats.logs.templates.java_client_templates import CLIENT_TEMPLATES

ROUNDS = 3
TIME = r"(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3})"


class PlainPatterns(NamedTuple):
    """What the plain loop matches."""

    line: re.Pattern[str]
    prefix: re.Pattern[str]
    templates: Iterable[MessageTemplate]


BROKER_PATTERNS = PlainPatterns(
    re.compile(rf"\[{TIME}\] (?P<level>[A-Z]+) (?P<message>.*) \((?P<logger>[\w.$]+)\)$"),
    re.compile(r"\[Group(?:Coordinator|MetadataManager)[^\]]*\]:? (?P<body>.*)$"),
    BROKER_TEMPLATES,
)
CLIENT_PATTERNS = PlainPatterns(
    re.compile(rf"{TIME} (?P<level>[A-Z]+) +\[(?P<thread>[^\]]*)\] (?P<logger>[\w.$]+) - (?P<message>.*)$"),
    re.compile(r"\[Consumer (?:instanceId=.*?, )?clientId=(?P<client>.*?), groupId=(?P<group>.*?)\] (?P<body>.*)$"),
    CLIENT_TEMPLATES,
)


def read_with_reader(text: bytes) -> int:
    batches = read_log_file(io.BytesIO(text), "server.log", timezone="UTC", delivery_day=date(2026, 11, 18))
    return sum(batch.num_rows for batch in batches)


def read_with_loop(patterns: PlainPatterns, text: bytes) -> int:
    templates = [(template.event, re.compile(template.pattern.removeprefix("(?s)"))) for template in patterns.templates]
    rows: list[dict[str, object]] = []
    entry: dict[str, object] = {}
    for line in io.TextIOWrapper(io.BytesIO(text)):
        if not (line_match := patterns.line.match(line)):
            entry["text"] = f"{entry.get('text', '')}{line}"
            continue
        entry = line_match.groupdict()
        if not (prefix_match := patterns.prefix.match(line_match["message"])):
            continue
        for event, pattern in templates:
            if fields := pattern.match(prefix_match["body"]):
                happened_at = datetime.fromisoformat(line_match["time"]).replace(tzinfo=UTC)
                rows.append(
                    entry | prefix_match.groupdict() | fields.groupdict() | {"event": event, "happened_at": happened_at}
                )
                break
    return len(rows)


def entries_per_second(name: str, read: Callable[[bytes], int], text: bytes, count: int) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        started = time.process_time()
        rows = read(text)
        best = min(best, time.process_time() - started)
    print(f"  {name:<22}{len(text) / best / 1e6:8.0f} MB/s {count / best:12,.0f} entries/s {rows:10,} rows")
    return count / best


def compare(kind: LogKind, patterns: PlainPatterns, megabytes: int) -> None:
    entries = list(mixed_entries(*recorded_entries(kind), megabytes * 1_000_000))
    text, count = "".join(entries).encode(), len(entries)
    lines = text.count(b"\n")
    print(
        f"{kind.name} logs: {len(text) / 1e6:.0f} MB, {count:,} entries in {lines:,} lines, one in {RELEVANT_SHARE} "
        "relevant, one core"
    )
    reader = entries_per_second("reader", read_with_reader, text, count)
    loop = entries_per_second("a plain loop with re", partial(read_with_loop, patterns), text, count)
    print(f"  ratio                 {reader / loop:8.1f}")


def main() -> None:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    pa.set_cpu_count(1)
    compare(BROKER_LOGS, BROKER_PATTERNS, megabytes)
    compare(CLIENT_LOGS, CLIENT_PATTERNS, megabytes)


if __name__ == "__main__":
    main()
