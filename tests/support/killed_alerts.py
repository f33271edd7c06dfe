"""Runs the step that sends alerts in processes of their own, and kills them where they write or send.

    python -m support.killed_alerts

Each line of the standard input is a JSON object: `lake`, `channels` (a webhook or a URL by name) and `kill`, the point at which
the process gets SIGKILL; null: never. The answer is one line: its exit code, and the points that it passed. Processes are
forked, and each starts with everything imported that one before it needed.

A point is a function that writes or sends, `call` or `return`, and how often it was reached; or, while Delta commits, a
number of milliseconds after the call.
"""

import contextlib
import datetime as dt
import importlib
import json
import os
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from spark_jobs.alerts.alert_settings import AlertSettings, Channel
from spark_jobs.alerts.alert_step import Occasion, run_alerts
from spark_jobs.settings import load

NOW = dt.datetime(2026, 3, 2, 12, tzinfo=dt.UTC)
# Of our own code, and of C or Rust: what a process does to a table, a file or a connection.
_OURS = frozenset(("Acknowledged.add", "Acknowledged.clear", "LocalTables.replace", "post", "AppriseChannel.send"))
_FOREIGN = frozenset(
    (
        "create_deltalake",
        "RawDeltaTable.write",
        "socket.connect",
        "socket.sendall",
        "socket.recv_into",
        "write",
        "unlink",
    )
)
_COMMIT = "RawDeltaTable.write"
_MILLISECONDS = (1, 2, 4, 8, 16)


def main() -> None:
    for line in sys.stdin:
        task = json.loads(line)
        reader, writer = os.pipe()
        process = os.fork()
        if process == 0:
            os.close(reader)
            with os.fdopen(writer, "w") as answer:
                json.dump([run(task), list(sys.modules)], answer)
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as answer:
            points, modules = json.loads(answer.read() or "[[], []]")
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        for module in modules:
            with contextlib.suppress(ImportError):
                importlib.import_module(module)
        print(json.dumps({"code": code, "points": points}), flush=True)


def run(task: dict[str, Any]) -> list[str]:
    loaded = load(lake=task["lake"], environment={})
    channels = {
        name: Channel(webhook=url) if url.startswith("http") else Channel(url=url)
        for name, url in task["channels"].items()
    }
    settings = replace(loaded, alerts=AlertSettings(loaded.alerts.conditions, channels, {}))
    reached, points, lock = Counter[tuple[str, str]](), list[str](), threading.Lock()

    def count(frame: Any, event: str, argument: Any) -> None:
        name = argument.__qualname__ if event.startswith("c_") else frame.f_code.co_qualname
        if name in (_FOREIGN if event.startswith("c_") else _OURS):
            with lock:
                reach(name, "call" if event.endswith("call") else "return")

    def reach(name: str, event: str) -> None:
        reached[name, event] += 1
        point = f"{name} {event} {reached[name, event]}"
        points.append(point)
        if point == task["kill"]:
            os.kill(os.getpid(), signal.SIGKILL)
        if (name, event) == (_COMMIT, "call"):
            points.extend(f"{point} {milliseconds} ms" for milliseconds in _MILLISECONDS)
            if task["kill"] and task["kill"].startswith(f"{point} "):
                kill_after(int(task["kill"].split()[-2]))
        elif (name, event) == (_COMMIT, "return"):
            signal.setitimer(signal.ITIMER_REAL, 0)

    hook: Callable[..., None] = count
    threading.setprofile(hook)
    sys.setprofile(hook)
    run_alerts(settings, Occasion(now=NOW))
    sys.setprofile(None)
    return points


def kill_after(milliseconds: int) -> None:
    """The kernel ends the process, whatever it does then."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, milliseconds / 1000)


if __name__ == "__main__":
    main()
