"""Log files of any size, multiplied from the recorded logs: one entry in RELEVANT_SHARE is relevant."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import zstandard

RECORDED = Path(__file__).parents[1] / "tests" / "recorded"
RELEVANT_SHARE = 20


class LogKind(NamedTuple):
    name: str
    files: tuple[str, ...]
    entry_start: str
    """A pattern of the characters with which each entry begins."""


_APPS = ("archive-verifier-1", "inventory-sync-1", "loyalty-points", "shipping-eta-1", "telemetry-rollup")
BROKER_LOGS = LogKind(
    "broker", tuple(f"{recording}/broker/server.log.zst" for recording in ("kafka-3.9", "kafka-4.3")), r"\[\d{4}-"
)
CLIENT_LOGS = LogKind(
    "client",
    tuple(f"kafka-4.3/clients/{app}/app.log.zst" for app in (*_APPS, "warehouse-sync", "rates-cache-1")),
    r"\d{4}-",
)


def recorded_entries(kind: LogKind) -> tuple[list[str], list[str]]:
    """Returns the relevant entries of the recorded files, and the others."""
    relevant, others = [], []
    for name in kind.files:
        text = zstandard.ZstdDecompressor().stream_reader((RECORDED / name).read_bytes()).read().decode()
        for entry in re.split(rf"(?m)^(?={kind.entry_start})", text):
            if "coordinator.group" in entry or ("[Consumer " in entry and "internals" in entry):
                relevant.append(entry)
            elif entry.strip() and "oordinator" not in entry and "onsumer" not in entry:
                others.append(entry)
    return relevant, others


def mixed_entries(relevant: Sequence[str], others: Iterable[str], size: int) -> Iterator[str]:
    """Repeats the entries up to about `size` characters."""
    written = count = 0
    while written < size:
        for entry in others:
            chosen = relevant[count // RELEVANT_SHARE % len(relevant)] if count % RELEVANT_SHARE == 0 else entry
            written += len(chosen)
            count += 1
            yield chosen
