"""Two small days as a cluster delivers them, the same bytes and times whenever they are written: lakes of earlier versions were
built from them."""

import datetime as dt
import os
from pathlib import Path

import zstandard

from benchmarks.days import RECORDING, deliver_day

CLUSTER = "recorded"
DAYS = (dt.date(2026, 11, 18), dt.date(2026, 11, 19))
# All groups of one partition of __consumer_offsets, the first and the last lag reports, and the logs of three of the groups.
_REPORTS = ("describe-offsets", "describe-members", "describe-state", "end-offsets", "start-offsets")
_REPORT_TIMES = ("112800Z", "113229Z")
_APPS = ("orders-audit", "payments-enricher", "email-dispatch-1", "email-dispatch-2")


def deliver_two_days(landing: Path) -> Path:
    for number, day in enumerate(DAYS):
        deliver_day(number, landing, cluster=CLUSTER, include=is_delivered)
        for app in _APPS:
            packed = (RECORDING / "clients" / app / "app.log.zst").read_bytes()
            log = zstandard.ZstdDecompressor().stream_reader(packed).read().decode("utf-8")
            path = landing / "group_logs" / f"cluster={CLUSTER}" / f"date={day}" / app / "app.log"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(log.replace(str(DAYS[0]), str(day)), "utf-8")
    for path in landing.rglob("*"):
        at = dt.datetime(2026, 11, 20, tzinfo=dt.UTC).timestamp()
        os.utime(path, (at, at))
    return landing


def is_delivered(file: Path) -> bool:
    if "offsets-raw" in file.parts:
        return "at-120s" not in file.parts and file.parent.name == "__consumer_offsets-2"
    return file.name.startswith(_REPORTS) and any(at in file.name for at in _REPORT_TIMES)
