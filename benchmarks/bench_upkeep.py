"""The lake over many small days, with and without upkeep: `python -m benchmarks.bench_upkeep [LAKE] [--days 60]`.

LAKE is a lake of one day (build/lake, which `make run` builds). The day of its first cluster is repeated as the daily run would write it, without Spark:
each day has its slices, late files replace those of the day before, and the ledger grows. Once a week the second of two copies
gets `lagoon upkeep` with bronze 14 and the other layers 35 days. Prints after two days and every ten the size of both, how much of it is
Delta's logs, the number of files, and how long it takes to open every table and read the ledger, which is what grows for a run with
the lake. `bench_growth` measures whole runs.
"""

import argparse
import datetime as dt
import os
import tempfile
import time
import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
from deltalake import DeltaTable
from rich.console import Console

from spark_jobs.lake.ledger_folder import newest_in
from spark_jobs.lake.local_folder import LocalFolder
from spark_jobs.lake.table_folder import LOG, DataFile, TableFolder, open_folder, open_folders
from spark_jobs.settings import load
from spark_jobs.upkeep.keep_lake import keep_lake

_KEPT = {"bronze": 14, "silver": 35, "gold": 35, "quality": 35, "report": 35, "data_docs": 35}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lake", type=Path, nargs="?", default=Path("build/lake"))
    parser.add_argument("--days", type=int, default=60)
    given = parser.parse_args()
    template = {name: of_one_cluster(table) for name, table in open_folders(LocalFolder(given.lake)).items()}
    with tempfile.TemporaryDirectory() as scratch:
        lakes = {kept: Path(scratch) / ("kept" if kept else "grown") for kept in (False, True)}
        for lake in lakes.values():
            for table in template.values():
                folder, first_commit = folder_of(lake, table.name), f"{LOG}/{0:020}.json"
                folder.write(first_commit, table.folder.read(first_commit) or b"")
                empty = open_folder(table.name, folder)
                empty.commit(empty.files, [], "DELETE")
        first = dt.datetime.now(dt.UTC).date() - dt.timedelta(given.days)
        for number in range(given.days):
            day = first + dt.timedelta(number)
            for kept, lake in lakes.items():
                write_day(template, lake, day, first)
                if kept and number % 7 == 6:
                    keep(lake, day + dt.timedelta(1))
            if number == 1 or number % 10 == 9:
                print(
                    f"day {number + 1}: without upkeep {measured(lakes[False])}; with {measured(lakes[True])}",
                    flush=True,
                )


def folder_of(lake: Path, table: str) -> LocalFolder:
    return LocalFolder(lake / table.replace(".", "/"))


def of_one_cluster(table: TableFolder) -> TableFolder:
    clusters = sorted({file.partition["cluster"] for file in table.files if "cluster" in file.partition})
    chosen = tuple(file for file in table.files if file.partition.get("cluster") in (None, *clusters[:1]))
    return replace(table, files=chosen)


def write_day(template: dict[str, TableFolder], lake: Path, day: dt.date, first: dt.date) -> None:
    """The slices of the day, and those of the day before once more, for a late file."""
    at = dt.datetime.combine(day + dt.timedelta(1), dt.time(0, 15), dt.UTC).timestamp()
    for name, source in template.items():
        folder = folder_of(lake, name)
        table = open_folder(name, folder)
        column = "delivered_on" if name.startswith("bronze") else "day"
        if column not in table.partitioned_by:
            rows = [moved(source.read(file.path), day) for file in source.files]
            added = [table.write(each, {}) for each in rows]
            removed = []
        else:
            late = [] if name.startswith("bronze") or day == first else [day - dt.timedelta(1)]
            removed = [file for file in table.files if file.partition[column] in late]
            added = [copied(file, source, folder, column, to) for to in (day, *late) for file in source.files]
        done = table.commit(removed, added, "WRITE")
        if done.version % 10 == 0:  # As Spark does.
            DeltaTable(folder.uri).create_checkpoint()
        for path in (f"{LOG}/{done.version:020}.json", *(unquote(add["path"]) for add in added)):
            os.utime(folder.folder / path, (at, at))


def copied(file: DataFile, source: TableFolder, to: LocalFolder, column: str, day: dt.date) -> dict[str, Any]:
    folder, _, name = file.address.rpartition("/")
    address = f"{folder.replace(str(file.partition[column]), str(day))}/{uuid.uuid4()}-{name}"
    to.write(unquote(address), source.folder.read(file.path) or b"")
    partition = {**file.partition, column: day}
    return {
        "path": address,
        "partitionValues": {name: str(value) for name, value in partition.items()},
        "size": file.size,
        "modificationTime": 0,
        "stats": "{}",
    }


def moved(rows: pa.Table, day: dt.date) -> pa.Table:
    """The rows of a table without partitions, as rows of the day."""
    at = dt.datetime.combine(day + dt.timedelta(1), dt.time(), dt.UTC)
    values = {"day": day, "run_id": str(at), "ended_at": at}
    for name, value in values.items():
        if name in rows.column_names:
            place = rows.column_names.index(name)
            rows = rows.set_column(place, name, pa.array([value] * len(rows), rows.schema.field(name).type))
    return rows


def keep(lake: Path, day: dt.date) -> None:
    settings = load(lake=str(lake), environment={})
    kept = {f"upkeep.{part}_days": days for part, days in _KEPT.items()}
    now = dt.datetime.combine(day, dt.time(12), dt.UTC)
    keep_lake(replace(settings, values={**settings.values, **kept}), Console(quiet=True), now=now, dry_run=False)
    # What it wrote is as old as the day, too.
    for path in lake.rglob("*"):
        if path.stat().st_mtime > now.timestamp():
            os.utime(path, (now.timestamp(), now.timestamp()))


def measured(lake: Path) -> str:
    started = time.perf_counter()
    tables = open_folders(LocalFolder(lake))
    for layer in ("bronze", "silver", "gold"):
        newest_in(tables["quality.runs"], layer)
    seconds = time.perf_counter() - started
    rows = sum(len(table.files) for table in tables.values())
    files = [path for path in lake.rglob("*") if path.is_file()]
    size, logs = (sum(path.stat().st_size for path in of) for of in (files, [f for f in files if LOG in f.parts]))
    return (
        f"{size / 1e6:.0f} MB ({logs / 1e6:.0f} MB of logs) in {len(files):,} files, {rows:,} current, "
        f"opened in {seconds:.1f} s"
    )


if __name__ == "__main__":
    main()
