"""Runs the step that sends alerts in processes of their own, and kills them at a point of the test's choice.

    python -m support.killed_alerts <webhook> <mail>

For each line `<number> <lake>` of the standard input a process runs the step. It ends, as if killed, when functions that
write and send have been entered or left for that number of times; 0: never. The answer is one line: its exit code, and how
often they were. Processes are forked, so that each starts with everything imported.
"""

import datetime as dt
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import deltalake
import duckdb
import pyarrow

from spark_jobs.alerts.alert_settings import AlertSettings, Channel
from spark_jobs.alerts.alert_step import Occasion, run_alerts
from spark_jobs.settings import load

IMPORTED = (deltalake, duckdb, pyarrow)
# Where a kill makes a difference.
_FILES = ("alert_step.py", "alert_store.py", "delivery.py", "webhook.py", "apprise_channel.py", "small_tables.py")
NOW = dt.datetime(2026, 3, 2, 12, tzinfo=dt.UTC)


def main(webhook: str, mail: str) -> None:
    channels = {"hook": Channel(webhook=webhook), "mail": Channel(url=mail)}
    for line in sys.stdin:
        last, _, lake = line.rstrip("\n").partition(" ")
        reader, writer = os.pipe()
        process = os.fork()
        if process == 0:
            os.write(writer, str(run(lake, channels, int(last))).encode())
            os._exit(0)
        os.close(writer)
        points = os.read(reader, 100).decode()
        os.close(reader)
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), points, flush=True)


def run(lake: str, channels: dict[str, Channel], last: int) -> int:
    loaded = load(lake=lake, environment={})
    settings = replace(loaded, alerts=AlertSettings(loaded.alerts.conditions, channels, {}))
    points = 0
    lock = threading.Lock()

    def count(frame: Any, event: str, _: Any) -> None:
        nonlocal points
        if event in ("call", "return") and frame.f_code.co_filename.endswith(_FILES):
            with lock:
                points += 1
                if points == last:
                    os._exit(9)

    hook: Callable[..., None] = count
    threading.setprofile(hook)
    sys.setprofile(hook)
    run_alerts(settings, Occasion(now=NOW))
    sys.setprofile(None)
    return points


if __name__ == "__main__":
    main(*sys.argv[1:3])
