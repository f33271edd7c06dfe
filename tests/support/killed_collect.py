"""Runs `lagoon collect` in processes of their own, and kills each where it writes.

    python -m support.killed_collect

Each line of the standard input is a JSON object: `words` after `lagoon collect`, and `kill`, the number of the point at which
the process gets SIGKILL; null: never. The answer is one line: its exit code. Processes are forked, and each starts with
everything imported. A point is the call or the return of a function that changes a file.
"""

import json
import os
import re
import signal
import sys
from typing import Any

from spark_jobs.cli import app
from spark_jobs.collect import collection

# Of the operating system, and of files that are open to be written.
_CHANGES = frozenset(("open", "replace", "mkdir", "fsync", "utime"))
_WRITES = re.compile(r"Buffered(Writer|Random)\.(write|flush|truncate|close)")


def main() -> None:
    # Imported with the module: processes that are forked have it.
    assert collection
    for line in sys.stdin:
        task = json.loads(line)
        process = os.fork()
        if process == 0:
            run(task["words"], task["kill"])
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        print(json.dumps({"code": code}), flush=True)


def run(words: list[str], kill: int | None) -> None:
    reached = 0

    def count(_frame: Any, event: str, argument: Any) -> None:
        nonlocal reached
        if event.startswith("c_") and is_change(argument.__qualname__):
            reached += 1
            if reached == kill:
                os.kill(os.getpid(), signal.SIGKILL)

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    # Of this thread only: the one of the connection writes no file.
    sys.setprofile(count)
    code = app(["collect", *words], standalone_mode=False) or 0
    os._exit(code)


def is_change(name: str) -> bool:
    return name in _CHANGES or bool(_WRITES.fullmatch(name))


if __name__ == "__main__":
    main()
