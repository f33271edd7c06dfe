"""The ledger, read and written without Spark: for commands that hold the write lock."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa

from spark_jobs.lake.ledger import TABLE, Entry, Ledger, Run, decoded, encoded
from spark_jobs.lake.ledger_clock import LedgerClock
from spark_jobs.lake.table_folder import TableFolder


def newest_in(runs: TableFolder, layer: str) -> Ledger:
    """As ledger.newest."""
    rows = [row for file in runs.read_each(runs.files) for row in file.to_pylist() if row["layer"] == layer]
    rows.sort(key=lambda row: (row["ended_at"], row["run_id"]))
    return {(row["cluster"], row["day"], row["table_name"]): decoded(row) for row in rows}


def append_entries(runs: TableFolder, entries: Sequence[Entry]) -> TableFolder:
    """Each of them is newer than what the ledger has of its slice, whatever the machine's clock shows."""
    assert runs.name == TABLE
    if not entries:
        return runs
    clock, latest = LedgerClock(), dict[tuple[str, str, dt.date, str], dt.datetime]()
    for row in (row for file in runs.read_each(runs.files) for row in file.to_pylist()):
        before = decoded(row)
        latest[_place(before)] = max(before.ended_at, latest.get(_place(before), before.ended_at))
        clock.not_before(max(before.ended_at, Run(row["run_id"]).began_at))
    run = Run.begin(clock)
    # Of two entries of one time that of the later run is the newer one.
    changed = [
        replace(entry, ended_at=max(entry.ended_at, latest.get(_place(entry), entry.ended_at))) for entry in entries
    ]
    rows = pa.Table.from_pylist([encoded(run, entry) for entry in changed], runs.columns_in_files)
    return runs.commit([], [runs.write(rows, {})], "WRITE")


def _place(entry: Entry) -> tuple[str, str, dt.date, str]:
    return entry.layer, entry.cluster, entry.day, entry.table_name
