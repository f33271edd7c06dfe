"""Two processes that commit to one table of a lake in an object store at the same time."""

import contextlib
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from deltalake import DeltaTable, QueryBuilder
from support import concurrent_commits
from support.object_store import ObjectStore
from support.store_fixture import object_store, store_access

from spark_jobs.lake.catalog import open_to_write
from spark_jobs.store.delta_options import delta_options
from spark_jobs.store.store_access import StoreAccess

__all__ = ["object_store", "store_access"]

pytestmark = pytest.mark.slow

COMMITS = 100
WRITERS = ("one", "two")
# Creates the tables of a lake.
CREATE = f"""
import sys
from spark_jobs.lake.catalog import {open_to_write.__name__}
from spark_jobs.settings import load
from spark_jobs.spark import session
settings = load(lake=sys.argv[1])
open_to_write(session.start_spark(settings, small=True), settings.lake, settings.store)
"""


def command_lines() -> list[str]:
    """Those of all processes, which every user of the machine can read."""
    lines = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            lines.append(file.read_bytes().decode("utf-8", "replace"))
    return lines


def test_no_commit_of_two_processes_without_a_lock_is_lost(
    object_store: ObjectStore, store_access: StoreAccess
) -> None:
    uri = object_store.uri("two-writers")
    environment = {**os.environ, **object_store.environment(), "LAGOON_SPARK_DRIVER_MEMORY": "700m"}
    subprocess.run([sys.executable, "-c", CREATE, uri], env=environment, check=True, capture_output=True)
    processes = [
        subprocess.Popen(
            [sys.executable, str(Path(concurrent_commits.__file__)), uri, who, str(COMMITS)],
            env=environment | {"PYTHONPATH": str(Path(__file__).parents[2])},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for who in WRITERS
    ]
    try:
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        seen = command_lines()
        assert sum(object_store.endpoint in line and "java" in line for line in seen) == len(WRITERS)
        assert not any(secret in line for line in seen for secret in object_store.secrets)
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        ended = [process.communicate(timeout=900)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()

    assert ended == ["done\n", "done\n"]
    table = DeltaTable(f"{uri}/quality/rule_results", storage_options=delta_options(uri, store_access))
    rows = QueryBuilder().register("rows", table).execute("select run_id, rule from rows").read_all()
    found = Counter(zip(rows.column("run_id").to_pylist(), rows.column("rule").to_pylist(), strict=True))
    assert found == Counter((who, str(number)) for who in WRITERS for number in range(COMMITS))
    # Both wrote in turns, so that each met commits of the other.
    writes = [each for each in table.history() if each["operation"] == "WRITE"]
    assert len(writes) == COMMITS * len(WRITERS)
