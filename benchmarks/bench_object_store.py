"""Landing and lake in an object store compared with folders of the same disk: `python -m benchmarks.bench_object_store [--files]`.

The store is versitygw on this machine, so the figures contain its requests and its CPU time, and no network. Two runs of `lagoon run`
on the recording, each a process of its own, step by step, and the same query on both lakes. `--files` compares only the
libraries that could read and write the files of tasks.
"""

import argparse
import io
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import obstore
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.claims import claim
from spark_jobs.settings import load
from spark_jobs.store.arrow_filesystem import arrow_filesystem
from spark_jobs.store.object_folder import open_store
from tests.recorded.landing import arrange
from tests.support.object_store import ObjectStore
from tests.support.stored_landing import upload

_STEP = re.compile(r"^(\w+) .*?\n(?:\s{9}\D.*\n)*?\s+([\d.]+) s$", re.MULTILINE)
_QUERY = "select kind, count(*) as findings from gold.findings group by kind"
_ROUNDS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", action="store_true")
    with tempfile.TemporaryDirectory() as scratch:
        store = ObjectStore(Path(scratch) / "store")
        store.start()
        try:
            if parser.parse_args().files:
                compare_libraries(store, Path(scratch))
            else:
                compare_runs(store, Path(scratch))
        finally:
            store.stop()


def compare_runs(store: ObjectStore, scratch: Path) -> None:
    landing = arrange("kafka-4.3", scratch / "landing", logs=True)
    places = {
        "folder": (str(landing), str(scratch / "lake")),
        "store": (upload(store, landing, "landing"), store.uri("lake")),
    }
    measured: dict[str, dict[str, float]] = {}
    for place, (from_landing, lake) in places.items():
        seconds, cpu, printed = timed_command(store, "run", "--landing", from_landing, "--lake", lake)
        steps = {name: float(of_step) for name, of_step in _STEP.findall(printed)}
        measured[place] = {**steps, "whole run": seconds, "its CPU time": cpu}
        query = ("sql", _QUERY, "--engine", "duckdb", "--lake", lake)
        measured[place]["a query in DuckDB"] = statistics.median(
            timed_command(store, *query)[0] for _ in range(_ROUNDS)
        )
    print(f"{'':20}{'folder':>10}{'store':>10}{'ratio':>8}")
    for name, on_folder in measured["folder"].items():
        in_store = measured["store"][name]
        print(f"{name:20}{on_folder:>8.1f} s{in_store:>8.1f} s{in_store / on_folder:>8.2f}", flush=True)
    ratio = measured["store"]["whole run"] / measured["folder"]["whole run"]
    claim("lagoon run in a store / on folders", ratio, "x", at_most=2)


def timed_command(store: ObjectStore, *words: str) -> tuple[float, float, str]:
    """Seconds, CPU seconds without those of the store, and what was printed as progress."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "spark_jobs.cli", *words],
        env=os.environ | store.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    seconds, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{words} failed:\n{done.stdout}{done.stderr}")
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stderr


def compare_libraries(store: ObjectStore, scratch: Path) -> None:
    random = np.random.default_rng(1)
    rows = pa.table(
        {
            "group_id": pa.array([f"group-{number}" for number in random.integers(0, 2_000, 2_000_000)]),
            "offset": random.integers(0, 1 << 40, 2_000_000),
            "at": np.sort(random.integers(0, 1 << 40, 2_000_000)),
        }
    )
    access = load(environment=store.environment()).store
    disk, folder = arrow_filesystem(str(scratch), access)
    arrow, bucket = arrow_filesystem(store.uri("files"), access)
    client = open_store(store.uri("files"), access)

    def put(name: str) -> None:
        content = io.BytesIO()
        pq.write_table(rows, content, compression="zstd")
        obstore.put(client, name, content.getvalue())

    ways: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "a folder": (
            lambda: pq.write_table(rows, f"{folder}/x.parquet", filesystem=disk, compression="zstd"),
            lambda: pq.read_table(f"{folder}/x.parquet", filesystem=disk, columns=["offset"]),
        ),
        "Arrow's file system": (
            lambda: pq.write_table(rows, f"{bucket}/x.parquet", filesystem=arrow, compression="zstd"),
            lambda: pq.read_table(f"{bucket}/x.parquet", filesystem=arrow, columns=["offset"]),
        ),
        "obstore, whole": (
            lambda: put("y.parquet"),
            lambda: pq.read_table(pa.BufferReader(bytes(obstore.get(client, "y.parquet").bytes())), columns=["offset"]),
        ),
    }
    print(f"{len(rows):,} rows\n{'':22}{'write':>10}{'read a column':>16}")
    for name, way in ways.items():
        write, read = (statistics.median(seconds_of(work) for _ in range(_ROUNDS)) for work in way)
        print(f"{name:22}{write:>8.2f} s{read:>14.2f} s", flush=True)

    def write_by_arrow() -> None:
        for number in range(100):
            with arrow.open_output_stream(f"{bucket}/small/{number}") as stream:
                stream.write(bytes(20_000))

    small: dict[str, Callable[[], object]] = {
        "written by obstore": lambda: [obstore.put(client, f"small/{n}", bytes(20_000)) for n in range(100)],
        "read by obstore": lambda: [bytes(obstore.get(client, f"small/{n}").bytes()) for n in range(100)],
        "written by Arrow": write_by_arrow,
        "read by Arrow": lambda: [arrow.open_input_stream(f"{bucket}/small/{n}").read() for n in range(100)],
    }
    for name, work in small.items():
        print(f"100 objects of 20 kB {name}: {seconds_of(work):.2f} s", flush=True)


def seconds_of(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
