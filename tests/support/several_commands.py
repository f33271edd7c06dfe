"""Runs several commands of `lagoon` in one process, which starts Spark once: `several_commands.py '[[columns, [word, …]], …]'`.

After each it prints a line with its exit code.
"""

import contextvars
import json
import os
import sys

from spark_jobs.cli import app
from spark_jobs.errors import UserError
from spark_jobs.visible_text import visible

END = "---- exit code "


def call(words: list[str]) -> int:
    try:
        return int(app(words, prog_name="lagoon", standalone_mode=False) or 0)
    except UserError as error:
        print(f"lagoon: {visible(str(error))}", file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    for columns, words in json.loads(sys.argv[1]):
        os.environ["COLUMNS"] = str(columns)
        code = contextvars.copy_context().run(call, words)
        sys.stderr.flush()
        print(f"{END}{code}", flush=True)
    os._exit(0)
