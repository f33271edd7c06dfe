"""What the journal of a recording proves: when partitions were not read, and which records were polled twice or never."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import zstandard

RECORDED = Path(__file__).parents[1] / "tests" / "recorded"
RECORDINGS = ("kafka-3.9", "kafka-3.9-lag-exporter", "kafka-4.3")

Entry = dict[str, Any]
# (group, topic-partition)
Partition = tuple[str, str]


class JournalStart(NamedTuple):
    """A partition was assigned to a consumer. Times are milliseconds since 1970."""

    partition: Partition
    at: int
    # How the reader before stopped: revoked, close, kill or lost; null: nobody had read it.
    stopped_by: str | None
    unread_ms: int


def journal_entries(recording: str) -> list[Entry]:
    with zstandard.open(RECORDED / recording / "truth.jsonl.zst", "rt", encoding="utf-8") as lines:
        return sorted(map(json.loads, lines), key=lambda entry: entry["ts"])


def journal_starts(entries: Iterable[Entry]) -> Iterator[JournalStart]:
    """Each partition that a callback assigned, with the time since it was revoked, closed or its process killed. A
    consumer that reads on beside the next one leaves nothing unread."""
    owned: dict[tuple[str, str, str | None], set[str]] = defaultdict(set)
    stops: dict[Partition, tuple[int, str]] = {}
    for entry in entries:
        event, group = entry["event"], entry["group"]
        consumer = group, entry["app"], entry.get("client")
        if event == "assigned":
            for name in entry["partitions"]:
                is_read = any(name in partitions for other, partitions in owned.items() if other[0] == group)
                stop = None if is_read else stops.get((group, name))
                stopped_by = "lost" if is_read else (stop[1] if stop else None)
                yield JournalStart((group, name), entry["ts"], stopped_by, entry["ts"] - stop[0] if stop else 0)
                owned[consumer].add(name)
        elif event in ("revoked", "lost"):
            for name in entry["partitions"]:
                owned[consumer].discard(name)
                stops[group, name] = entry["ts"], event
        elif event in ("close", "kill"):
            ended = [key for key in owned if key == consumer or (event == "kill" and key[:2] == consumer[:2])]
            for name in [name for key in ended for name in owned.pop(key)]:
                stops[group, name] = entry["ts"], event


class PolledRecords(NamedTuple):
    """By group."""

    twice: Counter[str]
    never: Counter[str]


def polled_records(entries: Iterable[Entry]) -> PolledRecords:
    """Records that a group polled more than once, and those between polled ones that it never polled."""
    polls: dict[Partition, Counter[int]] = defaultdict(Counter)
    for entry in entries:
        if entry["event"] == "poll":
            for name, first in (entry.get("first") or {}).items():
                polls[entry["group"], name].update(range(first, entry["position"][name]))
    twice: Counter[str] = Counter()
    never: Counter[str] = Counter()
    for (group, _), times in polls.items():
        if times:
            twice[group] += times.total() - len(times)
            never[group] += max(times) - min(times) + 1 - len(times)
    return PolledRecords(twice, never)
